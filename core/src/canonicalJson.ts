/**
 * The one text of a JSON value, for hashing and signing: keys sorted by code unit, no white space, numbers as
 * ECMAScript prints them (RFC 8785). `undefined` members are left out.
 * @throws RangeError on a value that JSON cannot hold (NaN, Infinity, functions, bigint)
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("canonical JSON holds finite numbers only");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  throw new RangeError(`canonical JSON cannot hold a ${typeof value}`);
}
