/** A number with its noun: `1 study`, `3 studies`. @param many - left out: the noun with an s */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** An ε or δ as people read it: small ones with an exponent, `-` for none. */
export function numberText(value: number | null): string {
  if (value === null) return "-";
  return value !== 0 && value < 1e-3 ? value.toExponential() : String(value);
}

/**
 * The first names of a list, for a sentence: all of them, or as many as there is room for, and the number of the others. A study may
 * have ten thousand columns, and a paragraph of a release or a plan has room for a few thousand characters.
 * @param most - characters of those that are shown; they stay whole
 */
export function firstNames(names: readonly string[], most = 1_200): { shown: string[]; more: number } {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 2;
    if (length > most) break;
    shown.push(name);
  }
  return { shown, more: names.length - shown.length };
}

/** The same as text. */
export function namesText(names: readonly string[], most?: number): string {
  const { shown, more } = firstNames(names, most);
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}
