import { ConsiliumError } from "@consilium/core/errors";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { notSent } from "../shared/plans/broadcastFaults.js";
import { decodeSplits, type LevelSplits } from "../shared/trees/levels.js";
import {
  type HistBoostStage,
  type HistBoostStudy,
  histBoostLayout,
  histBoostNames,
  leafExponent,
  leafMost,
} from "./study.js";

/** A finished tree as sites know it. */
export interface FinishedTree {
  readonly levels: readonly LevelSplits[];
  /** [2^d] multiples of 2^-24. */
  readonly leaves: Float64Array;
}

/** Everything that is known of the trees when a stage begins. */
export interface GrownTrees {
  readonly finished: readonly FinishedTree[];
  /** Levels of the tree that grows. */
  readonly levels: readonly LevelSplits[];
}

/**
 * The trees before a stage, from broadcasts that may come from anybody.
 * @throws ConsiliumError FIELD_INVALID where one is missing, BROADCAST_INVALID where it is not the method's
 */
export function grownBefore(
  study: HistBoostStudy,
  stage: Pick<HistBoostStage, "tree" | "level">,
  broadcasts: Broadcasts,
): GrownTrees {
  const { features } = histBoostLayout(study);
  const { depth } = study.parameters;
  const splitsOf = (tree: number, level: number) =>
    checked(`splits of tree ${tree + 1}, level ${level + 1}`, () =>
      decodeSplits(
        told(study, broadcasts, { tree, level: level + 1, name: histBoostNames.splits }),
        features,
      ),
    );
  const levelsOf = (tree: number, levels: number) =>
    Array.from({ length: levels }, (_, level) => splitsOf(tree, level));
  return {
    finished: Array.from({ length: stage.tree }, (_, tree) => ({
      levels: levelsOf(tree, depth),
      leaves: checked(`leaves of tree ${tree + 1}`, () =>
        checkedLeaves(told(study, broadcasts, { tree: tree + 1, level: 0, name: histBoostNames.leaves })),
      ),
    })),
    levels: levelsOf(stage.tree, stage.level),
  };
}

/** What was broadcast under a name at a stage. */
function told(
  study: HistBoostStudy,
  broadcasts: Broadcasts,
  where: { readonly tree: number; readonly level: number; readonly name: string },
): Float64Array {
  const { depth } = study.parameters;
  const { stages, evaluation } = histBoostLayout(study);
  // After the last tree comes the evaluation.
  const { id, broadcasts: planned } = stages[where.tree * (depth + 1) + where.level] ?? evaluation!;
  const values = broadcasts.get(id)?.[where.name];
  if (values === undefined) throw notSent(id, where.name);
  const length = planned.find(({ name }) => name === where.name)?.length;
  if (values.length !== length) throw new RangeError(`${values.length} numbers instead of ${length}`);
  return values;
}

function checkedLeaves(values: Float64Array): Float64Array {
  for (const value of values) {
    if (!(Math.abs(value) <= leafMost) || !Number.isInteger(value * 2 ** leafExponent))
      throw new RangeError(`a leaf is no multiple of 2^-${leafExponent} from -${leafMost} to ${leafMost}`);
  }
  return values;
}

function checked<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof RangeError)
      throw new ConsiliumError("BROADCAST_INVALID", `the broadcast ${what}: ${thrown.message}`, {
        cause: thrown,
      });
    throw thrown;
  }
}
