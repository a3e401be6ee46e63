import { createHmac } from "node:crypto";

/** HMAC-SHA256 [RFC2104]: 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(message).digest());
}
