import { addNoiseShare } from "@consilium/gate/noise/noiseShare";
import { addInto } from "../fixed-point/ringVector.js";
import type { SiteId, StageId } from "../ids.js";
import type { NumericKernels } from "../linalg/kernels.js";
import { type ComputePart, wholly } from "../method/parts.js";
import type { RandomSource } from "../random.js";
import type { Broadcast, Broadcasts } from "../study/broadcast.js";
import type { ColumnBlock } from "../study/design.js";
import { noiseWeight, type Plan, type SumStage } from "../study/plan.js";
import { type SoundStage, soundSum } from "../study/soundSums.js";
import type { Study } from "../study/study.js";
import { signedNumbers } from "./exactSums.js";

/**
 * A method as a conversation of secure sums, no matter who adds the vectors up: the network, or one process. The aggregator's
 * side asks, the site's side answers; between them nothing but sums and broadcasts.
 */

/** What a method's program at the aggregator speaks to. */
export interface SumConversation {
  /** Sites on the roster. */
  readonly sites: number;
  /** Sites in the last sum; those on the roster before the first. */
  readonly survivors: number;
  readonly kernels: NumericKernels;
  /** Broadcasts, asks every site for its vector of this stage, and returns the sum in the ring Z_2^64. */
  sum(stage: StageId, broadcast: Broadcast): Promise<BigUint64Array>;
  /**
   * A value that is drawn once: stored before it is returned, so that a replay continues with the same one.
   * @param name - of the draw, once in the study
   * @param make - called the first time alone
   */
  draw(name: string, make: () => string): string;
  /** Computes what the rest of the result can do without: null where it cannot be computed. */
  readonly part: ComputePart;
  /** Awaited now and then during a long computation, so that connections are served; left out: nothing waits. */
  readonly pause?: () => Promise<void>;
}

/** What a site answers a sum stage from. It keeps nothing between stages. */
export interface SiteInput {
  /** The site that answers: what it draws reproducibly from a public seed it draws under its own id. */
  readonly site: SiteId;
  /** Sites on the roster. */
  readonly sites: number;
  /** Everything broadcast so far, this stage's broadcasts included. */
  readonly broadcasts: Broadcasts;
  /** The table, block by block. */
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly kernels: NumericKernels;
  /** Of what a site draws for itself and nobody may foresee. */
  readonly random: RandomSource;
  /** Of where the gate asks again and what it checks products with: it decides nothing of the vector, but which rows a full block keeps. Left out: `random`. */
  readonly checks?: RandomSource;
  /** Awaited now and then during a long computation, so that connections are served; left out: nothing waits. */
  readonly pause?: () => Promise<void>;
}

/** The site's vector of a stage before noise and mask: integers in two's complement, as many as the plan says. */
export type SiteVector = (stage: StageId, input: SiteInput) => Promise<BigUint64Array>;

/**
 * A sum in the method's integers; with noise also multiples of one over the stage's scale, and where patients weigh alike
 * fractions of a patient.
 * @throws RangeError when an entry is beyond what honest sites and 12 standard deviations of noise can give
 */
export function unscaledSum(study: Study, stage: SoundStage, sum: BigUint64Array): Float64Array {
  if (sum.length !== stage.length)
    throw new RangeError(`a sum of ${sum.length} numbers where the stage has ${stage.length}`);
  const { scale, unit, entryLimit } = soundSum(study, stage);
  const divisor = scale * unit;
  const values = signedNumbers(sum);
  for (let i = 0; i < values.length; i++) {
    if (!(Math.abs(values[i]!) <= entryLimit))
      throw new RangeError("the sum is larger than the study's sites can make it");
    if (divisor !== 1) values[i]! /= divisor;
  }
  return values;
}

/**
 * A method with all sites in one process: the same vectors, shares of noise, ring additions and conversation as over the
 * network, without masks, which cancel. For tests, audits and benches.
 * @param tables - per site, its blocks of rows; the sites are called as `simulatedSite` says
 * @param random - of the noise and of what sites draw for themselves
 * @param run - the aggregator's side
 */
export async function simulateSums<R>(options: {
  readonly plan: Plan;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly vector: SiteVector;
  readonly run: (conversation: SumConversation) => Promise<R>;
}): Promise<R> {
  const { plan, tables, kernels, random, vector } = options;
  const broadcasts = new Map<StageId, Broadcast>();
  const draws = new Map<string, string>();
  const sites = tables.length;
  const result = await options.run({
    sites,
    survivors: sites,
    kernels,
    async sum(id, broadcast) {
      const stage = sumStage(plan, id);
      broadcasts.set(id, checkedBroadcast(stage, broadcast));
      const total = new BigUint64Array(stage.length);
      for (const [index, table] of tables.entries()) {
        const blocks = streamed(table);
        const own = await vector(id, {
          site: simulatedSite(index),
          sites,
          broadcasts,
          blocks,
          kernels,
          random,
          checks: repeating,
        });
        if (own.length !== stage.length)
          throw new RangeError(`stage ${id}: ${own.length} entries where the plan says ${stage.length}`);
        addInto(total, own);
        addShare(stage, total, random);
      }
      return total;
    },
    draw(name, make) {
      const before = draws.get(name);
      if (before !== undefined) return before;
      const made = make();
      draws.set(name, made);
      return made;
    },
    part: wholly,
  });
  // No certificate states what a study left out that it may not.
  const skipped = plan.stages.find(
    (stage) => stage.kind === "sum" && stage.mayBeSkipped !== true && !broadcasts.has(stage.id),
  );
  if (skipped !== undefined) throw new RangeError(`stage ${skipped.id} was left out, and may not be`);
  return result;
}

/** What the sites of a simulation are called: site-001, site-002, … */
export function simulatedSite(index: number): SiteId {
  return `site-${String(index + 1).padStart(3, "0")}` as SiteId;
}

function sumStage(plan: Plan, id: StageId): SumStage {
  const stage = plan.stages.find((one) => one.id === id);
  if (stage?.kind !== "sum") throw new RangeError(`the plan has no sum stage ${id}`);
  return stage;
}

function checkedBroadcast(stage: SumStage, broadcast: Broadcast): Broadcast {
  const told = Object.entries(broadcast).map(([name, values]) => `${name} ${values.length}`);
  const planned = stage.broadcasts.map(({ name, length }) => `${name} ${length}`);
  if (told.sort().join() !== planned.sort().join())
    throw new RangeError(`stage ${stage.id} broadcasts [${told}] where the plan says [${planned}]`);
  return broadcast;
}

function addShare(stage: SumStage, total: BigUint64Array, random: RandomSource): void {
  if (stage.noise === null) return;
  const { event, weights } = stage.noise;
  addNoiseShare({
    vector: total,
    shareVariance: event.shareVariance,
    weightOf: noiseWeight(weights),
    random,
  });
}

/** What a simulation's sites check with: the same numbers each time, so that its seed decides the noise alone. */
export const repeating: RandomSource = {
  bytes: (count) => Uint8Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24),
};

/** Blocks in memory as the stream that a site's data layer hands out. */
export async function* streamed<B>(blocks: readonly B[]): AsyncGenerator<B> {
  yield* blocks;
}
