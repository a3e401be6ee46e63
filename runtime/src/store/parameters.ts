import type { SqlValue } from "./driver.js";

/**
 * Refuses what one of the engines would store as something else: libsql aborts the whole process on a boolean, stores
 * NaN as NULL, cuts text at a NUL character and reads integers over 2^53 wrong; PostgreSQL has no NUL in text.
 * @throws RangeError
 */
export function checkParameter(value: SqlValue): void {
  if (value === null || value instanceof Uint8Array) return;
  if (typeof value === "string") {
    if (value.includes("\0")) throw new RangeError("SQL text cannot hold a NUL character");
    return;
  }
  if (typeof value !== "number") throw new RangeError("SQL parameters are null, text, numbers or bytes");
  if (!Number.isFinite(value)) throw new RangeError("SQL numbers must be finite");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError("SQL integers must be below 2^53; store larger as text");
  }
}
