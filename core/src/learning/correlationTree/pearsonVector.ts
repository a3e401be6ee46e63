import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import { noNode } from "../../linalg/histograms.js";
import type { ColumnBlock, DesignColumn } from "../../study/design.js";
import { correlationUnit, cutUnit, type PearsonTreeStudy, pearsonLayout } from "../../study/pearsonTree.js";
import type { SiteInput } from "../sums.js";
import { largestCorrelations } from "./largestCorrelations.js";
import { heldOutCounts, leafCounts, trainingRows } from "./leafCounts.js";
import {
  askedAttributes,
  binnedTree,
  isClosed,
  type PearsonLevel,
  pearsonLevelsAbove,
} from "./pearsonSplits.js";
import { placedRows } from "./treeSoFar.js";

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
  const { levels, leaves, evaluation } = pearsonLayout(study);
  const { depth } = study.parameters;
  if (id === leaves.id || id === evaluation?.id) {
    const tree = binnedTree(study, pearsonLevelsAbove(input.broadcasts, depth, study));
    const place = (block: ColumnBlock) => placedRows(block, tree.levels, tree.features).nodes;
    const counts = id === leaves.id ? leafCounts(study, input, place) : heldOutCounts(study, input, place);
    return BigUint64Array.from(await counts, BigInt);
  }
  const level = levels.findIndex((stage) => stage.id === id);
  if (level === -1) throw new ConsiliumError("MESSAGE_UNEXPECTED", `pearson-tree has no sum stage ${id}`);
  const above = pearsonLevelsAbove(input.broadcasts, level, study);
  return levelVector(study, above, await tableOf(study, above, input));
}

/** A site's training rows in memory, and the node that each is at; `noNode` where the tree has ended above. */
interface Table {
  readonly columns: readonly Float64Array[];
  readonly labels: Uint16Array;
  readonly nodes: Uint16Array;
}

async function tableOf(
  study: PearsonTreeStudy,
  above: readonly PearsonLevel[],
  input: SiteInput,
): Promise<Table> {
  const tree = binnedTree(study, above);
  const closed = Array.from({ length: 2 ** above.length }, (_, v) => isClosed(above, above.length, v));
  const parts: Table[] = [];
  for await (const block of trainingRows(study, input)) {
    const { nodes } = placedRows(block, tree.levels, tree.features);
    parts.push({
      columns: block.columns.map((column) => column.slice(0, block.rows)),
      labels: block.labels!.slice(0, block.rows),
      nodes: nodes.map((node) => (closed[node]! ? noNode : node)),
    });
  }
  return {
    columns: study.features.map((_, f) =>
      joined(
        parts.map(({ columns }) => columns[f]!),
        Float64Array,
      ),
    ),
    labels: joined(
      parts.map(({ labels }) => labels),
      Uint16Array,
    ),
    nodes: joined(
      parts.map(({ nodes }) => nodes),
      Uint16Array,
    ),
  };
}

function joined<T extends Float64Array | Uint16Array>(
  parts: readonly T[],
  make: new (length: number) => T,
): T {
  const whole = new make(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function levelVector(study: PearsonTreeStudy, above: readonly PearsonLevel[], table: Table): BigUint64Array {
  const { attributes, classes, nodeLength } = pearsonLayout(study);
  const { partitions } = study.parameters;
  const nodes = 2 ** above.length;
  const sums = new Float64Array(nodes * nodeLength);
  for (let r = 0; r < table.nodes.length; r++) {
    if (table.nodes[r] !== noNode) sums[table.nodes[r]! * nodeLength + table.labels[r]!]!++;
  }
  const asked = askedAttributes(above);
  for (let subset = 0; subset < partitions; subset++) {
    const rows = rowsOf(table.nodes, subset, partitions);
    for (const node of new Set(Array.from(rows, (row) => table.nodes[row]!)))
      sums[node * nodeLength + classes]!++;
    for (const [a, attribute] of attributes.entries()) {
      if (asked.has(a)) continue;
      const values = valuesOf(table, attribute);
      const found = largestCorrelations({ ...table, values, rows, nodeCount: nodes, classes });
      for (let node = 0; node < nodes; node++) {
        const correlation = found.correlations[node]!;
        if (correlation === 0) continue;
        const at = node * nodeLength + classes + 1 + 3 * a;
        sums[at]! += Math.round(correlation * correlationUnit);
        sums[at + 1]! += cutSteps(found.cuts[node]!, attribute);
        sums[at + 2]!++;
      }
    }
  }
  return BigUint64Array.from(sums, BigInt);
}

/** Every p-th row of the table from the subset's number on, without rows where the tree has ended. */
function rowsOf(nodes: Uint16Array, subset: number, partitions: number): Uint32Array {
  const rows: number[] = [];
  for (let row = subset; row < nodes.length; row += partitions) if (nodes[row] !== noNode) rows.push(row);
  return Uint32Array.from(rows);
}

function valuesOf({ columns }: Table, { feature, level }: DesignColumn): Float64Array {
  const column = columns[feature]!;
  // A level is 0 and every other one 1: a cut at 0 takes the level to the left.
  return level === null ? column : column.map((value) => (value === level ? 0 : 1));
}

/**
 * A cut in steps of its column's range, the next step above it: so the row whose value it is stays on the left of the
 * threshold, x < t where the text has x ≤ c. A level's cut says nothing and is 0.
 */
function cutSteps(cut: number, { level, min, max }: DesignColumn): number {
  return level === null ? Math.floor(((cut - min) / (max - min)) * cutUnit) + 1 : 0;
}
