import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { type DpPcaStudy, dpPcaLayout } from "@consilium/methods/dp-pca/study";
import { syntheticRows } from "@consilium/methods/dp-pca/syntheticRows";
import { projectInto } from "@consilium/methods/shared/pca/projectInto";
import { capturedEnergy } from "@consilium/methods/shared/pca/subspace";
import { type ExactSums, simulateDpPca } from "@consilium/methods/testing/dpPcaSimulation";
import { type BallLine, compareBalls, numericTables } from "./dpPcaBalls.js";
import { type ReleasedPca, releasedPca } from "./dpPcaNetwork.js";
import {
  adultTable,
  clippedRows,
  covarianceOf,
  repeatableBytes,
  siteTables,
  type UtilityTable,
  utilityStudy,
  wdbcTable,
} from "./dpPcaTables.js";
import { UtilityNetwork } from "./utility/network.js";

/**
 * What dp-pca's release is worth: the energy that its components capture, relative to the best components of the
 * clipped rows, and the accuracy on real test rows of a linear SVM that was trained on its synthetic rows.
 *
 * The targets were measured by an independent central program in numpy with continuous noise of exactly σ. With five
 * sites, of which one may collude, the sum carries 1.25σ²; so the comparison runs at 1.25ρ, which makes the total
 * noise equal, and the figures at the nominal ε stand beside it. A mean over the seeds passes from the target less
 * max(0.01, two standard errors) on.
 *
 * Beside it, on tables of numbers alone: the declared centre and radius against a private choice of both. There a mean of what
 * `ball: auto` comes to passes from that of the declared form less the same tolerance on.
 */

const targetDelta = 1e-5;

interface Cell {
  readonly epsilon: number | null;
  readonly energy: number;
  readonly accuracy: number;
}

interface UtilityTarget {
  readonly data: "wdbc" | "adult";
  readonly components: number;
  readonly cells: readonly Cell[];
}

const cells = (table: [epsilon: number | null, energy: number, accuracy: number][]): Cell[] =>
  table.map(([epsilon, energy, accuracy]) => ({ epsilon, energy, accuracy }));

export const utilityTargets: readonly UtilityTarget[] = [
  {
    data: "wdbc",
    components: 2,
    cells: cells([
      [null, 1, 0.939],
      [0.1, 0.16, 0.6],
      [0.5, 0.69, 0.908],
      [1, 0.846, 0.925],
      [4, 0.99, 0.937],
    ]),
  },
  {
    data: "wdbc",
    components: 5,
    cells: cells([
      [null, 1, 0.966],
      [0.1, 0.29, 0.62],
      [0.5, 0.65, 0.923],
      [1, 0.785, 0.934],
      [4, 0.952, 0.957],
    ]),
  },
  {
    data: "adult",
    components: 10,
    cells: cells([
      [null, 1, 0.82],
      [0.05, 0.588, 0.785],
      [0.1, 0.783, 0.796],
      [0.25, 0.949, 0.813],
      [0.5, 0.985, 0.817],
      [1, 0.995, 0.817],
    ]),
  },
  {
    data: "adult",
    components: 20,
    cells: cells([
      [null, 1, 0.828],
      [0.05, 0.59, 0.803],
      [0.1, 0.737, 0.809],
      [0.25, 0.894, 0.825],
      [0.5, 0.965, 0.827],
      [1, 0.99, 0.828],
    ]),
  },
];

/** ε at which five sites with one colluder add as much noise in all as a centre does at `epsilon`. */
export function equalNoiseEpsilon(epsilon: number): number {
  const rho = 1.25 * rhoFromEpsilon({ epsilon, delta: targetDelta });
  return epsilonFromRho({ rho, delta: targetDelta });
}

interface Spread {
  readonly mean: number;
  /** Standard deviation over the runs. */
  readonly deviation: number;
  readonly runs: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / Math.max(1, values.length - 1)), runs: values.length };
}

/** Whether the mean is no worse than the target, to the tolerance of the comparison. */
export function reaches(spread: Spread, target: number): boolean {
  return spread.mean >= target - Math.max(0.01, (2 * spread.deviation) / Math.sqrt(spread.runs));
}

/** One run's reduced test rows and the synthetic rows to train on. */
interface Run {
  readonly energy: number;
  readonly train: { readonly values: Float64Array; readonly labels: Uint16Array };
  readonly test: Float64Array;
  readonly testLabels: readonly number[];
}

/** A table made ready: what depends on neither ε nor the noise. */
export class UtilityRuns {
  readonly #table: UtilityTable;
  readonly #kernels: NumericKernels;
  readonly #tables: ReturnType<typeof siteTables>;
  readonly #d: number;
  readonly #covariance: Float64Array;
  readonly #test: Float64Array;
  /** Exact sums by the grid that they are on. */
  readonly #exact = new Map<number, ExactSums>();
  readonly #best = new Map<number, number>();

  readonly #network: UtilityNetwork | null;

  /** @param network - where the studies run; null: in this process, without masks, which cancel */
  constructor(table: UtilityTable, kernels: NumericKernels, network: UtilityNetwork | null = null) {
    this.#table = table;
    this.#kernels = kernels;
    this.#network = network;
    this.#tables = siteTables(table);
    const study = utilityStudy(table, { components: 1, privacy: "none" });
    this.#d = dpPcaLayout(study).columns;
    this.#covariance = covarianceOf(clippedRows(study, table.train.rows), this.#d);
    this.#test = clippedRows(study, table.test.rows);
  }

  async run(components: number, epsilon: number | null, seed: string): Promise<Run> {
    const privacy = epsilon === null ? ("none" as const) : { epsilon, delta: targetDelta };
    const study = utilityStudy(this.#table, { components, privacy });
    const { loadings, values, labels } =
      this.#network === null
        ? await this.#simulated(study, seed)
        : await releasedPca(this.#network, study, this.#table);
    return {
      energy: capturedEnergy(loadings, this.#covariance) / (await this.#bestEnergy(components)),
      train: { values, labels },
      test: this.#reduced(loadings, components),
      testLabels: this.#table.test.labels,
    };
  }

  async #simulated(study: DpPcaStudy, seed: string): Promise<ReleasedPca> {
    const { gridExponent } = dpPcaLayout(study);
    const exact = this.#exact.get(gridExponent) ?? new Map();
    this.#exact.set(gridExponent, exact);
    const result = await simulateDpPca({
      study,
      tables: this.#tables,
      kernels: this.#kernels,
      random: repeatableBytes(seed),
      seed,
      exact,
    });
    const parts = [...syntheticRows({ classes: result.classes, rowsMost: 100_000, seed }).chunks()];
    return {
      loadings: result.subspace.loadings,
      values: Float64Array.from(parts.flatMap((part) => Array.from(part.values))),
      labels: Uint16Array.from(parts.flatMap((part) => Array.from(part.labels))),
    };
  }

  async #bestEnergy(components: number): Promise<number> {
    const known = this.#best.get(components);
    if (known !== undefined) return known;
    const { vectors } = await this.#kernels.symmetricEigen(this.#covariance, this.#d, components);
    const best = capturedEnergy(vectors, this.#covariance);
    this.#best.set(components, best);
    return best;
  }

  #reduced(loadings: Float64Array, k: number): Float64Array {
    const d = this.#d;
    const out = new Float64Array((this.#test.length / d) * k);
    for (let r = 0; r * k < out.length; r++) {
      projectInto(this.#test.subarray(r * d, (r + 1) * d), loadings, out.subarray(r * k, (r + 1) * k));
    }
    return out;
  }
}

const usage = `Usage: npm run bench -- dp-pca-utility [--data wdbc,adult] [--epsilon 0.05,1,none] [--seeds 10] [--balls] [--network] [--json]
With --balls only the declared ball beside the chosen one. With --network every run is a study of five hospitals, each a process of its own; else sums are made in this process.
Adult comes from CONSILIUM_DATASETS; the SVM from the Python that CONSILIUM_PYTHON names.`;

interface Line {
  readonly data: string;
  readonly components: number;
  readonly epsilon: number | null;
  readonly target: { readonly energy: number; readonly accuracy: number };
  readonly equalNoise: { readonly energy: Spread; readonly accuracy: Spread | null };
  readonly nominal: { readonly energy: Spread; readonly accuracy: Spread | null };
  readonly pass: boolean;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string", default: "wdbc,adult" },
      epsilon: { type: "string" },
      seeds: { type: "string", default: "10" },
      balls: { type: "boolean", default: false },
      network: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 5) throw new RangeError(`--seeds: a whole number from 5\n${usage}`);
  const names = values.data.split(",");
  if (!names.every((name) => name === "wdbc" || name === "adult")) throw new RangeError(usage);
  const wanted = values.epsilon?.split(",").map((text) => (text === "none" ? null : Number(text))) ?? null;
  if (wanted?.some((epsilon) => epsilon !== null && !(epsilon > 0))) throw new RangeError(usage);
  const kernels = await openSystemKernels();
  const python = process.env.CONSILIUM_PYTHON ?? "python3";
  const svm = !values.balls && (await hasSvm(python));
  const lines: Line[] = [];
  const balls: BallLine[] = [];
  try {
    for (const table of numericTables()) {
      for (const epsilon of wanted?.filter((one) => one !== null) ?? ballEpsilons) {
        balls.push(await compareBalls(table, epsilon, { seeds, kernels }));
        if (process.stderr.isTTY) process.stderr.write(`\r${table.name} ε=${epsilon}\u001b[K`);
      }
    }
    for (const name of values.balls ? [] : names) {
      const tables = tablesOf(name, seeds);
      if (tables === null) {
        console.error(`SKIPPED ${name}: set CONSILIUM_DATASETS to the folder that holds it`);
        continue;
      }
      const network = values.network ? await UtilityNetwork.open() : null;
      try {
        const runs = tables.map((table) => new UtilityRuns(table, kernels, network));
        for (const table of utilityTargets.filter(({ data }) => data === name)) {
          const cells = table.cells.filter(({ epsilon }) => wanted === null || wanted.includes(epsilon));
          const target = { ...table, cells };
          lines.push(...(await measure(target, runs, seeds, svm ? python : null)));
        }
      } finally {
        await network?.close();
      }
    }
  } finally {
    await kernels.close();
  }
  if (values.json)
    console.log(JSON.stringify({ bench: "dp-pca-utility", delta: targetDelta, seeds, lines, balls }));
  else console.log([...(values.balls ? [] : [markdown(lines, seeds), ""]), ballsMarkdown(balls)].join("\n"));
  if (lines.some(({ pass }) => !pass) || balls.some((line) => !holdsItsOwn(line))) process.exitCode = 1;
}

/** A table per seed: a fold of WDBC each, or Adult with its own split for all. */
function tablesOf(name: string, seeds: number): UtilityTable[] | null {
  if (name === "wdbc") return Array.from({ length: Math.min(10, seeds) }, (_, fold) => wdbcTable(fold));
  const adult = adultTable(process.env.CONSILIUM_DATASETS ?? null);
  return adult === null ? null : [adult];
}

async function measure(
  target: UtilityTarget,
  tables: readonly UtilityRuns[],
  seeds: number,
  python: string | null,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const cell of target.cells) {
    const at = async (epsilon: number | null) => {
      const runs: Run[] = [];
      // Without noise a table gives the same every time, but for its synthetic rows.
      for (let seed = 0; seed < seeds; seed++) {
        const name = `${target.data} ${target.components} ${epsilon} ${seed}`;
        runs.push(await tables[seed % tables.length]!.run(target.components, epsilon, name));
      }
      const accuracy = python === null ? null : spreadOf(await accuracies(python, runs, target.components));
      return { energy: spreadOf(runs.map(({ energy }) => energy)), accuracy };
    };
    const equalNoise = await at(cell.epsilon === null ? null : equalNoiseEpsilon(cell.epsilon));
    const nominal = cell.epsilon === null ? equalNoise : await at(cell.epsilon);
    lines.push({
      data: target.data,
      components: target.components,
      epsilon: cell.epsilon,
      target: { energy: cell.energy, accuracy: cell.accuracy },
      equalNoise,
      nominal,
      pass:
        reaches(equalNoise.energy, cell.energy) &&
        (equalNoise.accuracy === null || reaches(equalNoise.accuracy, cell.accuracy)),
    });
    if (process.stderr.isTTY)
      process.stderr.write(`\r${target.data} k=${target.components} ε=${cell.epsilon}\u001b[K`);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return lines;
}

async function hasSvm(python: string): Promise<boolean> {
  const found = await new Promise<boolean>((resolve) => {
    execFile(python, ["-c", "import numpy, sklearn"], (error) => resolve(error === null));
  });
  if (!found) {
    console.error(
      "NO SVM ACCURACY: no Python with numpy and scikit-learn; set CONSILIUM_PYTHON to one. Captured energy only.",
    );
  }
  return found;
}

/** scikit-learn's LinearSVC, trained on each run's synthetic rows and tested on its real ones. */
async function accuracies(python: string, runs: readonly Run[], components: number): Promise<number[]> {
  const folder = mkdtempSync(`${tmpdir()}/consilium-bench-`);
  const script = fileURLToPath(new URL("../src/synthetic_svm.py", import.meta.url));
  const write = (name: string, data: ArrayBufferView) => {
    writeFileSync(`${folder}/${name}`, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return `${folder}/${name}`;
  };
  try {
    const request = {
      components,
      runs: runs.map(({ train, test, testLabels }, i) => ({
        train: write(`${i}.train`, train.values),
        labels: write(`${i}.labels`, train.labels),
        test: write(`${i}.test`, test),
        testLabels,
      })),
    };
    writeFileSync(`${folder}/request.json`, JSON.stringify(request));
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        python,
        [script, `${folder}/request.json`],
        { maxBuffer: 2 ** 24 },
        (error, stdout, stderr) => {
          if (error) reject(new Error(`${script} failed: ${stderr.slice(-2000)}`, { cause: error }));
          else resolve(stdout);
        },
      );
    });
    return (JSON.parse(output) as { accuracy: number[] }).accuracy;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ballEpsilons = [0.25, 0.5, 1, 4];

/** Whether what `ball: auto` comes to captures no less than the declared form, to the tolerance of the comparison. */
export function holdsItsOwn(line: BallLine): boolean {
  return line.auto === "declared" || reaches(spreadOf(line.private), spreadOf(line.declared).mean);
}

function ballsMarkdown(lines: readonly BallLine[]): string {
  return [
    "Energy of the rows themselves that the components capture, of the most that as many can; ball declared and chosen. By hand:",
    "a declared ball that was chosen for the table.",
    "",
    "| table | rows | columns | ε | declared | private | by hand | auto is | |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |",
    ...lines.map((line) =>
      [
        "",
        line.table,
        line.rows,
        line.columns,
        line.epsilon,
        figure(spreadOf(line.declared)),
        figure(spreadOf(line.private)),
        figure(line.byHand === null ? null : spreadOf(line.byHand)),
        line.auto,
        holdsItsOwn(line) ? "pass" : "FAIL",
        "",
      ]
        .join(" | ")
        .trim(),
    ),
  ].join("\n");
}

const figure = (spread: Spread | null) =>
  spread === null ? "–" : `${spread.mean.toFixed(3)} ± ${spread.deviation.toFixed(3)}`;

function markdown(lines: readonly Line[], seeds: number): string {
  const both = (one: Line["nominal"]) => `${figure(one.energy)} / ${figure(one.accuracy)}`;
  return [
    `dp-pca, five sites of which one may collude, δ = ${targetDelta}, ${seeds} seeds. Relative captured energy / accuracy of a`,
    "linear SVM on real test rows, trained on synthetic rows; mean ± standard deviation.",
    "",
    "| data | k | ε | target | at equal total noise | at the nominal ε | |",
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ...lines.map(
      (line) =>
        `| ${line.data} | ${line.components} | ${line.epsilon ?? "none"} | ${line.target.energy} / ${line.target.accuracy} | ${both(line.equalNoise)} | ${both(line.nominal)} | ${line.pass ? "pass" : "FAIL"} |`,
    ),
  ].join("\n");
}
