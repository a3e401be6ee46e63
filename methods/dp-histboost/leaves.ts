import { onLeafGrid } from "../shared/trees/leafGrid.js";
import type { LevelSplits } from "../shared/trees/levels.js";
import { classes, type HistBoostStudy, weightUnits } from "./study.js";

/** The noisy weights of both classes in one leaf, or in several that became one; in units of weight. */
export interface LeafWeights {
  readonly negative: number;
  readonly positive: number;
  /** Entries of the sum in each of the two numbers. */
  readonly entries: number;
}

export interface TreeLeaves {
  /** The tree's levels, splits that pruning removed left out. */
  readonly levels: readonly LevelSplits[];
  /** [2^d] multiples of 2^-24: what a row that ends here adds to F. */
  readonly leaves: Float64Array;
  /** [2^d] weight in each leaf after pruning, at least 0. */
  readonly covers: Float64Array;
  /** α of the tree in discrete mode; null in real mode. */
  readonly alpha: number | null;
  /** Of all leaves that rows can reach. */
  readonly totals: LeafWeights;
}

/** τ is clipped to this range before it decides α. */
const errorLeast = 0.02;
const errorMost = 0.5;

/**
 * What the leaves of a tree say, from their noisy sums.
 * @param sums - [2^d × 2] in sixteenths
 * @param stdDev - of one entry's noise, in units of weight; 0 without noise
 */
export function leavesOf(options: {
  readonly study: HistBoostStudy;
  readonly levels: readonly LevelSplits[];
  readonly sums: Float64Array;
  readonly stdDev: number;
}): TreeLeaves {
  const { study, sums, stdDev } = options;
  const { mode, pruning } = study.parameters;
  const count = sums.length / classes;
  const single = Array.from(
    { length: count },
    (_, leaf): LeafWeights => ({
      negative: sums[leaf * classes]! / weightUnits,
      positive: sums[leaf * classes + 1]! / weightUnits,
      entries: 1,
    }),
  );
  const reached = reachedLeaves(options.levels, count);
  const cannotBeToldApart =
    mode === "discrete"
      ? (a: LeafWeights, b: LeafWeights) => vote(a) === vote(b)
      : (a: LeafWeights, b: LeafWeights) => withinNoise(a, b, stdDev);
  const { levels, groups } =
    pruning === "siblings"
      ? pruned(options.levels, single, cannotBeToldApart)
      : unpruned(options.levels, single);
  const alpha =
    mode === "discrete" ? votingWeight(distinct(groups.filter((_, leaf) => reached[leaf]))) : null;
  const addend = (leaf: LeafWeights) => (alpha === null ? halfLogOdds(leaf, stdDev) : alpha * vote(leaf));
  return {
    levels,
    leaves: Float64Array.from(groups, (group, leaf) => (reached[leaf] ? onLeafGrid(addend(group)) : 0)),
    covers: Float64Array.from(groups, (group) => Math.max(0, group.negative) + Math.max(0, group.positive)),
    alpha,
    totals: single.filter((_, leaf) => reached[leaf]).reduce(joined),
  };
}

/** ½·ln((P + β)/(N + β)), β = max(1, σ) [SS99, section 4.2, with smoothing by the noise]. */
export function halfLogOdds(leaf: LeafWeights, stdDev: number): number {
  const { positive, negative, beta } = smoothed(leaf, stdDev);
  return 0.5 * Math.log((positive + beta) / (negative + beta));
}

function smoothed({ negative, positive, entries }: LeafWeights, stdDev: number) {
  return {
    negative: Math.max(0, negative),
    positive: Math.max(0, positive),
    beta: Math.max(1, stdDev * Math.sqrt(entries)),
  };
}

const vote = ({ negative, positive }: LeafWeights) =>
  Math.max(0, positive) >= Math.max(0, negative) ? 1 : -1;

/** ½·ln((1 - τ)/τ), τ the weighted part of the rows that the leaves' votes get wrong. */
export function votingWeight(leaves: readonly LeafWeights[]): number {
  let wrong = 0;
  let all = 0;
  for (const { negative, positive } of leaves) {
    const [n, p] = [Math.max(0, negative), Math.max(0, positive)];
    wrong += Math.min(n, p);
    all += n + p;
  }
  const error = Math.min(errorMost, Math.max(errorLeast, all === 0 ? errorMost : wrong / all));
  return 0.5 * Math.log((1 - error) / error);
}

/** Whether two values of real mode differ by less than the standard deviation of their difference, to first order. */
function withinNoise(a: LeafWeights, b: LeafWeights, stdDev: number): boolean {
  const variance = (leaf: LeafWeights) => {
    const { positive, negative, beta } = smoothed(leaf, stdDev);
    const slopes = 1 / (positive + beta) ** 2 + 1 / (negative + beta) ** 2;
    return 0.25 * leaf.entries * stdDev ** 2 * slopes;
  };
  const difference = halfLogOdds(a, stdDev) - halfLogOdds(b, stdDev);
  return difference ** 2 <= variance(a) + variance(b);
}

function joined(a: LeafWeights, b: LeafWeights): LeafWeights {
  return {
    negative: a.negative + b.negative,
    positive: a.positive + b.positive,
    entries: a.entries + b.entries,
  };
}

/** Each group once: leaves that became one share an object. */
const distinct = (groups: readonly LeafWeights[]) => [...new Set(groups)];

interface Grouped {
  readonly levels: readonly LevelSplits[];
  /** [2^d] the group that each leaf is in; leaves of one group share an object. */
  readonly groups: readonly LeafWeights[];
}

const unpruned = (levels: readonly LevelSplits[], leaves: readonly LeafWeights[]): Grouped => ({
  levels,
  groups: leaves,
});

/** Joins sibling leaves from the bottom up; nobody's sums are asked for again. */
function pruned(
  levels: readonly LevelSplits[],
  leaves: readonly LeafWeights[],
  cannotBeToldApart: (a: LeafWeights, b: LeafWeights) => boolean,
): Grouped {
  const kept = levels.map((splits) => [...splits]);
  // Per node of a level: its only leaf, or null where a split remains below or in it.
  let below: (LeafWeights | null)[] = [...leaves];
  const groups = [...leaves];
  for (let level = levels.length - 1; level >= 0; level--) {
    const span = leaves.length / 2 ** level;
    below = kept[level]!.map((split, node) => {
      const [left, right] = [below[2 * node]!, below[2 * node + 1]!];
      if (split === null) return left;
      if (left === null || right === null || !cannotBeToldApart(left, right)) return null;
      const one = joined(left, right);
      kept[level]![node] = null;
      groups.fill(one, node * span, (node + 1) * span);
      return one;
    });
  }
  return { levels: kept, groups };
}

/** Which leaves rows can come to: a node without a split sends all of its rows left. */
export function reachedLeaves(levels: readonly LevelSplits[], count: number): boolean[] {
  return levels.reduce(nextReached, [true]).slice(0, count);
}

/** Which nodes of the next level rows can come to. */
export function nextReached(isReached: readonly boolean[], splits: LevelSplits): boolean[] {
  return isReached.flatMap((reached, node) => [reached, reached && splits[node] !== null]);
}
