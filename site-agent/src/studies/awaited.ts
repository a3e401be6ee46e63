import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";

/** The aggregator was not reached, or did not wait for this, or has no room: it asks again when it needs the answer. */
export class NotAwaited extends ConsiliumError {}

/** A transfer writes nothing here: DISK_FULL is said of the aggregator's disk. */
const passing: ReadonlySet<ErrorCode> = new Set(["UNREACHABLE", "MESSAGE_UNEXPECTED", "DISK_FULL"]);

/** Waits for a transfer; when the aggregator was not there for it, the step has not failed. */
export async function awaited<T>(transfer: Promise<T>): Promise<T> {
  try {
    return await transfer;
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    if (!passing.has(error.code)) throw error;
    throw new NotAwaited(error.code, error.message);
  }
}
