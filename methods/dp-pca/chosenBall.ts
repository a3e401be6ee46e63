import { faults } from "@consilium/core/fault";
import type { StageId } from "@consilium/core/ids";
import { sentences } from "@consilium/core/said";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import { noiseShares } from "@consilium/core/study/onRoster";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import type { AnySaid } from "@consilium/words/said";
import { notSent } from "../shared/plans/broadcastFaults.js";
import {
  type BallChoice,
  ballNames,
  ballStages,
  centreExponent,
  type DpPcaBall,
  radii,
  radiusAt,
} from "./ball.js";
import { clipToBall } from "./moments.js";
import type { DpPcaSays } from "./says.js";
import {
  type DpPcaLayout,
  type DpPcaStage,
  type DpPcaStudy,
  dpPcaMomentStages,
  dpPcaStdDev,
} from "./study.js";

const said = sentences<DpPcaSays>();

/**
 * What a centre and a radius are chosen by, from two noisy sums, and what a site makes of being told them. The choice needs
 * no record: it is post-processing. Why it is this one: docs/methods/pca.md#dp-pca-ball.
 */

/** Rows as the first sum has them: how many, with noise, and where they lie on average. */
export interface ChosenCentre {
  /** [d] in multiples of 2^-24, from 0 to 1. */
  readonly centre: Float64Array;
  /** Noisy, possibly below 1. */
  readonly rows: number;
}

/**
 * The noisy mean, drawn back towards the declared centre by as much as its noise makes it too long [JS61]:
 * with rows enough it is the mean, and where noise is all there is the declared centre.
 * @param sum - of the records' integers, the last entry K times their number
 */
export function chosenCentre(
  study: DpPcaStudy,
  layout: DpPcaLayout,
  choice: BallChoice,
  sum: Float64Array,
): ChosenCentre {
  const { columns: d, declared, kappaUnits, gridExponent } = layout;
  const rows = sum[d]! / kappaUnits;
  const divisor = Math.max(rows, 1);
  const mean = sum.subarray(0, d).map((entry) => (entry * 2 ** -gridExponent) / divisor);
  clipToBall(mean);
  const noise = (noiseStdDev(study, choice.centre, noiseShares(study)) * 2 ** -gridExponent) / divisor;
  const squares = mean.reduce((total, x) => total + x * x, 0);
  const kept = squares > 0 ? Math.max(0, 1 - (d * noise ** 2) / squares) : 0;
  const scale = 2 ** centreExponent;
  const centre = mean.map((x, j) => {
    const at = declared.centre[j]! + declared.radius * kept * x;
    return Math.round(Math.min(1, Math.max(0, at)) * scale) / scale;
  });
  return { centre, rows };
}

/** A row's excess that is cut off counts for a quarter of noise of the same size: it keeps the row's own direction. */
const excessWeight = 1 / 4;
/** So many rows lie within the ball, however much noise there is: a smaller ball takes from rows what it takes from noise. */
const withinLeast = 1 / 2;

/**
 * The step of the radius with the least R²·T + Σ max(0, r² - R²), the sum over rows at distance r: what noise adds to the
 * second moments and what clipping takes off them. T is how many rows' excess the noise is worth. Only differences
 * between radii matter, so that the count beyond the declared radius enters by its number alone.
 * @param counts - of the ranges of distance, noisy, outermost first
 * @param rows - noisy, of the first sum
 */
export function chosenRadiusStep(
  study: DpPcaStudy,
  layout: DpPcaLayout,
  counts: Float64Array,
  rows: number,
): number {
  const least = rowsWorthNoise(study, layout);
  const worth = Math.min(least, Math.max(0, rows) * (1 - withinLeast));
  let best = 0;
  let bestLoss = 0;
  let loss = 0;
  let beyond = 0;
  for (let step = 1; step < radii; step++) {
    beyond += counts[step - 1]!;
    // Rows between the two radii are taken for evenly spread by their squared distance.
    const cut = beyond + counts[step]! / 2;
    // Squared radii halve, in units of the declared one.
    loss += (cut - worth) * 2 ** -step;
    if (loss < bestLoss) {
      best = step;
      bestLoss = loss;
    }
  }
  return best;
}

/** T: the largest eigenvalue of the second moments' noise, √(2d)σ in units of R², over the weight of an excess. */
function rowsWorthNoise(study: DpPcaStudy, layout: DpPcaLayout): number {
  const { columns: d, components: k, form, classes } = layout;
  const sigma = dpPcaStdDev(study) * Math.sqrt(form === "one-round" ? classes : 1);
  const largest = form === "iteration" ? Math.sqrt(d) + Math.sqrt(k) : Math.sqrt(2 * d);
  return (sigma * largest) / excessWeight;
}

/** What was chosen, as a stage of second moments clips by it. */
export function chosenBall(layout: DpPcaLayout, centre: Float64Array, step: number): DpPcaBall {
  return { centre, radius: radiusAt(layout.declared.radius, step) };
}

/**
 * What a site clips a stage's rows by, or measures them from, as it was told. The proof of privacy needs no check of it,
 * for every record's integers are checked; but a site does not answer an aggregator that asks for something else than
 * the plan says.
 * @throws ConsiliumError FIELD_INVALID where it was not told, BROADCAST_INVALID where no honest aggregator says so
 */
export function toldBall(layout: DpPcaLayout, stage: DpPcaStage, broadcasts: Broadcasts): DpPcaBall {
  if (stage.about === "declared") return layout.declared;
  const centre = told(broadcasts.get(ballStages.radius), ballNames.centre, ballStages.radius);
  const scale = 2 ** centreExponent;
  if (centre.length !== layout.columns) {
    throw invalid(said("dp-pca.ball-length", { numbers: centre.length, columns: layout.columns }));
  }
  if (!centre.every((value) => value >= 0 && value <= 1 && Number.isInteger(value * scale))) {
    throw invalid(said("dp-pca.ball-centre", { exponent: centreExponent }));
  }
  if (stage.about === "chosen-centre") return { centre, radius: layout.declared.radius };
  const first = dpPcaMomentStages(layout)[0]!.id;
  const steps = told(broadcasts.get(first), ballNames.radiusStep, first);
  const step = steps[0]!;
  if (steps.length !== 1 || !Number.isInteger(step) || step < 0 || step >= radii) {
    throw invalid(said("dp-pca.ball-radius", { radii }));
  }
  return chosenBall(layout, centre, step);
}

function told(broadcast: Broadcast | undefined, name: string, stage: StageId): Float64Array {
  const values = broadcast?.[name];
  if (values === undefined) throw notSent(stage, name);
  return values;
}

const invalid = (what: AnySaid) => faults<DpPcaSays>()("BROADCAST_INVALID", "dp-pca.ball-invalid", { what });
