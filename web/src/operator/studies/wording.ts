import type { ErrorCode } from "@consilium/core/errors";
import type { SiteStepState, StudyStatus } from "@consilium/core/operator/views";
import type { Tone } from "../../shared/components";
import { formatDelta, formatEpsilon } from "../../shared/format";
import { said, served, t } from "../../shared/language";

export const statusTones: Readonly<Record<StudyStatus, Tone>> = {
  inviting: "info",
  running: "info",
  publishing: "info",
  released: "ok",
  failed: "bad",
  cancelled: "neutral",
};

export const statusWords: Readonly<Record<StudyStatus, string>> = said({
  inviting: "waiting for sites to join",
  running: "running",
  publishing: "publishing",
  released: "released",
  failed: "failed",
  cancelled: "cancelled",
});

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

/** The words for a site's state in a step. @param code - of a refusal: a person's is a denial */
export function stateWords(state: SiteStepState, code: string | null = null): string {
  if (state === "refused" && code === "REFUSED_BY_SITE") return t("denied");
  return served(state === "left out" ? "excluded" : state);
}

/** A variant of a method as pages show it: the file keeps `sound` and `paper`. What a study protects is its verdict alone. */
export function variantWords(variant: string): string {
  return variant === "sound" ? t("proven") : variant === "paper" ? t("as published") : variant;
}

/** `ε 1, δ 1e-5`, or the part that is known. */
export function costText(
  cost: { readonly epsilon: number | null; readonly delta: number | null } | null,
): string {
  if (cost === null || cost.epsilon === null) return t("no meaningful bound");
  const delta = cost.delta === null || cost.delta === 0 ? "" : `, δ ${formatDelta(cost.delta)}`;
  return `ε ${formatEpsilon(cost.epsilon)}${delta}`;
}

const analyses: Readonly<Record<string, string>> = said({
  describe: "Table one and counts",
  regression: "Regression: odds, rate and hazard ratios, differences in means",
  pca: "Principal components",
  "correlation-tree": "Correlation tree",
  "boosted-trees": "Boosted trees",
  "feature-selection": "Feature selection",
  "k-anonymous-selection": "K-anonymous selection",
  survival: "Survival (grouped times, log-rank)",
  "synthetic-table": "Synthetic rows to publish",
});

export function analysisName(analysis: string): string {
  return analyses[analysis] ?? analysis.charAt(0).toUpperCase() + analysis.slice(1).replaceAll("-", " ");
}

/** Without what explains it, for a table. */
export const shortAnalysisName = (analysis: string): string =>
  analysisName(analysis).split(/[:(]/)[0]!.trim();

const methods: Readonly<Record<string, string>> = said({
  describe: "table one, histograms, two-way tables",
  counts: "how many records meet conditions",
  regression: "logistic, linear, Poisson or Cox, with intervals",
  "synthetic-table": "a table of made-up patients with the same counts",
});

/** As a list of methods offers it: what it does for people who do not know its name. */
export function methodName(method: string): string {
  const words = methods[method];
  return words === undefined ? method : `${method}: ${words}`;
}

/** The reason why a study waits without a deadline. */
export function waitingWords(code: ErrorCode): string {
  if (code === "PLAN_DIFFERS" || code === "REPLAY_DIFFERS") return t("Paused: another version");
  return code === "DISK_FULL" ? t("Waiting for disk space") : t("Waiting ({code})", { code });
}
