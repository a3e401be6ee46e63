import { ifInstalled } from "@consilium/core/method/ifInstalled";
import { readSaid } from "@consilium/core/readSaid";
import { german as ofSound } from "@consilium/methods/german";
import { germanWith } from "@consilium/words/german";

const installed = await ifInstalled(() => import("@consilium/methods-paper/german"));
const sayGerman = germanWith(installed?.german ?? ofSound);

/** A sentence in German; null for a text that is no sentence with a code: the pages have German of their own for it. */
export function german(text: string): string | null {
  const said = readSaid(text);
  return said === null ? null : sayGerman(said);
}
