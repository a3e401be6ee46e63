import type { Study } from "./study.js";

/**
 * Whether a site may show nothing of its table but noisy sums: every study of `variant: sound` with noise. Such a study
 * takes any table. A row that does not fit is decided inside the sum, and no refusal, code or count depends on one.
 */
export function hidesTables(study: Study): boolean {
  return study.variant === "sound" && study.privacy !== "none";
}
