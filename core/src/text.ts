/**
 * Whether every store can hold a text as it is. PostgreSQL holds no NUL character and SQLite's functions end at one; half a
 * surrogate pair has no form in UTF-8 at all.
 */
export function isStorableText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/**
 * Whether a text is what a person may write to another: not blank, no control characters but line ends, and none of the
 * characters that turn the direction of what follows.
 */
export function isPersonText(text: string): boolean {
  return (
    text.trim() !== "" && isStorableText(text) && !/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u.test(text)
  );
}

/** A name of a column or file for a message: quoted, characters that do not show escaped, at most 80 characters. */
export function quoted(name: string): string {
  const text = JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  return text.replace(
    /[\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
