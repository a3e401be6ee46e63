import { errorSummaries } from "@consilium/core/errorSummaries";
import { isErrorCode } from "@consilium/core/errors";
import { causeOf, said, served } from "../language";

/** Kinds whose detail is, or ends in, the code of an error. */
const coded: ReadonlySet<string> = new Set(["refused", "failed", "dropped", "ended", "enrolment refused"]);

/** How a study ended, the first word of that event's detail. */
const endings: Readonly<Record<string, string>> = said({
  released: "released",
  failed: "failed",
  cancelled: "cancelled",
});

/** A detail in the reader's words; what a code means stands before the code. */
export function detailText({ kind, detail }: { readonly kind: string; readonly detail: string }): string {
  if (!coded.has(kind)) return served(detail);
  const told = kind === "ended" ? detail.replace(/^[a-z]+/, (word) => endings[word] ?? word) : detail;
  return told.replace(/\b[A-Z][A-Z0-9_]+\b/g, (code) =>
    isErrorCode(code) ? `${causeOf(code) ?? errorSummaries[code]} (${code})` : code,
  );
}
