import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure } from "@consilium/core/release/figures";
import { figureSvg } from "@consilium/publisher/formats/svg/figure";
import type { UtilityCell } from "./utility/cell.js";
import { utilityCells } from "./utility/cells.js";

const usage = `Usage: npm run bench -- utility [--method <part>] [--data <name>] [--seeds 5] [--to <folder>] [--json]

What every method is worth on real data, at equal total noise: means over seeds, five sites. Writes utility.md and a
plot for each method and data set, ε on the x axis, to --to (default bench/results).
`;

export interface UtilityResult extends Omit<UtilityCell, "run"> {
  readonly mean: number;
  /** Standard deviation over the seeds. */
  readonly deviation: number;
  readonly seeds: number;
  /** Null without a target. */
  readonly pass: boolean | null;
}

/** A mean reaches its target from the target less max(0.01, two standard errors) on. */
export function reaches(target: number, mean: number, deviation: number, seeds: number): boolean {
  return mean >= target - Math.max(0.01, (2 * deviation) / Math.sqrt(seeds));
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      method: { type: "string", default: "" },
      data: { type: "string", default: "" },
      seeds: { type: "string", default: "5" },
      to: { type: "string", default: "bench/results" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const seeds = Number(values.seeds);
  if (!Number.isSafeInteger(seeds) || seeds < 1) throw new RangeError(`--seeds is a whole number\n${usage}`);
  const cells = (await utilityCells()).filter(
    ({ method, data }) => method.includes(values.method) && data.includes(values.data),
  );
  if (cells.length === 0) throw new RangeError(`no cell has this method and data\n${usage}`);
  const results: UtilityResult[] = [];
  for (const cell of cells) {
    const result = await measured(cell, seeds);
    results.push(result);
    if (!values.json) console.log(lineOf(result));
  }
  await write(values.to, results, seeds);
  if (values.json) console.log(JSON.stringify({ bench: "utility", seeds, results }));
  if (results.some(({ pass }) => pass === false)) process.exitCode = 1;
}

async function measured(cell: UtilityCell, seeds: number): Promise<UtilityResult> {
  const { run: once, ...about } = cell;
  const values: number[] = [];
  for (let seed = 1; seed <= seeds; seed++) values.push(await once(seed));
  const mean = values.reduce((sum, value) => sum + value, 0) / seeds;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = seeds === 1 ? 0 : Math.sqrt(squares / (seeds - 1));
  const pass = cell.target === null ? null : reaches(cell.target, mean, deviation, seeds);
  return { ...about, mean, deviation, seeds, pass };
}

const epsilonText = (epsilon: number | null) => (epsilon === null ? "none" : `ε ${epsilon}`);

function lineOf(result: UtilityResult): string {
  const target = result.target === null ? "" : `, target ${result.target}${result.pass ? "" : ": MISSED"}`;
  const printed = result.published === undefined ? "" : `, published ${result.published}`;
  return `${result.method} (${result.variant}), ${result.data}, ${epsilonText(result.epsilon)}: ${result.metric} ${result.mean.toFixed(3)} ± ${result.deviation.toFixed(3)}${target}${printed}`;
}

async function write(folder: string, results: readonly UtilityResult[], seeds: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "utility.md"), markdown(results, seeds));
  for (const figure of figuresOf(results)) {
    await writeFile(join(folder, `${figure.name}.svg`), figureSvg(figure, undefined));
  }
}

function markdown(results: readonly UtilityResult[], seeds: number): string {
  const rows = results.map(
    (one) =>
      `| ${one.method} | ${one.variant} | ${one.data} | ${one.epsilon ?? "none"} | ${one.metric} | ${one.mean.toFixed(3)} | ${one.deviation.toFixed(3)} | ${one.target ?? ""} | ${one.pass === null ? "" : one.pass ? "yes" : "**no**"} | ${one.published ?? ""} |`,
  );
  return [
    "# Utility",
    "",
    `Five sites, equal total noise, means over ${seeds} seeds. A mean reaches its target from the target less max(0.01, two standard errors) on.`,
    "",
    "| method | variant | data | ε | metric | mean | sd | target | reached | published |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

/** One plot for each data set and metric: a line per method, and the figures without privacy as levels. */
function figuresOf(results: readonly UtilityResult[]): Figure[] {
  const plots = new Map<string, UtilityResult[]>();
  for (const result of results) {
    const key = `${result.data}\n${result.metric}`;
    plots.set(key, [...(plots.get(key) ?? []), result]);
  }
  return [...plots].flatMap(([key, cells]): Figure[] => {
    const epsilons = cells.flatMap(({ epsilon }) => (epsilon === null ? [] : [epsilon]));
    if (epsilons.length === 0) return [];
    const [least, most] = [Math.min(...epsilons), Math.max(...epsilons)];
    const lines = new Map<string, UtilityResult[]>();
    for (const cell of cells) {
      const label = `${cell.method}${cell.epsilon === null ? `, ${cell.variant === "baseline" ? "baseline" : "no privacy"}` : ""}`;
      lines.set(label, [...(lines.get(label) ?? []), cell]);
    }
    const series = [...lines].map(([label, line]) => {
      const isLevel = line.every(({ epsilon }) => epsilon === null);
      const at = (x: number, one: UtilityResult) => ({
        x,
        y: one.mean,
        low: isLevel ? null : one.mean - one.deviation,
        high: isLevel ? null : one.mean + one.deviation,
      });
      const points = isLevel
        ? [at(Math.log10(least), line[0]!), at(Math.log10(most), line[0]!)]
        : line
            .filter(({ epsilon }) => epsilon !== null)
            .sort((a, b) => a.epsilon! - b.epsilon!)
            .map((one) => at(Math.log10(one.epsilon!), one));
      return { label, style: isLevel ? ("reference" as const) : ("line-points" as const), points };
    });
    const [data, metric] = key.split("\n") as [string, string];
    return [
      {
        kind: "curves",
        name: key.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
        title: `${metric} on ${data}`,
        xLabel: "log10 ε",
        yLabel: metric,
        series: series.slice(0, 12),
      },
    ];
  });
}
