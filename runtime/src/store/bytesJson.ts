/**
 * Values with byte strings in them as text for the store: JSON, with bytes as {"$bytes": base64}. What is read back is
 * what this process has written. The same value gives the same text, so the text's hash tells one from another.
 */
export function toBytesJson(value: unknown): string {
  return JSON.stringify(toText(value));
}

/** Reads back what `toBytesJson` wrote; the store vouches for its shape. */
export function fromBytesJson<T = unknown>(text: string): T {
  return fromText(JSON.parse(text)) as T;
}

function toText(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(toText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toText(inner)]));
}

function fromText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromText);
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value && typeof value.$bytes === "string")
    return new Uint8Array(Buffer.from(value.$bytes, "base64"));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fromText(inner)]));
}
