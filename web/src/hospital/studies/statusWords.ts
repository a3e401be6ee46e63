import type { SiteStudyStatus } from "@consilium/core/hospital/studyViews";
import type { Tone } from "../../shared/components";

export const statusWords: Readonly<Record<SiteStudyStatus, string>> = {
  "waiting for approval": "waiting for approval",
  refused: "refused",
  joined: "running",
  waiting: "stopped",
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
