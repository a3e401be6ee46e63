import { mergedEntries, type NoisyEntries, pldAccountant } from "../privacy/pld.js";
import type { PlanLoss, SumStage } from "./plan.js";
import type { Study } from "./study.js";

/**
 * The exact accounting of a plan, each of its stages once: composition that is fixed before the study runs, whichever stages
 * then are skipped. Proof, and why it does not cover the rest: docs/methods/loss-distributions.md.
 * @returns undefined where a stage has no dominating pair, where a unit has several rows, and where the losses are too many
 *   or too large for a figure: zCDP stays
 */
export function lossOfPlan(study: Study, stages: readonly SumStage[]): PlanLoss | undefined {
  if (study.privacy === "none" || (study.patient?.maxRows ?? 1) !== 1) return undefined;
  const parts: NoisyEntries[] = [];
  for (const { noise } of stages) {
    if (noise?.changes === undefined || noise.weights.kind !== "uniform") return undefined;
    const { shareVariance, noiseShares } = noise.event;
    for (const { entries, most } of noise.changes) {
      parts.push({ shift: { most, shareVariance, noiseShares }, count: entries });
    }
  }
  const entries = mergedEntries(parts);
  const epsilon = knownEpsilon(entries, study.privacy.delta);
  return epsilon === null ? undefined : { epsilon, entries };
}

/** Plans are made again and again of the few studies that run, and this takes tens of milliseconds. */
const known = new Map<string, number | null>();
const knownMost = 64;

function knownEpsilon(entries: readonly NoisyEntries[], delta: number): number | null {
  const key = JSON.stringify([entries, delta]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const epsilon = epsilonOf(entries, delta);
  if (known.size === knownMost) known.delete(known.keys().next().value!);
  known.set(key, epsilon);
  return epsilon;
}

function epsilonOf(entries: readonly NoisyEntries[], delta: number): number | null {
  try {
    const epsilon = pldAccountant(entries).epsilon(delta);
    return Number.isFinite(epsilon) ? epsilon : null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
