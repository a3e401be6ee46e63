import type { UtilityCell } from "./cell.js";

/**
 * The tables of docs/methods/utility.md: what has been measured over the network is put into their network columns, and what
 * stood there moves beside it. All else on the page is people's.
 */

/** What a table shows of a cell, as its last columns have it. */
export interface ShownFigure {
  /** `0.947 ± 0.003 (5)`. */
  readonly text: string;
  readonly verdict: string;
  readonly mean: number;
  /** Within which the mean may fall short: max(0.01, two standard errors). */
  readonly tolerance: number;
}

export interface PageChange {
  readonly page: string;
  /** Rows whose new mean is below what stood there by more than the tolerance. */
  readonly below: readonly string[];
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

/** @param figureOf - what was measured of a cell; null where nothing was */
export function pageWith(
  page: string,
  cells: readonly UtilityCell[],
  figureOf: (cell: UtilityCell) => ShownFigure | null,
): PageChange {
  const below: string[] = [];
  let table: Table | null = null;
  const lines = page.split("\n").map((line) => {
    const row = cellsOf(line);
    if (row === null || table === null) {
      table = row === null ? null : new Table(row);
      return table === null ? line : table.header();
    }
    if (!table.isShown) return line;
    if (row.every((one) => /^-+:?$/.test(one))) return table.ruler(row);
    const asked = table.read(row);
    const cell = cells.find(
      ({ data, method, epsilon, metric }) =>
        data === asked.data &&
        method === asked.method &&
        String(epsilon ?? "none") === asked.epsilon &&
        metric === (metrics[asked.figure] ?? asked.figure),
    );
    if (cell === undefined) throw new RangeError(`no cell is what this line of the page shows: ${line}`);
    const shown = figureOf(cell);
    if (shown !== null && shown.mean < Number.parseFloat(asked.before) - shown.tolerance)
      below.push(
        `${asked.data}, ${asked.method}, ε ${asked.epsilon}, ${asked.figure}: ${shown.text}, before ${asked.before}`,
      );
    return table.row(row, asked.before, shown);
  });
  return { page: lines.join("\n"), below };
}

/** A table of the page, line by line. */
class Table {
  readonly #titles: readonly string[];
  readonly #at: number;
  readonly #hasBefore: boolean;
  /** Of the line above: an empty cell means the same again. */
  #data = "";
  #method = "";

  constructor(titles: readonly string[]) {
    this.#titles = titles;
    this.#at = titles.indexOf("network");
    this.#hasBefore = titles.includes(beforeTitle);
    if (!titles.includes("method")) this.#method = onlyMethod;
  }

  /** Whether it has figures over the network. */
  get isShown(): boolean {
    return this.#at !== -1 && this.#titles[0] === "data";
  }

  header(): string {
    return lineOf(this.isShown ? this.#with(this.#titles, beforeTitle) : this.#titles);
  }

  ruler(row: readonly string[]): string {
    return lineOf(this.#with(row, "---"));
  }

  read(row: readonly string[]) {
    const value = (title: string) => row[this.#titles.indexOf(title)] ?? "";
    this.#data = value("data") || this.#data;
    this.#method = value("method") || this.#method;
    const before = value(this.#hasBefore ? beforeTitle : "network");
    return { data: this.#data, method: this.#method, epsilon: value("ε"), figure: value("figure"), before };
  }

  row(row: readonly string[], before: string, shown: ShownFigure | null): string {
    const changed = [...row];
    changed[this.#at] = shown?.text ?? "";
    if (this.#titles[this.#at + 1] === "") changed[this.#at + 1] = shown?.verdict ?? "";
    return lineOf(this.#with(changed, before));
  }

  #with(row: readonly string[], before: string): readonly string[] {
    return this.#hasBefore ? row : row.toSpliced(this.#at, 0, before);
  }
}

/** The cells of a table's line; null for another line. */
function cellsOf(line: string): string[] | null {
  return line.startsWith("| ")
    ? line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    : null;
}

const lineOf = (row: readonly string[]) => `| ${row.join(" | ")} |`;
