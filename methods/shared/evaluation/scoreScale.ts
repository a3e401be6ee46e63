import { logOddsOf, scoreOf, scoreThreshold } from "@consilium/core/learning/trees/link";
import type { LeafNode, Tree, TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import {
  cutsName,
  type EvaluationForm,
  evaluationStageId,
  scoreBins,
} from "@consilium/core/study/evaluation";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { invalidBroadcast, notSent } from "../plans/broadcastFaults.js";

/**
 * Where the evaluation cuts a model's score into ranges: computed from the model alone, which is public by then, so it costs
 * nothing. A model of few different scores has a range for each. Any other one is cut at quantiles of what its leaves say
 * of its score's distribution, mixed with an even one (docs/methods/evaluation.md#cuts).
 */
export interface ScoreScale {
  /** [scoreBins - 1] ascending: range b holds cuts[b-1] < score ≤ cuts[b]. */
  readonly cuts: Float64Array;
  /** [scoreBins] whether a row can have such a score. */
  readonly isReached: readonly boolean[];
  /** [scoreBins] whether the ranges' rows are predicted the second class. */
  readonly isSecond: readonly boolean[];
  /** [scoreBins] the log-odds, by the link, that stand for a range. */
  readonly logOdds: readonly number[];
  /** [scoreBins] from the least to the most log-odds that rows of a range can have; 0 where all have one score. */
  readonly widths: readonly number[];
}

/** Models of no more different scores than this have a range for each, on either side of the threshold. */
const scoresMost = scoreBins - 1;

/** Of the cuts so many go by where the leaves say that rows are; the others lie evenly. */
const leavesPart = 3 / 4;

const gridCells = 2048;

/** How the score of a model of two classes is cut. */
export function scoreScale(ensemble: TreeEnsemble): ScoreScale {
  const scores = distinctScores(ensemble);
  return scores === null ? scaleOfMany(ensemble) : scaleOfFew(ensemble, scores);
}

/** The range of a score: how many cuts lie below it. */
export function rangeOf(cuts: Float64Array, score: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cuts[middle]! < score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What sites are told of the cuts with the model. */
export function cutsBroadcast(form: EvaluationForm, ensemble: TreeEnsemble): Broadcast {
  return form.kind === "scores" ? { [cutsName]: scoreScale(ensemble).cuts } : {};
}

/**
 * The cuts that a site was told; none where classes are counted.
 * @throws ConsiliumError FIELD_INVALID where they are missing, BROADCAST_INVALID where they do not ascend
 */
export function cutsTold(form: EvaluationForm, broadcasts: Broadcasts): Float64Array {
  if (form.kind === "classes") return new Float64Array(0);
  const cuts = broadcasts.get(evaluationStageId)?.[cutsName];
  if (cuts === undefined) throw notSent(evaluationStageId, cutsName);
  const ascends = cuts.every((cut, i) => Number.isFinite(cut) && (i === 0 || cuts[i - 1]! <= cut));
  if (cuts.length !== scoreBins - 1 || !ascends)
    throw invalidBroadcast(
      evaluationStageId,
      sentences<BroadcastSays>()("broadcast.ascending", { name: nameOf(cutsName), count: scoreBins - 1 }),
    );
  return cuts;
}

/** Ascending; null where there may be more than `scoresMost`. */
function distinctScores(ensemble: TreeEnsemble): number[] | null {
  const { trees, base, link } = ensemble;
  let reached: number[][] = [[...base]];
  for (const tree of trees) {
    const next = new Map<string, number[]>();
    for (const outputs of reached) {
      for (const { values } of leavesIn(tree)) {
        const sum = outputs.map((output, i) => output + values[i]!);
        next.set(sum.join(), sum);
      }
    }
    if (next.size > scoresMost) return null;
    reached = [...next.values()];
  }
  return [...new Set(reached.map((outputs) => scoreOf(outputs, link)))].sort((a, b) => a - b);
}

const leavesIn = (tree: Tree): LeafNode[] => tree.nodes.filter((node) => node.kind === "leaf");

function scaleOfFew({ link }: TreeEnsemble, scores: readonly number[]): ScoreScale {
  const threshold = scoreThreshold(link);
  const between = scores.slice(1).map((score, i) => (scores[i]! + score) / 2);
  // The threshold takes the place of the cut between the last score that it is not below and the next one.
  const below = scores.filter((score) => score <= threshold).length;
  if (below > 0 && below < scores.length) between[below - 1] = threshold;
  else between.push(threshold);
  const ascending = between.sort((a, b) => a - b);
  const last = ascending.at(-1)!;
  const cuts = Float64Array.from({ length: scoreBins - 1 }, (_, i) => ascending[i] ?? last);
  const places = new Map(scores.map((score) => [rangeOf(cuts, score), score]));
  const ranges = Array.from({ length: scoreBins }, (_, b) => b);
  return {
    cuts,
    isReached: ranges.map((b) => places.has(b)),
    isSecond: ranges.map((b) => (places.get(b) ?? Number.NEGATIVE_INFINITY) > threshold),
    logOdds: ranges.map((b) => logOddsOf(places.get(b) ?? threshold, link)),
    widths: ranges.map(() => 0),
  };
}

function scaleOfMany(ensemble: TreeEnsemble): ScoreScale {
  const { link } = ensemble;
  const threshold = scoreThreshold(link);
  const { low, high, masses } = scoreMasses(ensemble);
  const width = (high - low) / masses.length;
  const quantiles: number[] = [];
  let sum = 0;
  masses.forEach((mass, cell) => {
    const after = sum + leavesPart * mass + (1 - leavesPart) / masses.length;
    while (quantiles.length < scoreBins - 2 && (quantiles.length + 1) / (scoreBins - 1) <= after) {
      const part = ((quantiles.length + 1) / (scoreBins - 1) - sum) / (after - sum);
      quantiles.push(low + (cell + part) * width);
    }
    sum = after;
  });
  const cuts = Float64Array.from([...quantiles, threshold]).sort();
  const ends = Array.from({ length: scoreBins }, (_, b) => ({
    from: Math.max(low, cuts[b - 1] ?? low),
    to: Math.min(high, cuts[b] ?? high),
  }));
  const inside = ends.map(({ from, to }) => meanWithin({ low, width, masses }, from, to));
  return {
    cuts,
    isReached: ends.map(({ from, to }) => to > from),
    isSecond: ends.map((_, b) => b > 0 && cuts[b - 1]! >= threshold),
    logOdds: inside.map((score) => logOddsOf(score, link)),
    widths: ends.map(({ from, to }) => Math.max(0, logOddsOf(to, link) - logOddsOf(from, link))),
  };
}

/** The mean score of the rows that the masses place between two scores; half-way where they place none. */
function meanWithin(
  { low, width, masses }: { readonly low: number; readonly width: number; readonly masses: Float64Array },
  from: number,
  to: number,
): number {
  let [sum, weighted] = [0, 0];
  const first = Math.max(0, Math.floor((from - low) / width));
  for (let cell = first; cell < masses.length && low + cell * width < to; cell++) {
    const [left, right] = [Math.max(from, low + cell * width), Math.min(to, low + (cell + 1) * width)];
    const mass = (masses[cell]! * Math.max(0, right - left)) / width;
    sum += mass;
    weighted += (mass * (left + right)) / 2;
  }
  return sum > 1e-9 ? weighted / sum : (from + to) / 2;
}

/**
 * How the score would be distributed if a row's leaf in one tree said nothing of its leaf in another one, each leaf having its
 * part of the tree's cover: on a grid from the least to the most score.
 */
function scoreMasses(ensemble: TreeEnsemble): {
  readonly low: number;
  readonly high: number;
  readonly masses: Float64Array;
} {
  const trees = ensemble.trees.map(weightedLeaves);
  const start = ensemble.base[0]!;
  if (ensemble.link === "classes") return massesOfOne(ensemble);
  const low = trees.reduce((sum, leaves) => sum + Math.min(...leaves.map(({ value }) => value)), start);
  const high = trees.reduce((sum, leaves) => sum + Math.max(...leaves.map(({ value }) => value)), start);
  const width = (high - low) / gridCells;
  let masses: Float64Array = new Float64Array(gridCells);
  masses[0] = 1;
  // Each tree moves what is there by how much more its leaves say than its lowest one.
  for (const leaves of trees) {
    const least = Math.min(...leaves.map(({ value }) => value));
    const next = new Float64Array(gridCells);
    for (const { value, part } of leaves) addMoved(next, masses, (value - least) / width, part);
    masses = next;
  }
  return { low, high, masses };
}

/** Adds `part` of the masses, so many cells further; what lies between two cells is divided between them. */
function addMoved(into: Float64Array, masses: Float64Array, cells: number, part: number): void {
  const whole = Math.floor(cells);
  const rest = cells - whole;
  const last = masses.length - 1;
  masses.forEach((mass, cell) => {
    if (mass === 0) return;
    into[Math.min(last, cell + whole)]! += part * mass * (1 - rest);
    into[Math.min(last, cell + whole + 1)]! += part * mass * rest;
  });
}

/** Of a model whose outputs are one tree's classes. */
function massesOfOne({ trees, base, link }: TreeEnsemble) {
  const leaves = trees.flatMap(leavesIn);
  const scores = leaves.map(({ values }) =>
    scoreOf(
      values.map((value, i) => base[i]! + value),
      link,
    ),
  );
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const masses = new Float64Array(gridCells);
  const parts = partsOf(leaves);
  scores.forEach((score, i) => {
    const cell = Math.min(gridCells - 1, Math.floor(((score - low) / (high - low)) * gridCells));
    masses[cell]! += parts[i]!;
  });
  return { low, high, masses };
}

function weightedLeaves(tree: Tree): { readonly value: number; readonly part: number }[] {
  const leaves = leavesIn(tree);
  const parts = partsOf(leaves);
  return leaves.map(({ values }, i) => ({ value: values[0]!, part: parts[i]! }));
}

/** Of a tree's cover, a leaf's; a thousandth is divided evenly, for noise may hide the rows of a leaf. */
function partsOf(leaves: readonly LeafNode[]): number[] {
  const covers = leaves.map(({ cover }) => Math.max(0, cover));
  const total = covers.reduce((sum, cover) => sum + cover, 0);
  return covers.map((cover) =>
    total > 0 ? 0.999 * (cover / total) + 0.001 / leaves.length : 1 / leaves.length,
  );
}
