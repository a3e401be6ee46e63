import { readSaid } from "@consilium/core/said";
import { sayGerman } from "@consilium/words/german";

/** A sentence in German; null for a text that is no sentence with a code: the pages have German of their own for it. */
export function german(text: string): string | null {
  const said = readSaid(text);
  return said === null ? null : sayGerman(said);
}
