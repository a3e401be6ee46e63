import { errorTable } from "@consilium/core/errors";
import type { StudyView } from "@consilium/core/operator/views";
import { failureRemedy, sentence } from "../../shared/failureWords";
import { t } from "../../shared/language";

/** What an operator does first about a study that failed. */
export interface NextStep {
  /** `resume`: as it is. `correct`: another study, for this one would be refused again. */
  readonly kind: "resume" | "correct";
  readonly title: string;
  /** Of each site that refused or failed: its code, and what to do about it. */
  readonly sites: readonly { readonly site: string; readonly code: string; readonly remedy: string }[];
}

export function nextStep({
  failure,
  siteStates,
  steps,
}: Pick<StudyView, "failure" | "siteStates" | "steps">): NextStep | null {
  if (failure === null) return null;
  const sites = siteStates.flatMap(({ site, state, code }) =>
    code === null || (state !== "refused" && state !== "failed")
      ? []
      : [{ site, code, remedy: failureRemedy(errorTable[code].remedy) }],
  );
  const isJoining = steps.some(({ kind, status }) => kind === "join" && status !== "done");
  const isRefused = siteStates.some(({ state }) => state === "refused");
  return isJoining && isRefused
    ? {
        kind: "correct",
        title: t("Correct what the sites refuse, in a copy of this study, and start that."),
        sites,
      }
    : { kind: "resume", title: sentence(failureRemedy(failure.remedy)), sites };
}

/** Sums that sites may have been charged for, of all that the study has. */
export function askedSums({ steps }: Pick<StudyView, "steps">): {
  readonly asked: number;
  readonly all: number;
} {
  const sums = steps.filter(({ kind }) => kind === "sum" || kind === "rows" || kind === "tags");
  return { asked: sums.filter(({ status }) => status !== "waiting").length, all: sums.length };
}
