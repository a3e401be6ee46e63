import { isSpdx } from "@consilium/core/release/licence";

/** Where the text of a licence is that is written as an SPDX identifier; null for other words. */
export function licenceAddress(licence: string): string | null {
  return isSpdx(licence) ? `https://spdx.org/licenses/${licence}.html` : null;
}
