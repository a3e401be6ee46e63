/** The outcome of something another party or a policy can make fail. Programmer errors are thrown instead. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function err<E>(error: E): Result<never, E> {
  return { ok: false, error };
}

/** Returns the value, or throws the error: for the edges where a failure must end the call. */
export function unwrap<T, E extends Error>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw result.error;
}

/** Ends an exhaustive switch: the compiler refuses it while a case is missing. */
export function assertNever(value: never): never {
  throw new RangeError(`unhandled case ${JSON.stringify(value)}`);
}
