import type { StageId } from "@consilium/core/ids";
import type { SiteInput } from "@consilium/core/learning/sums";
import type { RowGroups } from "@consilium/core/linalg/correlations";
import { noNode } from "@consilium/core/linalg/histograms";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { ColumnBlock, DesignColumn } from "@consilium/core/study/design";
import {
  heldOutCounts,
  leafCounts,
  trainingRows,
} from "@consilium/methods/shared/correlation-tree/leafCounts";
import { placedRows } from "@consilium/methods/shared/correlation-tree/treeSoFar";
import { noStage } from "@consilium/methods/shared/plans/broadcastFaults";
import { binnedTree, type PearsonQuestion, pearsonLevels, pearsonQuestion } from "./splits.js";
import {
  correlationUnit,
  cutUnit,
  mapTasksOf,
  type PearsonTreeStudy,
  pearsonLayout,
  subsetsOf,
} from "./study.js";

/**
 * A site's vector of a stage of the published tree, exact. Of each node: rows by class; subsets that have rows; and for each
 * attribute not yet asked, over the subsets in which some cut has a correlation, Σ|φ|, Σ cut and their number.
 * @throws ConsiliumError as `dpPccVector`
 */
export async function pearsonVector(
  study: PearsonTreeStudy,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { splitting, leaves, evaluation } = pearsonLayout(study);
  if (id === leaves.id || id === evaluation?.id) {
    const tree = binnedTree(study, pearsonLevels(input.broadcasts, study));
    const place = (block: ColumnBlock) => placedRows(block, tree.levels, tree.features).nodes;
    const counts = id === leaves.id ? leafCounts(study, input, place) : heldOutCounts(study, input, place);
    return BigUint64Array.from(await counts, BigInt);
  }
  const index = splitting.findIndex((stage) => stage.id === id);
  if (index === -1) throw noStage("pearson-tree", id);
  const question = pearsonQuestion(input.broadcasts, index, study);
  const table = await tableOf(study, question, input);
  return nodesVector(study, question, table, input.kernels);
}

/** A site's training rows at the nodes that are asked, by subset and node. */
interface Table {
  /** Of each feature its rows' values; null where the feature is asked no more. */
  readonly columns: readonly (Float64Array | null)[];
  readonly groups: RowGroups;
}

/**
 * Of the rows at the nodes that are asked, what the stage needs. Rows are dealt to subsets by their place among all training rows, or by
 * their level of the feature that names the map tasks.
 * Group subset·nodes + node has the rows of a subset at a node.
 */
async function tableOf(study: PearsonTreeStudy, question: PearsonQuestion, input: SiteInput): Promise<Table> {
  const { attributes, classes } = pearsonLayout(study);
  const partitions = subsetsOf(study);
  const tasks = mapTasksOf(study)?.feature;
  const { above, places, nodes, asked } = question;
  const tree = binnedTree(study, above);
  const needed = new Set(attributes.flatMap(({ feature }, a) => (asked.has(a) ? [] : [feature])));
  const parts: { columns: (Float64Array | null)[]; labels: Uint16Array; groups: Uint32Array }[] = [];
  let dealt = 0;
  for await (const block of trainingRows(study, input)) {
    const at = placedRows(block, tree.levels, tree.features).nodes;
    const rows: number[] = [];
    const groups: number[] = [];
    for (let row = 0; row < block.rows; row++, dealt++) {
      const place = places[at[row]!]!;
      if (place === noNode) continue;
      rows.push(row);
      const subset = tasks === undefined ? dealt % partitions : block.columns[tasks]![row]!;
      groups.push(subset * nodes + place);
    }
    parts.push({
      columns: block.columns.map((column, f) =>
        needed.has(f) ? Float64Array.from(rows, (row) => column[row]!) : null,
      ),
      labels: Uint16Array.from(rows, (row) => block.labels![row]!),
      groups: Uint32Array.from(groups),
    });
  }
  const { order, starts } = sorted(
    parts.map(({ groups }) => groups),
    partitions * nodes,
  );
  const labels = inOrder(
    parts.map((part) => part.labels),
    Uint16Array,
    order,
  );
  const columns = study.features.map((_, f) => {
    if (!needed.has(f)) return null;
    const own = inOrder(
      parts.map((part) => part.columns[f]!),
      Float64Array,
      order,
    );
    // One column at a time is in memory twice.
    for (const part of parts) part.columns[f] = null;
    return own;
  });
  return { columns, groups: { starts, labels, classes } };
}

/** Where each row goes when they are sorted by group, row by row, and where each group starts. */
function sorted(
  parts: readonly Uint32Array[],
  groups: number,
): { readonly order: Uint32Array; readonly starts: Uint32Array } {
  const starts = new Uint32Array(groups + 1);
  for (const part of parts) for (const group of part) starts[group + 1]!++;
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!;
  const order = new Uint32Array(starts[groups]!);
  const next = starts.slice();
  let row = 0;
  for (const part of parts) for (const group of part) order[row++] = next[group]!++;
  return { order, starts };
}

function inOrder<T extends Float64Array | Uint16Array>(
  parts: readonly T[],
  make: new (length: number) => T,
  order: Uint32Array,
): T {
  const whole = new make(order.length);
  let row = 0;
  for (const part of parts) for (const value of part) whole[order[row++]!] = value;
  return whole;
}

async function nodesVector(
  study: PearsonTreeStudy,
  question: PearsonQuestion,
  table: Table,
  kernels: NumericKernels,
): Promise<BigUint64Array> {
  const { attributes, classes, nodeLength } = pearsonLayout(study);
  const { nodes, asked } = question;
  const { groups } = table;
  const sums = new Float64Array(nodes * nodeLength);
  for (let group = 0; group + 1 < groups.starts.length; group++) {
    const at = (group % nodes) * nodeLength;
    const labels = groups.labels.subarray(groups.starts[group], groups.starts[group + 1]);
    for (const label of labels) sums[at + label]!++;
    if (labels.length > 0) sums[at + classes]!++;
  }
  const search = kernels.correlations(groups);
  try {
    await Promise.all(
      attributes.map(async (attribute, a) => {
        if (asked.has(a)) return;
        const { correlations, cuts } = await search.column((values) => fillValues(values, table, attribute));
        for (const [group, correlation] of correlations.entries()) {
          if (correlation === 0) continue;
          const at = (group % nodes) * nodeLength + classes + 1 + 3 * a;
          sums[at]! += Math.round(correlation * correlationUnit);
          sums[at + 1]! += cutSteps(cuts[group]!, attribute);
          sums[at + 2]!++;
        }
      }),
    );
  } finally {
    await search.end();
  }
  return BigUint64Array.from(sums, BigInt);
}

function fillValues(values: Float64Array, { columns }: Table, { feature, level }: DesignColumn): void {
  const column = columns[feature]!;
  if (level === null) values.set(column);
  // A level is 0 and every other one 1: a cut at 0 takes the level to the left.
  else for (let row = 0; row < column.length; row++) values[row] = column[row] === level ? 0 : 1;
}

/**
 * A cut in steps of its column's range, the next step above it: so the row whose value it is stays on the left of the
 * threshold, x < t where the text has x ≤ c. A level's cut says nothing and is 0.
 */
function cutSteps(cut: number, { level, min, max }: DesignColumn): number {
  return level === null ? Math.floor(((cut - min) / (max - min)) * cutUnit) + 1 : 0;
}
