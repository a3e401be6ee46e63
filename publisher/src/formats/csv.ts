import { open } from "node:fs/promises";
import { type ReleaseColumn, releaseRowBytes } from "@consilium/core/release/content";
import type { Curve } from "@consilium/core/release/curves";
import type { ResultTable } from "@consilium/core/release/tables";
import { csvField, csvNumber } from "@consilium/release/v3/rows";
import { checkBlock, type DepositedRows, isMissingIn, placeColumns, readBlocks } from "./rows.js";

/** Empty where a row has no value. */
const numberCell = (column: ReleaseColumn, value: number) =>
  isMissingIn(column, value) ? "" : csvNumber(value);

/**
 * Writes data.csv: a header, then the rows in their order, CRLF after each [RFC4180].
 * @throws ConsiliumError DEPOSIT_INVALID on a value that no release holds, naming row and column
 */
export async function writeCsv(data: DepositedRows, path: string): Promise<void> {
  const placed = placeColumns(data.columns);
  const rowBytes = releaseRowBytes(data.columns);
  // Levels are quoted once, not once a row.
  const levels = data.columns.map((column) => (column.type === "level" ? column.levels.map(csvField) : []));
  const handle = await open(path, "wx", 0o644);
  try {
    await handle.writeFile(`${data.columns.map((column) => csvField(column.name)).join(",")}\r\n`);
    for await (const block of readBlocks(data)) {
      checkBlock(block, placed, rowBytes);
      let text = "";
      for (let row = 0; row < block.count; row++) {
        const start = row * rowBytes;
        for (let index = 0; index < placed.length; index++) {
          const { column, offset } = placed[index]!;
          if (index > 0) text += ",";
          text +=
            column.type === "number"
              ? numberCell(column, block.view.getFloat64(start + offset, true))
              : levels[index]![block.view.getUint16(start + offset, true)]!;
        }
        text += "\r\n";
      }
      await handle.writeFile(text);
    }
  } finally {
    await handle.close();
  }
}

/** A table of results: a header, then its rows, CRLF after each [RFC4180]; empty where a cell says nothing. */
export function tableCsv({ columns, rows }: ResultTable): string {
  const cell = (value: ResultTable["rows"][number][number]) =>
    value === null ? "" : typeof value === "number" ? csvNumber(value) : csvField(value);
  return [columns.map(({ name }) => csvField(name)), ...rows.map((row) => row.map(cell))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("");
}

/** The columns of curves.csv, with what each holds. */
export const curveColumns = [
  { name: "feature", type: "string", description: "The column that the curve is of." },
  { name: "from", type: "number", description: "Of a number, where the interval begins; empty of a level." },
  { name: "to", type: "number", description: "Where it ends, without the end itself; empty of a level." },
  { name: "level", type: "string", description: "Of a category, the level; empty of an interval." },
  {
    name: "log_odds",
    type: "number",
    description: "What it adds to the log-odds of the label's second level, against the mean row.",
  },
  { name: "std_dev", type: "number", description: "Standard deviation that the noise gives it." },
] as const;

/** curves.csv: a header, then a line for each interval or level of each feature, CRLF after each [RFC4180]. */
export function curvesCsv(curves: readonly Curve[]): string {
  const lines = curves.flatMap(({ feature, bins }) =>
    bins.map((bin) => {
      const place =
        "level" in bin ? ["", "", csvField(bin.level)] : [csvNumber(bin.from), csvNumber(bin.to), ""];
      return [csvField(feature), ...place, csvNumber(bin.logOdds), csvNumber(bin.stdDev)];
    }),
  );
  return [curveColumns.map(({ name }) => name), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}
