import { ConsiliumError } from "@consilium/core/errors";
import { sayLines } from "@consilium/core/sayLines";
import { english } from "@consilium/methods-paper/english";
import { englishWith } from "@consilium/words/english";

const sayEnglish = englishWith(english);

/**
 * What a test looks at, with its sentences in English, as an edge says them: of a text, an error, a result or a promise that fails with one,
 * or work, as in `expect(inEnglish(() => openStore(path))).toThrow("is in use")`. Anything else stays as it is.
 */
export function inEnglish<T>(work: T): T {
  return said(work) as T;
}

function said(work: unknown): unknown {
  if (work instanceof Promise) return work.then(said, refused);
  if (typeof work === "string") return sayLines(work, sayEnglish);
  if (work instanceof ConsiliumError) {
    const [message, remedy] = [said(work.message), said(work.remedy)];
    return Object.assign(work, { message, remedy });
  }
  if (typeof work === "object" && work !== null && "error" in work) said(work.error);
  if (typeof work !== "function") return work;
  return (...given: unknown[]) => {
    try {
      return said(work(...given));
    } catch (thrown) {
      return refused(thrown);
    }
  };
}

function refused(thrown: unknown): never {
  throw said(thrown);
}
