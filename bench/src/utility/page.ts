import type { UtilityCell } from "./cell.js";

/**
 * The tables of research/utility.md: what has been measured over the network is put into their network columns, and what
 * stood there moves beside it. All else on the page is people's.
 */

/** What a table shows of a cell, as its last columns have it. */
export interface ShownFigure {
  /** `0.947 ± 0.003 (5)`. */
  readonly text: string;
  readonly verdict: string;
  /** Whether it is worse than this mean by more than may be by chance. */
  readonly isWorse: (before: number) => boolean;
}

export interface PageChange {
  readonly page: string;
  /** Rows that are worse than what stood there by more than may be by chance. */
  readonly worse: readonly string[];
}

const beforeTitle = "network before";
/** Of a table that has no column of methods. */
const onlyMethod = "cart-dps-adaboost";
const metrics: Readonly<Record<string, string>> = {
  "3NN": "accuracy of 3NN",
  SVM: "accuracy of SVM",
  kept: "overlap with the choice without noise",
  warned: "warned of chance before anything is spent",
};

type FigureOf = (cell: UtilityCell) => ShownFigure | null;

/** @param figureOf - what was measured of a cell; null where nothing was */
export function pageWith(page: string, cells: readonly UtilityCell[], figureOf: FigureOf): PageChange {
  const worse: string[] = [];
  const blocks: string[][] = [];
  for (const line of page.split("\n")) {
    const block = blocks.at(-1);
    if (block !== undefined && isTable(block[0]!) && isTable(line)) block.push(line);
    else blocks.push([line]);
  }
  const changed = blocks.flatMap((lines) => {
    if (!isTable(lines[0]!)) return lines;
    const table = tableWith(lines.map(cellsOf), cells, figureOf);
    worse.push(...table.worse);
    return table.rows?.map((row) => `| ${row.join(" | ")} |`) ?? lines;
  });
  return { page: changed.join("\n"), worse };
}

const isTable = (line: string) => line.startsWith("| ");

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** @returns null as rows of a table that shows nothing of what was measured, or all of it already */
function tableWith(
  [titles, ruler, ...body]: readonly (readonly string[])[],
  cells: readonly UtilityCell[],
  figureOf: FigureOf,
): { readonly rows: readonly (readonly string[])[] | null; readonly worse: readonly string[] } {
  const at = titles!.indexOf("network");
  const unchanged = { rows: null, worse: [] };
  if (at === -1 || titles![0] !== "data") return unchanged;
  const hasBefore = titles!.includes(beforeTitle);
  // Of the line above: an empty cell means the same again.
  let [data, method] = ["", titles!.includes("method") ? "" : onlyMethod];
  const shown = body.map((row) => {
    const value = (title: string) => row[titles!.indexOf(title)] ?? "";
    data = value("data") || data;
    method = value("method") || method;
    const [epsilon, figure, before] = [
      value("ε"),
      value("figure"),
      value(hasBefore ? beforeTitle : "network"),
    ];
    const cell = cells.find(
      (one) =>
        one.data === data &&
        one.method === method &&
        String(one.epsilon ?? "none") === epsilon &&
        one.metric === (metrics[figure] ?? figure),
    );
    const name = [data, method, `ε ${epsilon}`, figure].join(", ");
    if (cell === undefined) throw new RangeError(`no cell is what this line of the page shows: ${name}`);
    return { row, name, before, now: figureOf(cell) };
  });
  if (shown.every(({ row, now }) => now === null || now.text === row[at])) return unchanged;
  const withBefore = (row: readonly string[], before: string) =>
    hasBefore || shown.every((one) => one.before === "") ? row : row.toSpliced(at, 0, before);
  const rows = shown.map(({ row, before, now }) => {
    const changed = [...row];
    changed[at] = now?.text ?? "";
    if (titles![at + 1] === "") changed[at + 1] = now?.verdict ?? "";
    return withBefore(changed, before);
  });
  const worse = shown.flatMap(({ name, before, now }) =>
    now !== null && before !== "" && now.isWorse(Number.parseFloat(before))
      ? [`${name}: ${now.text}, before ${before}`]
      : [],
  );
  return { rows: [withBefore(titles!, beforeTitle), withBefore(ruler!, "---"), ...rows], worse };
}
