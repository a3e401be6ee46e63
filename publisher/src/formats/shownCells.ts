import { intervalColumns } from "@consilium/core/release/intervalColumns";
import type { ResultTable } from "@consilium/core/release/tables";
import { decimalsOf, roundedTo } from "@consilium/words/rounding";
import { markdownText } from "./escape.js";

type Cells = ResultTable["rows"][number];

/** Rows of a table in Markdown: an estimate and the ends of its interval with the decimals that it bears; the files have all digits. */
export function shownCells(table: ResultTable, rows: readonly Cells[]): string[][] {
  const estimates = [...intervalColumns(table)];
  return rows.map((cells) => {
    const numberAt = (at: number) => {
      const cell = cells[at];
      return typeof cell === "number" ? cell : null;
    };
    const decimals = new Map(
      estimates.flatMap(([at, ends]) => {
        const [value, low, high] = [at, ...ends].map(numberAt) as [
          number | null,
          number | null,
          number | null,
        ];
        const own = decimalsOf({ value, low, high });
        return [at, ...ends].map((one): [number, number] => [one, own]);
      }),
    );
    return cells.map((cell, at) => {
      if (cell === null) return "";
      if (typeof cell === "string") return markdownText(cell);
      return rounded(cell, decimals.get(at) ?? decimalsOf({ value: cell, low: null, high: null }));
    });
  });
}

const rounded = (value: number, decimals: number) =>
  roundedTo(value, decimals).toFixed(Math.max(0, decimals));
