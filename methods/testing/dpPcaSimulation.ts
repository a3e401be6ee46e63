import { addInto } from "@consilium/core/fixed-point/ringVector";
import type { StageId } from "@consilium/core/ids";
import { repeating, streamed } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { noiseWeight } from "@consilium/core/study/plan";
import { addNoiseShare } from "@consilium/gate/noise/noiseShare";
import type { DpPcaBall } from "../dp-pca/ball.js";
import { toldBall } from "../dp-pca/chosenBall.js";
import { type DpPcaResult, dpPcaConversation } from "../dp-pca/conversation.js";
import { type DpPcaStage, type DpPcaStudy, directionsName, dpPcaLayout, planDpPca } from "../dp-pca/study.js";
import { onRosterOfAll } from "./rosterOfAll.js";
import { dpPcaVector } from "./vectors.js";

/**
 * dp-pca with all sites in one process: the same integer vectors, shares of noise, ring additions and post-processing
 * as over the network, without masks, which cancel. For tests and benches.
 */

/** The sum of the sites' vectors without noise, kept for as long as only the noise changes. */
export type ExactSums = Map<string, BigUint64Array>;

/**
 * @param tables - per site, its blocks of rows
 * @param random - of the noise; every site draws a share of its own
 * @param seed - public text, as in a study
 * @param exact - sums of earlier runs over the same tables, for stages that are told nothing of what noise did
 */
export async function simulateDpPca(options: {
  readonly study: DpPcaStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly seed: string;
  readonly exact?: ExactSums;
}): Promise<DpPcaResult> {
  const { tables, kernels, random, seed } = options;
  const study = onRosterOfAll(options.study, tables);
  const exact: ExactSums = options.exact ?? new Map();
  const layout = dpPcaLayout(study);
  const broadcasts = new Map<StageId, Broadcast>();
  return dpPcaConversation({
    study,
    kernels,
    seed,
    async sum(stage, broadcast) {
      broadcasts.set(stage.id, broadcast);
      const directions = broadcast[directionsName] ?? null;
      const isFixed = directions === null && stage.about === "declared";
      let total = isFixed ? exact.get(stage.id) : undefined;
      if (total === undefined) {
        const ball = toldBall(layout, stage, broadcasts);
        total = await exactSum({ study, stage, tables, kernels, random: repeating, directions, ball });
        if (isFixed) exact.set(stage.id, total);
      }
      const sum = total.slice();
      addNoiseShares({ study, stage, sum, sites: tables.length, random });
      return sum;
    },
  });
}

/** Σ over sites of their vectors, without noise. */
export async function exactSum(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly directions: Float64Array | null;
  /** Left out by a stage that is about the declared one. */
  readonly ball?: DpPcaBall;
}): Promise<BigUint64Array> {
  const { study, stage, tables, kernels, random, directions, ball } = options;
  const sum = new BigUint64Array(stage.length);
  for (const table of tables) {
    addInto(
      sum,
      await dpPcaVector({
        study,
        stage,
        blocks: streamed(table),
        directions,
        kernels,
        random,
        ...(ball && { ball }),
      }),
    );
  }
  return sum;
}

/** Adds every site's share of the stage's noise, in place; nothing with `privacy: none`. */
export function addNoiseShares(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly sum: BigUint64Array;
  readonly sites: number;
  readonly random: RandomSource;
}): void {
  const { study, stage, sum, sites, random } = options;
  const planned = planDpPca(study).stages.find((one) => one.id === stage.id);
  if (planned?.kind !== "sum" || planned.noise === null) return;
  const { event, weights } = planned.noise;
  const weightOf = noiseWeight(weights);
  for (let site = 0; site < sites; site++) {
    addNoiseShare({ vector: sum, shareVariance: event.shareVariance, weightOf, random });
  }
}
