import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import type { CountSection } from "../shared/counts/sections.js";
import { type Margins, type NoisyTable, pooledMargins } from "./margins.js";
import { type SyntheticTableStudy, syntheticTableLayout, treeName } from "./study.js";
import { type ColumnTree, type PairDependence, pairDependences, spanningTree } from "./tree.js";
import { type TreeModel, treeModel } from "./treeModel.js";

/** A sum as it came, in its stage's own integers, and σ of the noise in each of its entries. */
export interface NoisySum {
  readonly sums: Float64Array;
  readonly stdDev: number;
}

/** What synthetic rows are drawn from: all of it computed from two noisy sums. */
export interface SyntheticTableResult {
  /** Null for two columns. */
  readonly pairs: (NoisySum & { readonly dependences: readonly PairDependence[] }) | null;
  readonly tables: NoisySum;
  readonly total: Margins["total"];
  readonly model: TreeModel;
}

type Check = (judge: () => Float64Array) => Float64Array;

/**
 * Synthetic rows, aggregator side, over whatever adds the sites' vectors.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function syntheticTableConversation(options: {
  readonly study: SyntheticTableStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors">;
  readonly check?: Check;
}): Promise<SyntheticTableResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const ask = async (stage: SoundStage, broadcast: Broadcast): Promise<NoisySum> => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    return { sums, stdDev: noiseStdDev(study, stage, conversation.survivors) };
  };
  const { columns, root, pairs, stage } = syntheticTableLayout(study);
  const first = pairs === null ? null : await ask(pairs.stage, {});
  const dependences =
    first === null
      ? []
      : pairDependences(
          columns.map(({ coarse }) => coarse),
          pairs!.tables.map((table) => ({ ...countsOf(first, table), columns: table.columns })),
          first.stdDev,
        );
  const tree = spanningTree(columns.length, root, dependences);
  const told: Broadcast = pairs === null ? {} : { [treeName]: Float64Array.from(tree.parents) };
  const tables = await ask(stage, told);
  return {
    pairs: first === null ? null : { ...first, dependences },
    tables,
    ...modelOf(study, tree, tables),
  };
}

/** The part of a sum that is one table, in records. */
export function countsOf({ sums }: NoisySum, { offset, cells, weight }: CountSection) {
  const counts = sums.subarray(offset, offset + cells).map((sum) => sum / weight);
  return { counts, weight };
}

/** Of a column's table with its parent, the cells that are used. */
export function jointOf(study: SyntheticTableStudy, tree: ColumnTree, tables: NoisySum, column: number) {
  const { columns, joints } = syntheticTableLayout(study);
  const parent = tree.parents[column]!;
  const cells = columns[parent]!.cells * columns[column]!.cells;
  return { ...countsOf(tables, { ...joints[column]!, cells }), columns: [parent, column] as const };
}

function modelOf(
  study: SyntheticTableStudy,
  tree: ColumnTree,
  tables: NoisySum,
): Pick<SyntheticTableResult, "total" | "model"> {
  const { columns, margins } = syntheticTableLayout(study);
  const joints = tree.order.slice(1).map((column) => jointOf(study, tree, tables, column));
  const noisy: NoisyTable[] = [
    ...margins.map((margin, c) => ({ ...countsOf(tables, margin), columns: [c] as const })),
    ...joints,
  ];
  const pooled = pooledMargins(
    columns.map(({ cells }) => cells),
    noisy,
    tables.stdDev,
  );
  const own = columns.map((_, c) => {
    const joint = joints.find((one) => one.columns[1] === c);
    return joint === undefined ? null : { counts: joint.counts, stdDev: tables.stdDev / joint.weight };
  });
  return { total: pooled.total, model: treeModel(tree, pooled, own) };
}
