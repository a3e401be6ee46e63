import type { Said, Table } from "@consilium/words/said";
import { ConsiliumError, type ErrorCode } from "./errors.js";
import { saidText } from "./said.js";

/** Codes of the sentences that have no parameters. */
type Plain<T> = { [K in keyof T]: keyof T[K] extends never ? K : never }[keyof T] & string;

/**
 * Errors of a package whose sentences are in its table of `lib/words`: `const fault = faults<StudySays>()`.
 * @returns a function of the stable code, the sentence's code and its parameters, and of a remedy that is better than the
 *   stable code's own: a sentence, or the code of one without parameters
 */
export function faults<T extends Table<T>>() {
  return <K extends keyof T & string, R extends keyof T & string = never>(
    code: ErrorCode,
    detail: K,
    params: T[K],
    options: Plain<T> | { readonly remedy?: Plain<T> | Said<T, R>; readonly cause?: unknown } = {},
  ): ConsiliumError => {
    const { remedy, cause } = typeof options === "string" ? { remedy: options } : options;
    const said = typeof remedy === "string" ? { code: remedy, params: {} } : remedy;
    const message = saidText({ code: detail, params });
    return new ConsiliumError(code, message, { remedy: said && saidText(said), cause });
  };
}
