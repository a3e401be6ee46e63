/**
 * Whether every store can hold a text as it is. PostgreSQL holds no NUL character and SQLite's functions end at one; half a
 * surrogate pair has no form in UTF-8 at all.
 */
export function isStorableText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
