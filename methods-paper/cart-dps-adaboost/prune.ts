import type { LevelSplits } from "@consilium/methods/shared/trees/levels";
import { added, type Counts } from "./choices.js";

/** Votes of a node if it were a leaf: class counts with noise. @param height - levels of splits that are taken away */
export type LeafVotes = (counts: Counts, height: number) => Counts;

export interface PrunedLeaves {
  /** [2^depth] +1 or -1 for each place after the last level. */
  readonly labels: Float64Array;
  /** Splits that stay, by level. */
  readonly levels: readonly LevelSplits[];
}

/**
 * Prunes bottom-up by the held-out rows: a node becomes a leaf where that errs on no more of them than its children do.
 * The leaf takes the budget of the levels below it, so its votes are drawn with less noise.
 * @param sample, heldOut - [2^depth] class counts in each place after the last level
 */
export function prunedLeaves(options: {
  readonly levels: readonly LevelSplits[];
  readonly sample: readonly Counts[];
  readonly heldOut: readonly Counts[];
  readonly votes: LeafVotes;
  readonly isPruning: boolean;
}): PrunedLeaves {
  const { levels, sample, heldOut, votes, isPruning } = options;
  const depth = levels.length;
  const kept = levels.map((level) => [...level]);
  const labels = new Float64Array(2 ** depth);
  const place = (level: number, node: number) => {
    const first = node * 2 ** (depth - level);
    return { first, end: first + 2 ** (depth - level) };
  };
  const countsAt = (of: readonly Counts[], level: number, node: number): Counts => {
    const { first, end } = place(level, node);
    return of.slice(first, end).reduce(added, [0, 0]);
  };
  const asLeaf = (level: number, node: number): number => {
    const label = labelOf(votes(countsAt(sample, level, node), depth - level));
    const { first, end } = place(level, node);
    labels.fill(label, first, end);
    for (let l = level; l < depth; l++) {
      kept[l]!.fill(null, node * 2 ** (l - level), (node + 1) * 2 ** (l - level));
    }
    return errorsOf(countsAt(heldOut, level, node), label);
  };
  /** Grows labels below a node; returns held-out rows that they get wrong. */
  const settle = (level: number, node: number): number => {
    if (level === depth || isUnsplit(kept, level, node)) return asLeaf(level, node);
    const below = settle(level + 1, 2 * node) + settle(level + 1, 2 * node + 1);
    if (!isPruning) return below;
    const before = { labels: labels.slice(), kept: kept.map((one) => [...one]) };
    const alone = asLeaf(level, node);
    if (alone <= below) return alone;
    labels.set(before.labels);
    before.kept.forEach((one, l) => {
      kept[l]!.splice(0, one.length, ...one);
    });
    return below;
  };
  settle(0, 0);
  return { labels, levels: kept };
}

/** No split from here on: all rows go left to one leaf. */
function isUnsplit(levels: readonly LevelSplits[], level: number, node: number): boolean {
  return levels
    .slice(level)
    .every((splits, l) => splits.slice(node * 2 ** l, (node + 1) * 2 ** l).every((split) => split === null));
}

/** Ties go to the first class. */
function labelOf(votes: Counts): number {
  return votes[1] > votes[0] ? 1 : -1;
}

function errorsOf(counts: Counts, label: number): number {
  return label === 1 ? counts[0] : counts[1];
}
