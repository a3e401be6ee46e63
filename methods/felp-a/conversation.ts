import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import type { AnchorClass } from "../shared/local-learning/model.js";
import { descending, normalNoise, type WeightNoise } from "../shared/local-learning/ranking.js";
import { featureOfColumn } from "../shared/local-learning/unitRows.js";
import { toGrid, weightsMost } from "./anchors.js";
import { type FelpALayout, type FelpAStudy, felpALayout, felpANames, felpGridExponent } from "./study.js";

export interface FelpAResult {
  readonly classes: readonly AnchorClass[];
  /** Standard deviation of the noise in each class's number of rows. */
  readonly rowsStdDev: number;
  /**
   * [d] T = 1: how much farther, in units of a feature's range, the mean row lies from the nearest prototype of another
   * class than from its own. T > 1: weights of the margin.
   */
  readonly weights: Float64Array;
  readonly noise: WeightNoise | null;
}

/**
 * felp-a, aggregator side: prototypes, then the sum of margins against them, or T steps of gradient descent.
 * All that is computed here is computed from noisy sums.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function felpAConversation(
  study: FelpAStudy,
  conversation: SumConversation,
  check: <T>(judge: () => T) => T = (judge) => judge(),
): Promise<FelpAResult> {
  const layout = felpALayout(study);
  const asked = await conversation.sum(layout.prototypes.id, {});
  const prototypes = check(() => unscaledSum(study, layout.prototypes, asked));
  const sites = conversation.survivors;
  const rowsStdDev = noiseStdDev(study, layout.prototypes, sites) / layout.kappaUnits;
  const classes = classesOf(prototypes, layout, rowsStdDev);
  const told = {
    [felpANames.prototypes]: Float64Array.from(classes.flatMap(({ prototype }) => Array.from(prototype))),
    [felpANames.present]: Float64Array.from(classes, ({ present }) => (present ? 1 : 0)),
  };
  const rows = Math.max(
    1,
    classes.reduce((sum, one) => sum + (one.present ? Math.max(0, one.rows) : 0), 0),
  );
  const descent = new Descent(study, layout, rows);
  for (const [t, stage] of layout.margins.entries()) {
    const broadcast = t === 0 ? told : { ...told, [felpANames.weights]: descent.weights };
    const sum = await conversation.sum(stage.id, broadcast);
    const stdDev = noiseStdDev(study, stage, conversation.survivors);
    descent.step(
      t,
      inUnits(
        check(() => unscaledSum(study, stage, sum)),
        stage,
      ),
      stdDev / stage.integersPerUnit,
    );
  }
  // Of several rounds' weights the intervals are about margins against the prototypes that were published.
  const variances =
    layout.margins.length === 1
      ? prototypeVariances(study, classes, sites)
      : new Float64Array(layout.features);
  return { classes, rowsStdDev, ...descent.finish(variances) };
}

const inUnits = (integers: Float64Array, stage: SoundStage) =>
  integers.map((value) => value / stage.integersPerUnit);

/**
 * Prototypes μ_c = c0 + S_c/n_c, kept within what a column can be. A class whose noisy number of rows is below twice the
 * noise's standard deviation, or below a half without noise, takes no part: its prototype would be noise, and rows would be
 * measured from it. Where that leaves fewer than two, with noise, the two largest take part for what they are worth.
 */
function classesOf(integers: Float64Array, layout: FelpALayout, rowsStdDev: number): AnchorClass[] {
  const { columns, classes, kappaUnits, radius, centre, most } = layout;
  const unit = radius * 2 ** -felpGridExponent;
  const rows = Float64Array.from(
    { length: classes },
    (_, c) => integers[c * (columns + 1) + columns]! / kappaUnits,
  );
  const present = presentClasses(rows, rowsStdDev);
  return Array.from(rows, (count, c): AnchorClass => {
    const start = c * (columns + 1);
    const divisor = Math.max(count, 1);
    const prototype = centre.map((middle, j) => {
      const mean = middle + (integers[start + j]! * unit) / divisor;
      return toGrid(Math.min(most[j]!, Math.max(0, mean)));
    });
    return { rows: count, present: present[c]!, standsOut: standsOut(count, rowsStdDev), prototype };
  });
}

const standsOut = (rows: number, stdDev: number) => rows >= Math.max(0.5, 2 * stdDev);

function presentClasses(rows: Float64Array, stdDev: number): boolean[] {
  const present = Array.from(rows, (count) => standsOut(count, stdDev));
  if (stdDev > 0 && present.filter((one) => one).length < 2) {
    for (const c of descending(rows).subarray(0, 2)) present[c] = true;
  }
  return present;
}

/** Gradient descent on (1/n)·Σ log(1 + exp(-w'z̃)) + λ|w|² from w = 0, by noisy sums. */
class Descent {
  readonly #study: FelpAStudy;
  readonly #layout: FelpALayout;
  readonly #rows: number;
  #weights: Float64Array;
  #variance = 0;

  constructor(study: FelpAStudy, layout: FelpALayout, rows: number) {
    this.#study = study;
    this.#layout = layout;
    this.#rows = rows;
    this.#weights = new Float64Array(layout.features);
  }

  /** As they are broadcast: multiples of 2^-24, each within C/(2λ). */
  get weights(): Float64Array {
    const most = weightsMost(this.#study);
    return this.#weights.map((weight) => toGrid(Math.min(most, Math.max(-most, weight))));
  }

  /**
   * @param sum - Σz̃ in the first round, of which half is the gradient at 0 with its sign turned; then Σ sigm(-w'z̃)·z̃
   * @param stdDev - of the noise in it
   */
  step(t: number, sum: Float64Array, stdDev: number): void {
    if (this.#layout.margins.length === 1) {
      this.#weights = sum.map((value) => value / this.#rows);
      this.#variance = (stdDev / this.#rows) ** 2;
      return;
    }
    const { lambda, clip } = this.#study.parameters;
    // 1/L for the smoothness L of the objective: clip²/4 + 2λ.
    const length = 1 / (clip ** 2 / 4 + 2 * lambda);
    const part = (length * (t === 0 ? 0.5 : 1)) / this.#rows;
    const kept = 1 - 2 * lambda * length;
    this.#weights = this.weights.map((weight, j) => kept * weight + part * sum[j]!);
    this.#variance = kept ** 2 * this.#variance + (part * stdDev) ** 2;
  }

  /**
   * With several rounds the noise's variance is at most what is said: a step contracts what went before.
   * @param variances - [d] that the prototypes' noise adds
   */
  finish(variances: Float64Array): { readonly weights: Float64Array; readonly noise: WeightNoise | null } {
    const stdDev = variances.map((variance) => Math.sqrt(variance + this.#variance));
    return { weights: this.#weights, noise: this.#variance === 0 ? null : normalNoise(stdDev) };
  }
}

/**
 * [d] what the prototypes' noise adds to the variance of a mean margin, to first order. A prototype that moves by e in a
 * column moves |u - NM| by ±e for the rows that have it as NM: all of the other class with two classes, with more of them
 * an even part of the others. Of rows that have it as NH as many lie above as below, about, and their moves cancel.
 */
function prototypeVariances(study: FelpAStudy, classes: readonly AnchorClass[], sites: number): Float64Array {
  const { prototypes } = felpALayout(study);
  const stdDev = noiseStdDev(study, prototypes, sites) / prototypes.integersPerUnit;
  const rows = classes.filter((one) => one.present).map((one) => Math.max(1, one.rows));
  const all = rows.reduce((sum, own) => sum + own, 0);
  let variance = 0;
  for (const own of rows) {
    if (rows.length < 2) break;
    const part = (all - own) / (all * (rows.length - 1));
    // What is kept within a range of 1 has a standard deviation of at most a half.
    variance += (part * Math.min(0.5, stdDev / own)) ** 2;
  }
  const variances = new Float64Array(study.features.length);
  for (const feature of featureOfColumn(study.features)) variances[feature] = variances[feature]! + variance;
  return variances;
}

/** The noisy number of rows of felp-a: those of the classes that take part. */
export function noisyRows(classes: readonly AnchorClass[]): number {
  return classes.reduce((sum, one) => sum + (one.present ? Math.max(0, one.rows) : 0), 0);
}
