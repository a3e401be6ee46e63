import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";

/** The aggregator was not reached, or did not wait for this: it asks again when it needs the answer. */
export class NotAwaited extends ConsiliumError {}

/** Waits for a transfer; when the aggregator was not there for it, the step has not failed. */
export async function awaited<T>(transfer: Promise<T>): Promise<T> {
  try {
    return await transfer;
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    if (error.code !== "UNREACHABLE" && error.code !== "MESSAGE_UNEXPECTED") throw error;
    throw new NotAwaited(error.code, error.message);
  }
}
