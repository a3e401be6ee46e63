import { ConsiliumError } from "@consilium/core/errors";
import { spokenError } from "../../src/http/spoken.js";

const spoken = (thrown: unknown) => (thrown instanceof ConsiliumError ? spokenError(thrown) : thrown);

/** What throws, or rejects, with an error's words as an edge says them in English. */
export function inEnglish<T>(tried: Promise<T>): Promise<T>;
export function inEnglish<T>(tried: () => T): () => T;
export function inEnglish<T>(tried: Promise<T> | (() => T)): Promise<T> | (() => T) {
  if (tried instanceof Promise)
    return tried.catch((thrown) => {
      throw spoken(thrown);
    });
  return () => {
    try {
      return tried();
    } catch (thrown) {
      throw spoken(thrown);
    }
  };
}
