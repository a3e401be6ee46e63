import type { BoostedTree } from "./conversation.js";
import type { HistBoostStudy } from "./study.js";

/** What a feature's splits gained, added up over all trees. */
export interface FeatureImportance {
  readonly feature: string;
  /** Decrease of the Gini index times weight, in rows. The best of many noisy cuts, hence rather too large. */
  readonly gain: number;
  /** Standard deviation that noise gives it, had the splits been fixed beforehand. */
  readonly noiseStdDev: number;
  readonly splits: number;
}

/** Of every feature, by falling gain; splits that pruning removed do not count. */
export function importancesOf(study: HistBoostStudy, trees: readonly BoostedTree[]): FeatureImportance[] {
  const sums = study.features.map(() => ({ gain: 0, variance: 0, splits: 0 }));
  for (const { chosen, levels } of trees) {
    for (const [level, splits] of chosen.entries()) {
      for (const [node, split] of splits.entries()) {
        if (split === null || levels[level]![node] === null) continue;
        const sum = sums[split.feature]!;
        sum.gain += split.gain;
        sum.variance += split.gainStdDev ** 2;
        sum.splits++;
      }
    }
  }
  return sums
    .map(({ gain, variance, splits }, f) => ({
      feature: study.features[f]!.name,
      gain,
      noiseStdDev: Math.sqrt(variance),
      splits,
    }))
    .sort((a, b) => b.gain - a.gain);
}
