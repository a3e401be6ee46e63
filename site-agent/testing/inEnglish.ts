import { ConsiliumError } from "@consilium/core/errors";
import { spokenError } from "@consilium/runtime/http/spoken";

/** What an act comes to, with the error that it may end with as people read it. */
export function inEnglish<T>(act: Promise<T>): Promise<T> {
  return act.catch((thrown: unknown) => {
    throw thrown instanceof ConsiliumError ? spokenError(thrown) : thrown;
  });
}
