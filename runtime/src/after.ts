/** Calls back after so many milliseconds; what it returns cancels that. A simulation has a time of its own. */
export type After = (ms: number, call: () => void) => () => void;
