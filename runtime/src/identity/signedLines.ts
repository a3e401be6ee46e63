import { type KeyObject, sign, verify } from "node:crypto";

/** A signed text: one line of canonical JSON, and one with the base64url ECDSA signature over it. */
interface SignedLines {
  readonly json: Buffer;
  readonly signature: Buffer;
}

/** @param key - private, P-256 */
export function signedLines(json: Buffer, key: KeyObject): Uint8Array {
  const signature = sign("sha256", json, key).toString("base64url");
  return Uint8Array.from(Buffer.concat([json, Buffer.from(`\n${signature}\n`, "utf8")]));
}

/** Only the form is checked: nothing in `json` may be trusted before `isSignedBy`. */
export function readSignedLines(bytes: Uint8Array): SignedLines | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(10);
  const signature = /^([A-Za-z0-9_-]{1,120})\n$/.exec(buffer.subarray(end + 1).toString("latin1"));
  if (end < 0 || !signature) return undefined;
  return { json: buffer.subarray(0, end), signature: Buffer.from(signature[1]!, "base64url") };
}

/** @param key - public, P-256 */
export function isSignedBy({ json, signature }: SignedLines, key: KeyObject): boolean {
  return verify("sha256", json, key, signature);
}
