import { setImmediate } from "node:timers/promises";

/** Lets others be served, in long computations. */
export async function pause(): Promise<void> {
  await setImmediate();
}
