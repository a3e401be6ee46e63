import { cpus } from "node:os";
import { parseArgs } from "node:util";

export interface BenchOptions {
  /** One JSON object on standard output instead of a table. */
  readonly json: boolean;
  /** Runs of each side, taken in turns; the fastest of each counts. */
  readonly repeats: number;
}

export function parseBenchOptions(args: readonly string[], repeats: number): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean", default: false }, repeats: { type: "string" } },
  });
  const count = values.repeats === undefined ? repeats : Number(values.repeats);
  if (!Number.isInteger(count) || count < 1) throw new RangeError("--repeats is not a positive integer");
  return { json: values.json, repeats: count };
}

/** One comparison. `ratio` is undefined (in JSON: null, as `reference` and `pass`) without a reference. */
export interface BenchRow {
  readonly name: string;
  readonly ours: number;
  readonly reference: number | undefined;
  readonly ratio: number | undefined;
  readonly target: number;
  readonly pass: boolean | undefined;
}

interface BenchReport {
  readonly bench: string;
  /** What the numbers are, and in which unit. */
  readonly unit: string;
  readonly reference: string | undefined;
  /** Whether a ratio must be at least its target (speeds) or at most (times). */
  readonly better: "higher" | "lower";
  /** Which of the runs the figures are of; the best, unless given. */
  readonly statistic?: "best" | "median";
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}

export function compare(
  name: string,
  ours: number,
  reference: number | undefined,
  target: number,
  better: "higher" | "lower",
): BenchRow {
  if (reference === undefined) return { name, ours, reference, ratio: undefined, target, pass: undefined };
  const ratio = ours / reference;
  return {
    name,
    ours,
    reference,
    ratio,
    target,
    pass: better === "higher" ? ratio >= target : ratio <= target,
  };
}

const withoutReference = "NO REFERENCE: ONLY OUR OWN FIGURES FOLLOW, AND NOTHING IS CHECKED";

/** Prints a report; the process ends with 1 if a target was missed. */
export function printReport(report: BenchReport, options: BenchOptions): void {
  const missed = report.rows.some((row) => row.pass === false);
  if (missed) process.exitCode = 1;
  if (options.json) {
    if (report.reference === undefined) console.error(withoutReference);
    const whole = { ...report, machine: machine(), repeats: options.repeats, ok: !missed };
    console.log(JSON.stringify(whole, (_, value: unknown) => value ?? null));
    return;
  }
  console.log(
    `${report.bench}: ${report.unit}; ${report.statistic ?? "best"} of ${options.repeats}; ${machine()}`,
  );
  console.log(report.reference ?? withoutReference);
  const sign = report.better === "higher" ? "≥" : "≤";
  const lines = [
    ["", "ours", "reference", "ratio", "target", ""],
    ...report.rows.map((row) => [
      row.name,
      figure(row.ours),
      row.reference === undefined ? "-" : figure(row.reference),
      row.ratio === undefined ? "-" : `${row.ratio.toFixed(2)}×`,
      `${sign} ${row.target.toFixed(2)}×`,
      row.pass === undefined ? "not checked" : row.pass ? "pass" : "FAIL",
    ]),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  "),
    );
  }
  for (const note of report.notes) console.log(note);
}

function figure(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toPrecision(3);
}

function machine(): string {
  const list = cpus();
  return `${list.length} × ${list[0]?.model.trim() ?? "unknown processor"}, Node ${process.versions.node}`;
}

/** Uniform numbers in [-1, 1) that are the same every time. */
export function uniform(length: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

/** Whole numbers with commas between them. @throws RangeError with the usage, where one is below the least */
export function wholeNumbers(text: string, least: number, usage: string): number[] {
  return text.split(",").map((part) => {
    const number = Number(part);
    if (!Number.isInteger(number) || number < least)
      throw new RangeError(`${part}: at least ${least}\n${usage}`);
    return number;
  });
}

/** Upper of the two middle ones. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
