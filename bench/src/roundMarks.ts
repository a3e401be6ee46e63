import { atLeast, atMost, type Mark } from "./marks.js";

/** One sum: so many sites, and about so many entries. */
export interface Cell {
  readonly sites: number;
  readonly length: number;
}

/** Seconds of whole rounds; of a reference null where it was not measured. */
export interface RoundSeconds {
  readonly ours: number;
  readonly stream: number | null;
  readonly flower: number | null;
}

/** How many times faster than Flower's SecAgg+ a round must be, and how many times as long as the bare stream it may take. */
const marked: readonly (Cell & { readonly flowerLeast: number; readonly streamMost: number })[] = [
  { sites: 5, length: 1e5, flowerLeast: 10, streamMost: 8 },
  { sites: 10, length: 1e5, flowerLeast: 10, streamMost: 8 },
  { sites: 20, length: 1e6, flowerLeast: 8, streamMost: 5 },
];

/** The first round of fresh processes may take so many times a later one. */
const firstMost = 2;

export const markedCells: readonly Cell[] = marked.map(({ sites, length }) => ({ sites, length }));

/** Of a cell without marks, and of a reference that was not measured, nothing is said. */
export function marksOfCell(name: string, cell: Cell, seconds: RoundSeconds): Mark[] {
  const mark = marked.find(({ sites, length }) => sites === cell.sites && length === cell.length);
  if (mark === undefined) return [];
  const { ours, stream, flower } = seconds;
  return [
    ...(flower === null
      ? []
      : [atLeast(`${name}: times as fast as Flower's SecAgg+`, flower / ours, mark.flowerLeast)]),
    ...(stream === null
      ? []
      : [atMost(`${name}: times the seconds of the bare stream`, ours / stream, mark.streamMost)]),
  ];
}

export const markOfFirst = (name: string, firstMs: number, laterMs: number): Mark =>
  atMost(`${name}: the first round of fresh processes, times a later one`, firstMs / laterMs, firstMost);
