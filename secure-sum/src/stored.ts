import { hex, unhex } from "./bytes.js";
import { SecretBytes } from "./crypto/secretBytes.js";

/**
 * The states of a state machine as bytes, secrets included: JSON, in which byte arrays, secrets and maps are objects that
 * say so. For the site's own sealed storage and nowhere else.
 */
export function inBytes<T>() {
  return {
    store: (state: T): Uint8Array => Buffer.from(JSON.stringify(state, marked)),
    /** Checks nothing: the caller's storage vouches for the bytes. */
    restore: (stored: Uint8Array): T => JSON.parse(Buffer.from(stored).toString(), unmarked) as T,
  };
}

/** Asks for the member itself: the value has passed through its `toJSON`. */
function marked(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const member = this[name];
  if (member instanceof SecretBytes) return { $secret: hex(member.reveal()) };
  if (member instanceof Uint8Array) return { $bytes: hex(member) };
  return member instanceof Map ? { $map: [...member] } : value;
}

function unmarked(_name: string, value: { $secret?: string; $bytes?: string; $map?: [unknown, unknown][] }) {
  if (typeof value !== "object" || value === null) return value;
  if (value.$secret !== undefined) return new SecretBytes(unhex(value.$secret));
  if (value.$bytes !== undefined) return unhex(value.$bytes);
  return value.$map === undefined ? value : new Map(value.$map);
}
