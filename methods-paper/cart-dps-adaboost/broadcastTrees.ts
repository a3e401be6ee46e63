import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { LevelSplits } from "@consilium/methods/shared/trees/levels";
import { decodeSetSplits } from "@consilium/methods/shared/trees/setSplits";
import {
  type CartAdaboostStage,
  type CartAdaboostStudy,
  cartAdaboostLayout,
  cartAdaboostNames,
} from "./study.js";

/** A tree that is finished: what a row adds to its margin is alpha × label of its place after the last level. */
export interface WeakTree {
  readonly levels: readonly LevelSplits[];
  /** [2^depth] +1 or -1. */
  readonly labels: Float64Array;
  readonly alpha: number;
}

/** Everything broadcast before a stage. */
export interface Grown {
  readonly finished: readonly WeakTree[];
  /** Levels of the tree that grows. */
  readonly levels: readonly LevelSplits[];
  /** What e^-margin is multiplied with to have mean 1 over all rows. */
  readonly scale: number;
}

/**
 * Reads what was broadcast before a stage, which may come from anybody.
 * @throws ConsiliumError BROADCAST_INVALID where something is missing, or none that the method sends
 */
export function grownBefore(
  study: CartAdaboostStudy,
  stage: CartAdaboostStage,
  broadcasts: Broadcasts,
): Grown {
  return checked(stage.id, () => {
    const told = reader(study, broadcasts);
    const finished = Array.from({ length: stage.tree - 1 }, (_, t) =>
      told.tree(t + 1, told.firstStage(t + 2)),
    );
    const scale = stage.tree === 1 ? 1 : told.value(told.firstStage(stage.tree), cartAdaboostNames.scale);
    if (!(scale > 0 && scale < Number.POSITIVE_INFINITY))
      throw new RangeError("the weights' scale must be positive");
    return { finished, levels: told.levels(stage.tree, stage.level), scale };
  });
}

/**
 * The trees of the model that is evaluated.
 * @throws ConsiliumError BROADCAST_INVALID as `grownBefore`
 */
export function evaluatedTrees(
  study: CartAdaboostStudy,
  evaluation: StageId,
  broadcasts: Broadcasts,
): WeakTree[] {
  return checked(evaluation, () => {
    const told = reader(study, broadcasts);
    const count = told.value(evaluation, cartAdaboostNames.trees);
    if (!Number.isInteger(count) || count < 0 || count > study.parameters.trees)
      throw new RangeError("there are other numbers of trees");
    return Array.from({ length: count }, (_, t) =>
      told.tree(t + 1, t + 1 === count ? evaluation : told.firstStage(t + 2)),
    );
  });
}

function checked<T>(stage: StageId, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof RangeError)
      throw new ConsiliumError("BROADCAST_INVALID", `stage ${stage}: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}

function reader(study: CartAdaboostStudy, broadcasts: Broadcasts) {
  const { depth } = study.parameters;
  const { features, stages } = cartAdaboostLayout(study);
  const values = (id: StageId, name: string): Float64Array => {
    const found = broadcasts.get(id)?.[name];
    if (found === undefined) throw new RangeError(`stage ${id} was not sent "${name}"`);
    return found;
  };
  const value = (id: StageId, name: string): number => values(id, name)[0]!;
  const firstStage = (tree: number): StageId =>
    stages.find((one) => one.tree === tree && one.level === 0)!.id;
  const levels = (tree: number, count: number): LevelSplits[] =>
    stages
      .filter((one) => one.tree === tree && one.level >= 1 && one.level <= count)
      .map((one) => decodeSetSplits(values(one.id, cartAdaboostNames.splits), features));
  /** @param toldAt - the stage that told of its leaves */
  const tree = (number: number, toldAt: StageId): WeakTree => {
    const labels = values(toldAt, cartAdaboostNames.labels);
    const alpha = value(toldAt, cartAdaboostNames.alpha);
    if (!labels.every((label) => label === 1 || label === -1))
      throw new RangeError("a leaf's label is 1 or -1");
    if (!(alpha >= 0 && alpha <= alphaMost)) throw new RangeError(`alpha must lie from 0 to ${alphaMost}`);
    return { levels: levels(number, depth), labels, alpha };
  };
  return { value, firstStage, levels, tree };
}

/** α of a tree that errs once in 2·10^18 rows of equal weight; larger ones are none of the method's. */
const alphaMost = 21;
