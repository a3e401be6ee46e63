import type { OfferedStudyView, SiteStudyStatus } from "@consilium/core/hospital/studyViews";
import type { Tone } from "../../shared/components";
import { said } from "../../shared/language";

export const statusWords: Readonly<Record<SiteStudyStatus, string>> = said({
  "waiting for approval": "waiting for approval",
  refused: "refused",
  joined: "running",
  waiting: "stopped",
  released: "released",
  cancelled: "cancelled",
});

export const statusTone: Readonly<Record<SiteStudyStatus, Tone>> = {
  "waiting for approval": "warn",
  refused: "neutral",
  joined: "info",
  waiting: "warn",
  released: "ok",
  cancelled: "neutral",
};

/** Whether a study has ended without this hospital: none of its data were sent for it, and nothing was spent. */
export function endedWithout({ status, words }: Pick<OfferedStudyView, "status" | "words">): boolean {
  return status === "refused" || words.endsWith(" without this hospital");
}
