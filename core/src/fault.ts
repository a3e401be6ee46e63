import type { Table } from "@consilium/words/said";
import { ConsiliumError, type ErrorCode } from "./errors.js";
import { saidText } from "./said.js";

/**
 * Errors of a package whose sentences are in its table of `lib/words`: `const fault = faults<StudySays>()`.
 * @returns a function of the stable code, the sentence's code and its parameters, and of a remedy that is better than the
 *   stable code's own
 */
export function faults<T extends Table<T>>() {
  return <K extends keyof T & string, R extends keyof T & string = never>(
    code: ErrorCode,
    detail: K,
    params: T[K],
    options: { readonly remedy?: { readonly code: R; readonly params: T[R] }; readonly cause?: unknown } = {},
  ): ConsiliumError => {
    const { remedy, cause } = options;
    const message = saidText({ code: detail, params });
    if (remedy === undefined) return new ConsiliumError(code, message, { cause });
    return new ConsiliumError(code, message, { remedy: saidText(remedy), cause });
  };
}
