import type { OfferedStudyView, SiteStudyStatus } from "@consilium/core/hospital/studyViews";
import type { Tone } from "../../shared/components";
import { said, t } from "../../shared/language";

/** Only an as-published variant is named: the study's own claim says what is proven. */
export const methodText = ({ method, variant }: Pick<OfferedStudyView, "method" | "variant">): string =>
  variant === "paper" ? t("{method}, as published", { method }) : method;

/** What became of a study here: a person's denial and a refusal by the policy are two outcomes of one status. */
export type Outcome = SiteStudyStatus | "denied";

export function outcomeOf({ status, code }: Pick<OfferedStudyView, "status" | "code">): Outcome {
  return status === "refused" && code === "REFUSED_BY_SITE" ? "denied" : status;
}

/** Whether the policy joined or refused it, or a check did: no person was asked. */
export function isDecidedByPolicy(
  study: Pick<OfferedStudyView, "status" | "joined" | "decidedAt" | "joinUntil">,
): boolean {
  const { decidedAt, joinUntil, joined, status } = study;
  // A person who was asked had until then.
  return decidedAt === null && joinUntil === null && (joined || status === "refused");
}

export const outcomeWords: Readonly<Record<Outcome, string>> = said({
  "waiting for approval": "waiting for approval",
  denied: "denied",
  refused: "refused",
  joined: "running",
  waiting: "stopped",
  released: "released",
  cancelled: "cancelled",
});

export const outcomeTone: Readonly<Record<Outcome, Tone>> = {
  "waiting for approval": "warn",
  denied: "neutral",
  refused: "neutral",
  joined: "info",
  waiting: "warn",
  released: "ok",
  cancelled: "neutral",
};

const overStatuses: readonly SiteStudyStatus[] = ["refused", "released", "cancelled"];

/** Whether a study has ended without this hospital: none of its data were sent for it, and nothing was spent. */
export function endedWithout({ status, joined }: Pick<OfferedStudyView, "status" | "joined">): boolean {
  return overStatuses.includes(status) && !joined;
}
