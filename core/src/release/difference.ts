/**
 * The path of the first place where two JSON values differ, as `privacy.accounting.epsilon`; null where they are equal.
 * Members in order of names, so that the same difference is always named the same.
 */
export function firstDifference(a: unknown, b: unknown, path = ""): string | null {
  if (a === b) return null;
  const both = [a, b];
  const isList = both.map(Array.isArray);
  const isObject = both.map((value) => typeof value === "object" && value !== null);
  if (!isObject[0] || !isObject[1] || isList[0] !== isList[1]) return path || "the whole";
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (!isList[0]) names.sort();
  for (const name of names) {
    const inner = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(left, name) || !Object.hasOwn(right, name)) return inner;
    const difference = firstDifference(left[name], right[name], inner);
    if (difference !== null) return difference;
  }
  return null;
}
