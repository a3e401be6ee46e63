import { ConsiliumError } from "@consilium/core/errors";

/** The mathematics refuses what no honest sites can have sent; to the operator that is a fault of a peer. */
export function plausible<T>(decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (thrown instanceof RangeError)
      throw new ConsiliumError("SUM_IMPLAUSIBLE", thrown.message, { cause: thrown });
    throw thrown;
  }
}
