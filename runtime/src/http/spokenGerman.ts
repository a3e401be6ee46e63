import { readSaid } from "@consilium/core/said";
import { german as ofMethods } from "@consilium/methods/german";
import { germanWith } from "@consilium/words/german";

const sayGerman = germanWith(ofMethods);

/** A sentence in German; null for a text that is no sentence with a code: the pages have German of their own for it. */
export function german(text: string): string | null {
  const said = readSaid(text);
  return said === null ? null : sayGerman(said);
}
