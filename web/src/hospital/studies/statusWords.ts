import type { SiteStudyStatus } from "@consilium/core/hospital/studyViews";
import type { Tone } from "../../shared/components";

export const statusWords: Readonly<Record<SiteStudyStatus, string>> = {
  "waiting for approval": "waits for a decision",
  refused: "refused",
  joined: "under way",
  waiting: "came to a stop",
  released: "released",
  cancelled: "cancelled",
};

export const statusTone: Readonly<Record<SiteStudyStatus, Tone>> = {
  "waiting for approval": "warn",
  refused: "neutral",
  joined: "info",
  waiting: "warn",
  released: "ok",
  cancelled: "neutral",
};
