import type { ErrorCode } from "@consilium/core/errors";
import type { SiteStepState, StudyStatus } from "@consilium/core/operator/views";
import type { PrivacyClaim } from "@consilium/core/study/plan";
import type { Tone } from "../../shared/components";
import { formatNumber } from "../../shared/format";

export const statusTones: Readonly<Record<StudyStatus, Tone>> = {
  inviting: "info",
  running: "info",
  publishing: "info",
  released: "ok",
  failed: "bad",
  cancelled: "neutral",
};

export const statusWords: Readonly<Record<StudyStatus, string>> = {
  inviting: "waiting for sites to join",
  running: "running",
  publishing: "publishing",
  released: "released",
  failed: "failed",
  cancelled: "cancelled",
};

export const stateTones: Readonly<Record<SiteStepState, Tone>> = {
  invited: "neutral",
  "awaiting approval": "warn",
  accepted: "ok",
  refused: "bad",
  working: "info",
  uploading: "info",
  done: "ok",
  failed: "bad",
  dropped: "bad",
  "left out": "neutral",
};

export const verdictTones: Readonly<Record<PrivacyClaim["verdict"], Tone>> = {
  proved: "ok",
  "claimed by the authors, not verified": "warn",
  "no privacy": "bad",
};

/** `ε 1, δ 0.00001`; what there is of it. */
export function costText(
  cost: { readonly epsilon: number | null; readonly delta: number | null } | null,
): string {
  if (cost === null || cost.epsilon === null) return "none that means anything";
  const delta = cost.delta === null || cost.delta === 0 ? "" : `, δ ${formatDelta(cost.delta)}`;
  return `ε ${formatNumber(cost.epsilon)}${delta}`;
}

/** As people write it: 0.00001 down to there, then an exponent. */
function formatDelta(delta: number): string {
  return delta >= 1e-6 ? String(delta) : delta.toExponential().replace("e-", "·10^-");
}

const analyses: Readonly<Record<string, string>> = {
  pca: "Principal components",
  "correlation-tree": "Correlation tree",
  "boosted-trees": "Boosted trees",
  "feature-selection": "Feature selection",
  "k-anonymous-selection": "K-anonymous selection",
};

export function analysisName(analysis: string): string {
  return analyses[analysis] ?? analysis.charAt(0).toUpperCase() + analysis.slice(1).replaceAll("-", " ");
}

/** What a study waits for without a deadline. */
export function waitingWords(code: ErrorCode): string {
  return code === "DISK_FULL" ? "Waiting for disk space" : `Waiting (${code})`;
}
