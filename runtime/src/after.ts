import { clearTimeout, setTimeout } from "node:timers";

/** Calls back after so many milliseconds; what it returns cancels that. A simulation has a time of its own. */
export type After = (ms: number, call: () => void) => () => void;

/**
 * By the timers of the module: a test that plays the global ones does not hold up what waits here. Nothing that waits keeps
 * the process alive.
 */
export const afterMs: After = (ms, call) => {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
};
