/**
 * What certificates hold, or hash, that has a space in it and is no sentence: domains of what is hashed and signed, and values
 * of closed lists. A test that replaces sentences leaves these.
 */
export const formatStrings: ReadonlySet<string> = new Set([
  "consilium statement v1\n",
  "consilium countersignature v1",
  "consilium statement v2\n",
  "consilium countersignature v2",
  "consilium plan v3\n",
  "masked sum",
  "rows in the clear",
  "tag counts",
  "claimed by the authors, not verified",
  "no privacy",
]);
