import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives Node 20 the standard method `ArrayBuffer.prototype.transfer` (ES2024), which its engine has behind a flag that
 * counts for contexts made after it was set. With it a buffer's memory can be given back without waiting for the
 * garbage collector: masks are drawn through thousands of short-lived buffers. Later versions have it already.
 * @returns whether the method is there now
 */
export function installTransfer(): boolean {
  if ("transfer" in ArrayBuffer.prototype) return true;
  setFlagsFromString("--harmony-rab-gsab-transfer");
  const transfer: unknown = runInNewContext("ArrayBuffer.prototype.transfer");
  if (typeof transfer !== "function") return false;
  Object.defineProperty(ArrayBuffer.prototype, "transfer", {
    value: transfer,
    writable: true,
    configurable: true,
  });
  return true;
}
