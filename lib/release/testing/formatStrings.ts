/**
 * What certificate 2 holds, or hashes, that has a space in it and is no sentence: domains of what is hashed and signed, and values
 * of closed lists. A test that replaces sentences leaves these.
 */
export const formatStrings: ReadonlySet<string> = new Set([
  "consilium statement v1\n",
  "consilium countersignature v1",
  "masked sum",
  "rows in the clear",
  "tag counts",
  "claimed by the authors, not verified",
  "no privacy",
]);
