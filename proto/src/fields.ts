import { ConsiliumError, type ErrorCode, isErrorCode } from "@consilium/core/errors";
import { parseSha256, parseSiteId, parseStageId, parseStudyId, type Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { isPersonText, isStorableText } from "@consilium/core/text";

/**
 * Checks of single fields, for the two `rpc/toDomain.ts` that turn wire messages into our types. Each throws
 * FIELD_INVALID naming the field, never its value; the edge of the call catches it and refuses the message.
 */
export function fieldFault(field: string, what: string): ConsiliumError {
  return new ConsiliumError("FIELD_INVALID", `field ${field}: ${what}`);
}

export function present<T>(value: T | null | undefined, field: string): T {
  if (value === null || value === undefined) throw fieldFault(field, "missing");
  return value;
}

export function bytesOf(value: Uint8Array, field: string, limits: { min?: number; max: number }): Uint8Array {
  const min = limits.min ?? 0;
  if (value.length < min || value.length > limits.max) {
    throw fieldFault(
      field,
      `${value.length} bytes, expected ${min === limits.max ? min : `${min} to ${limits.max}`}`,
    );
  }
  return value;
}

export function exactBytes(value: Uint8Array, field: string, count: number): Uint8Array {
  return bytesOf(value, field, { min: count, max: count });
}

export function textOf(value: string, field: string, maxBytes: number): string {
  const size = Buffer.byteLength(value);
  if (size > maxBytes) throw fieldFault(field, `${size} bytes, at most ${maxBytes} allowed`);
  if (!isStorableText(value)) throw fieldFault(field, "a NUL character or an unpaired surrogate");
  return value;
}

/** What a person wrote. */
export function personTextOf(value: string, field: string, maxBytes: number): string {
  if (!isPersonText(value)) throw fieldFault(field, "empty, or with control characters");
  return textOf(value, field, maxBytes);
}

/** Of a question: 32 hexadecimal digits. */
export function questionIdOf(value: string, field: string): string {
  if (!/^[0-9a-f]{32}$/.test(value)) throw fieldFault(field, "not 32 hexadecimal digits");
  return value;
}

export function countOf(value: number, field: string, max: number = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || value < 0 || value > max) {
    throw fieldFault(field, `not a whole number from 0 to ${max}`);
  }
  return value;
}

export function listOf<T, U>(values: readonly T[], field: string, max: number, each: (value: T) => U): U[] {
  if (values.length > max) throw fieldFault(field, `${values.length} entries, at most ${max} allowed`);
  return values.map(each);
}

export function codeOf(value: string, field: string): ErrorCode {
  if (value.length > 64 || !isErrorCode(value)) throw fieldFault(field, "unknown error code");
  return value;
}

/** 32 bytes on the wire, hexadecimal inside. */
export function sha256Of(value: Uint8Array, field: string): Sha256 {
  return unwrap(parseSha256(Buffer.from(exactBytes(value, field, 32)).toString("hex")));
}

export const siteIdOf = (value: string) => unwrap(parseSiteId(value));
export const studyIdOf = (value: string) => unwrap(parseStudyId(value));
export const stepIdOf = (value: string) => unwrap(parseStageId(value));

export function sha256Bytes(hash: Sha256): Buffer {
  return Buffer.from(hash, "hex");
}
