import seedrandom from "seedrandom";
import type { TreeModel } from "./treeModel.js";

/**
 * Rows drawn from a released model and a public seed, in place of records: they tell nothing more of anybody, and everybody can draw
 * them again (docs/methods/synthetic-table.md#draw).
 */

/** Rows that are drawn together: shares of them are exact to a row. */
const chunkRows = 65_536;

export interface DrawnRows {
  readonly rows: number;
  /** Of each column, [rows] cells. */
  readonly cells: readonly Uint16Array[];
}

/** @param seed - public text; the same seed and model give the same rows */
export function* drawnRows(
  model: Pick<TreeModel, "margins" | "conditionals" | "parents" | "order">,
  rows: number,
  seed: string,
): Generator<DrawnRows> {
  const generator = seedrandom(`${seed} cells`);
  const uniform = () => generator.double();
  for (let from = 0; from < rows; from += chunkRows) {
    const count = Math.min(chunkRows, rows - from);
    yield { rows: count, cells: drawnColumns(model, count, uniform) };
  }
}

function drawnColumns(
  { margins, conditionals, parents, order }: Parameters<typeof drawnRows>[0],
  rows: number,
  uniform: () => number,
): Uint16Array[] {
  const cells: Uint16Array[] = margins.map(() => new Uint16Array(rows));
  for (const column of order) {
    const conditional = conditionals[column];
    if (conditional === null || conditional === undefined) {
      cells[column] = dealt(margins[column]!, rows, uniform);
      continue;
    }
    const width = margins[column]!.length;
    const given = cells[parents[column]!]!;
    for (const [cell, own] of placesByCell(given, margins[parents[column]!]!.length).entries()) {
      const drawn = dealt(conditional.subarray(cell * width, (cell + 1) * width), own.length, uniform);
      own.forEach((row, i) => {
        cells[column]![row] = drawn[i]!;
      });
    }
  }
  return cells;
}

function placesByCell(cells: Uint16Array, size: number): Uint32Array[] {
  const counts = new Uint32Array(size);
  for (const cell of cells) counts[cell]!++;
  const places = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  cells.forEach((cell, row) => {
    places[cell]![counts[cell]!++] = row;
  });
  return places;
}

/**
 * Cells in random order, as many of each as its part of them is, up or down to a whole number, which one draw decides for all cells: the
 * expected number is the part exactly [Mad49].
 */
export function dealt(parts: Float64Array, count: number, uniform: () => number): Uint16Array {
  const out = new Uint16Array(count);
  if (count === 0) return out;
  const start = uniform();
  const last = parts.findLastIndex((part) => part > 0);
  let [sum, at] = [0, 0];
  for (let cell = 0; cell <= last; cell++) {
    sum += parts[cell]!;
    const end = cell === last ? count : Math.min(count, Math.floor(count * sum + start));
    if (end > at) out.fill(cell, at, end);
    at = Math.max(at, end);
  }
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    const kept = out[i]!;
    out[i] = out[j]!;
    out[j] = kept;
  }
  return out;
}
