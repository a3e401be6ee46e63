import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure } from "@consilium/core/release/figures";
import { shownFigures } from "@consilium/core/release/shownFigures";
import { figureSvg } from "@consilium/publisher/formats/figureSvg";
import { utilitySites } from "./dpPcaTables.js";
import type { UtilityCell } from "./utility/cell.js";
import { utilityCells } from "./utility/cells.js";
import { askFewerSites, asksFewerSites } from "./utility/fewerSites.js";
import { studiesAtOnce, UtilityNetwork } from "./utility/network.js";
import { pageWith } from "./utility/page.js";

const usage = `Usage: npm run bench -- utility [--method <parts>] [--data <parts>] [--epsilon <list>]
         [--network] [--at-once 5] [--seeds 5] [--to <folder>] [--json]
         [--minimum-sites 3 [--roster-sites 5]] [--page research/utility.md] [--beside <folder>]

What every method is worth on real data, at equal total noise: means over seeds. All sites in one process; with --network
hospitals that are processes of their own, over mutual TLS, with the operating system's randomness, and one of ten folds for
each seed; --at-once of a cell's studies run side by side. --method and --data take parts of names with commas between; data sets come in the order given;
--epsilon takes values, none among them. Every figure is kept as
a line of utility.jsonl in --to (default bench/results): a run that was interrupted continues where it ended, and figures that
are to be measured again must be deleted. Writes utility.md and a plot for each data set, ε on the x axis, of all figures
that are there.

With --page nothing is measured: the figures over the network that are there are put into the page's tables, what stood in them
beside, and those that are worse than may be by chance are printed. A table of which nothing is there stays as it is.

With --beside nothing is measured either: the figures of one process in that folder and in --to are printed as a table.

With --minimum-sites studies run in one process, ask for so few of their sites, and run at the ε that is shown; their noise is
that of a roster of --roster-sites, by default of all. With as few as --minimum-sites it is what was added before the noise was
sized for the fewest sites that a sum of the whole roster can have. To a folder of its own.
`;

type Place = "one process" | "network";

interface UtilityResult extends Omit<UtilityCell, "run" | "sites">, Spread {
  readonly place: Place;
  readonly verdict: Verdict;
}

/**
 * `reached`: the target. `as central`: not the target, which was of few seeds, but the same program's figure over more, or
 * on the same folds. Null without a target.
 */
type Verdict = "reached" | "as central" | "missed" | null;

/** A line of utility.jsonl: one run of a cell. */
interface KeptFigure extends Pick<UtilityCell, "method" | "variant" | "data" | "epsilon" | "metric"> {
  readonly place: Place;
  readonly seed: number;
  readonly value: number;
}

interface Spread {
  readonly mean: number;
  /** Standard deviation over the seeds. */
  readonly deviation: number;
  readonly seeds: number;
}

/**
 * A mean reaches a figure from the figure less max(0.01, two standard errors) on; an error, up to the figure and max(a tenth of it, two
 * standard errors, what it is rounded by).
 */
function reaches(
  { isError }: Pick<UtilityCell, "isError">,
  figure: number,
  { mean, deviation, seeds }: Spread,
): boolean {
  const least = isError ? Math.max(figure / 10, 0.0005) : 0.01;
  const tolerance = Math.max(least, (2 * deviation) / Math.sqrt(seeds));
  return isError ? mean <= figure + tolerance : mean >= figure - tolerance;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      method: { type: "string", default: "" },
      data: { type: "string", default: "" },
      epsilon: { type: "string" },
      network: { type: "boolean", default: false },
      page: { type: "string" },
      beside: { type: "string" },
      "minimum-sites": { type: "string" },
      "roster-sites": { type: "string", default: String(utilitySites.length) },
      "at-once": { type: "string", default: String(studiesAtOnce) },
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
  const atOnce = Number(values["at-once"]);
  if (!Number.isSafeInteger(atOnce) || atOnce < 1 || atOnce > studiesAtOnce)
    throw new RangeError(`--at-once is a whole number from 1 to ${studiesAtOnce}\n${usage}`);
  if (values["minimum-sites"] !== undefined) {
    if (values.network) throw new RangeError(`--minimum-sites is for one process\n${usage}`);
    askFewerSites({
      minimumSites: Number(values["minimum-sites"]),
      rosterSites: Number(values["roster-sites"]),
    });
  }
  // Figures to reach are at equal noise.
  const cells = (await utilityCells()).map((cell) => (asksFewerSites() ? { ...cell, target: null } : cell));
  if (values.page !== undefined) {
    await writePage(values.page, cells, await KeptFigures.open(values.to));
    return;
  }
  if (values.beside !== undefined) {
    console.log(besideTable(cells, await KeptFigures.open(values.beside), await KeptFigures.open(values.to)));
    return;
  }
  const [methods, datas] = [values.method.split(","), values.data.split(",")];
  const epsilons = values.epsilon?.split(",");
  const asked = datas.flatMap((_, at) =>
    cells.filter(
      ({ method, data, epsilon }) =>
        methods.some((one) => method.includes(one)) &&
        (epsilons?.includes(String(epsilon ?? "none")) ?? true) &&
        datas.findIndex((one) => data.includes(one)) === at,
    ),
  );
  if (asked.length === 0) throw new RangeError(`no cell has this method, data and ε\n${usage}`);
  const kept = await KeptFigures.open(values.to);
  const networks = new Networks();
  const results: UtilityResult[] = [];
  try {
    for (const cell of asked) {
      const place = values.network ? "network" : "one process";
      const missing = Array.from({ length: seeds }, (_, i) => i + 1).filter(
        (seed) => !kept.has(cell, place, seed),
      );
      const network = values.network && missing.length > 0 ? await networks.of(cell.sites) : null;
      // In one process one after the other; hospitals answer several studies at once.
      const size = network === null ? 1 : atOnce;
      for (let from = 0; from < missing.length; from += size)
        await Promise.all(
          missing
            .slice(from, from + size)
            .map(async (seed) => kept.add(cell, place, seed, await cell.run(seed, network))),
        );
      const result = resultOf(cell, place, kept);
      results.push(result);
      if (!values.json) console.log(lineOf(result));
    }
  } finally {
    await networks.close();
  }
  await write(values.to, cells, kept);
  if (values.json) console.log(JSON.stringify({ bench: "utility", seeds, results }));
  if (results.some(({ verdict }) => verdict === "missed")) process.exitCode = 1;
}

/** All runs that have been measured, one process after another. */
class KeptFigures {
  readonly #path: string;
  readonly #values = new Map<string, Map<number, number>>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(folder: string): Promise<KeptFigures> {
    await mkdir(folder, { recursive: true });
    const kept = new KeptFigures(join(folder, "utility.jsonl"));
    const text = await readFile(kept.#path, "utf8").catch(() => "");
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const { place, seed, value, ...cell } = JSON.parse(line) as KeptFigure;
      kept.#seeds(cell, place).set(seed, value);
    }
    return kept;
  }

  #seeds(cell: Omit<KeptFigure, "place" | "seed" | "value">, place: Place): Map<number, number> {
    const { method, variant, data, epsilon, metric } = cell;
    const key = JSON.stringify([place, method, variant, data, epsilon, metric]);
    const seeds = this.#values.get(key) ?? new Map<number, number>();
    this.#values.set(key, seeds);
    return seeds;
  }

  has(cell: UtilityCell, place: Place, seed: number): boolean {
    return this.#seeds(cell, place).has(seed);
  }

  of(cell: UtilityCell, place: Place): number[] {
    return [...this.#seeds(cell, place).values()];
  }

  async add(cell: UtilityCell, place: Place, seed: number, value: number): Promise<void> {
    const { method, variant, data, epsilon, metric } = cell;
    const figure: KeptFigure = { place, method, variant, data, epsilon, metric, seed, value };
    await appendFile(this.#path, `${JSON.stringify(figure)}\n`);
    this.#seeds(cell, place).set(seed, value);
  }
}

/** The hospitals of the cells, started when the first cell asks for them. */
class Networks {
  readonly #open = new Map<string, UtilityNetwork>();

  async of(sites: readonly string[] | undefined): Promise<UtilityNetwork> {
    const key = sites?.join() ?? "";
    const known = this.#open.get(key) ?? (await UtilityNetwork.open(sites));
    this.#open.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((network) => network.close()));
  }
}

function resultOf(cell: UtilityCell, place: Place, kept: KeptFigures): UtilityResult {
  const { run: _run, sites: _sites, ...about } = cell;
  const values = kept.of(cell, place);
  const seeds = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / seeds;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = seeds < 2 ? 0 : Math.sqrt(squares / (seeds - 1));
  const spread = { mean, deviation, seeds };
  return { ...about, place, ...spread, verdict: verdictOf() };

  function verdictOf(): Verdict {
    if (cell.target === null) return null;
    if (reaches(cell, cell.target, spread)) return "reached";
    const again = (place === "network" ? cell.onFolds : undefined) ?? cell.again;
    return again !== undefined && reaches(cell, again, spread) ? "as central" : "missed";
  }
}

const epsilonText = (epsilon: number | null) => (epsilon === null ? "none" : `ε ${epsilon}`);

function lineOf(result: UtilityResult): string {
  const target =
    result.target === null
      ? ""
      : `, target ${result.target}${result.verdict === "reached" ? "" : `: ${result.verdict}`}`;
  const printed = result.published === undefined ? "" : `, published ${result.published}`;
  return `${result.method} (${result.variant}), ${result.data}, ${epsilonText(result.epsilon)}: ${result.metric} ${result.mean.toFixed(3)} ± ${result.deviation.toFixed(3)}${target}${printed}`;
}

async function writePage(path: string, cells: readonly UtilityCell[], kept: KeptFigures): Promise<void> {
  const { page, worse } = pageWith(await readFile(path, "utf8"), cells, (cell) => {
    if (kept.of(cell, "network").length === 0) return null;
    const { verdict, ...spread } = resultOf(cell, "network", kept);
    return {
      text: spreadText(spread),
      verdict: verdictText(verdict),
      isWorse: (before) => !reaches(cell, before, spread),
    };
  });
  await writeFile(path, page);
  for (const line of worse) console.log(line);
}

/** Of the cells that both have. */
function besideTable(cells: readonly UtilityCell[], before: KeptFigures, now: KeptFigures): string {
  const text = (cell: UtilityCell, kept: KeptFigures) => spreadText(resultOf(cell, "one process", kept));
  const rows = cells
    .filter((cell) => [before, now].every((kept) => kept.of(cell, "one process").length > 0))
    .map(
      (cell) =>
        `| ${cell.data} | ${cell.method} | ${cell.metric} | ${text(cell, before)} | ${text(cell, now)} |`,
    );
  return ["| data | method | figure | before | now |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

const spreadText = ({ mean, deviation, seeds }: Spread) =>
  `${mean.toFixed(3)} ± ${deviation.toFixed(3)} (${seeds})`;

const verdictText = (verdict: Verdict) => (verdict === "missed" ? "**missed**" : (verdict ?? ""));

async function write(folder: string, cells: readonly UtilityCell[], kept: KeptFigures): Promise<void> {
  const measured = (place: Place) =>
    cells.filter((cell) => kept.of(cell, place).length > 0).map((cell) => resultOf(cell, place, kept));
  const [simulated, network] = [measured("one process"), measured("network")];
  await writeFile(join(folder, "utility.md"), markdown(cells, kept));
  for (const figure of shownFigures(figuresOf(simulated), null)) {
    await writeFile(join(folder, `${figure.name}.svg`), figureSvg(figure));
  }
  for (const figure of shownFigures(figuresOf(network), null)) {
    await writeFile(join(folder, `${figure.name}-network.svg`), figureSvg(figure));
  }
}

function markdown(cells: readonly UtilityCell[], kept: KeptFigures): string {
  const figures = (cell: UtilityCell, place: Place) => {
    if (kept.of(cell, place).length === 0) return " | ";
    const { verdict, ...spread } = resultOf(cell, place, kept);
    return `${spreadText(spread)} | ${verdictText(verdict)}`;
  };
  const rows = cells
    .filter((cell) => kept.of(cell, "one process").length + kept.of(cell, "network").length > 0)
    .map(
      (one) =>
        `| ${one.data} | ${one.method} | ${one.variant} | ${one.epsilon ?? "none"} | ${one.metric} | ${one.target ?? ""} | ${one.again ?? ""} | ${one.onFolds ?? ""} | ${figures(one, "one process")} | ${figures(one, "network")} | ${one.published ?? ""} |`,
    );
  return [
    "# Utility",
    "",
    "Means ± standard deviations over runs (how many), at equal total noise. Target: an independent central program's. Again: the same program over more seeds; on folds: on those folds that the network ran. A mean reaches a figure from that figure less max(0.01, two standard errors) on, an error up to the figure and max(a tenth of it, two standard errors); `as central` is what misses the target and reaches the program's other figure.",
    "",
    "| data | method | variant | ε | metric | target | again | on folds | one process | | network | | published |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
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
