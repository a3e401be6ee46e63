import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { capturedEnergy, principalSubspace } from "@consilium/methods/shared/pca/subspace";
import {
  type SimulatedMoments,
  simulateMoments,
  simulateSubspace,
} from "@consilium/methods/testing/simulatePca";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import type { Scatter } from "@consilium/methods-paper/elfed-pca/covariance";
import { pcaZeroThresholds } from "@consilium/methods-paper/elfed-pca/moments";
import { analysisColumns, fillNormalised } from "@consilium/methods-paper/elfed-pca/normalise";
import { ownNoise, publishedStdDev } from "@consilium/methods-paper/elfed-pca/sharedNoise";
import { asPaperPca, type PaperPcaStudy } from "@consilium/methods-paper/elfed-pca/study";
import seedrandom from "seedrandom";
import { columnMeans, type PcaTable, pcaTables } from "./pcaTables.js";

/**
 * What the reduced data are worth: captured energy, relative to PCA of the pooled rows without noise, and the
 * accuracy of a linear SVM on the reduced rows, for pooled DP (one centre holds all rows and adds noise),
 * ELFedPCA (with pooled scaling, and with the article's own, whose sum of s covariances makes the noise s times too
 * small), DPdisPCA and no noise, over ε. The federated methods run through the product's own vectors, codec and
 * decompositions, in one process.
 *
 * Two preparations. `rows of length 1` is what the product does. `rows over the largest length` is what the authors
 * of DPdisPCA do; only there can our figures stand beside theirs.
 */

export const pcaEpsilons = [0.1, 0.5, 1, 5, 10];
const methods = ["pooled DP", "ELFedPCA", "ELFedPCA, scaling: site", "DPdisPCA"] as const;
type Method = (typeof methods)[number];

/** Rows that the SVM sees at most, and the share that it is trained on. */
const svmRows = 3000;
const svmTrainShare = 0.7;

const usage = `Usage: npm run bench -- pca-utility [--data name,name] [--repetitions 5] [--delta 0.01] [--json]
Data: ${Object.keys(pcaTables).join(", ")}. All but the first and synthetic come from CONSILIUM_DATASETS.`;

interface Row {
  readonly method: string;
  /** Per ε, or one figure where ε does not matter. */
  readonly energy: readonly (number | null)[];
  readonly accuracy: readonly (number | null)[];
}

export interface Report {
  readonly data: string;
  readonly preparation: string;
  readonly rows: number;
  readonly columns: number;
  readonly sites: number;
  readonly components: number;
  readonly results: readonly Row[];
  /** What to bear in mind beside the published figures; null without any. */
  readonly note: string | null;
  readonly seconds: number;
}

/** A table made ready: what depends on neither noise nor ε. */
interface Prepared {
  readonly preparation: string;
  readonly simulated: SimulatedMoments;
  /** What energy is measured with, [d × d]. */
  readonly covariance: Float64Array;
  /** The rows that are reduced, [rows × d]; null where no accuracy is asked. */
  readonly rows: Float64Array | null;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      repetitions: { type: "string", default: "5" },
      delta: { type: "string", default: "0.01" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const repetitions = Number(values.repetitions);
  const delta = Number(values.delta);
  if (!Number.isInteger(repetitions) || repetitions < 1)
    throw new RangeError(`--repetitions: a whole number from 1\n${usage}`);
  if (!(delta > 0 && delta < 1)) throw new RangeError(`--delta: between 0 and 1\n${usage}`);
  const names = values.data?.split(",") ?? Object.keys(pcaTables);
  const unknown = names.find((name) => !Object.hasOwn(pcaTables, name));
  if (unknown !== undefined) throw new RangeError(`--data: no table "${unknown}"\n${usage}`);

  const svm = await openSvm();
  const reports: Report[] = [];
  try {
    for await (const report of pcaReports({ names, svm, repetitions, delta })) {
      reports.push(report);
      if (!values.json) console.log(markdown(report, delta, repetitions));
    }
  } finally {
    svm?.close();
  }
  if (values.json)
    console.log(
      JSON.stringify({
        bench: "pca-utility",
        delta,
        repetitions,
        epsilons: pcaEpsilons,
        svm: svm !== null,
        reports,
      }),
    );
}

/** Every table in each of its preparations; a table that is not at hand is named on standard error. */
export async function* pcaReports(options: {
  readonly names: readonly string[];
  /** Null: no accuracy. */
  readonly svm: Svm | null;
  readonly repetitions: number;
  readonly delta: number;
}): AsyncGenerator<Report> {
  const { names, svm, repetitions, delta } = options;
  const kernels = await openSystemKernels();
  try {
    for (const name of names) {
      const table = pcaTables[name]!(process.env.CONSILIUM_DATASETS ?? null);
      if (table === null) {
        console.error(`SKIPPED ${name}: set CONSILIUM_DATASETS to the folder that holds it`);
        continue;
      }
      for (const prepare of [unitRows, ...(table.published === null ? [] : [authorsRows])])
        yield await measure({ table, prepare, kernels, svm, repetitions, delta });
    }
  } finally {
    await kernels.close();
  }
}

async function measure(options: {
  readonly table: PcaTable;
  readonly prepare: (table: PcaTable, kernels: NumericKernels) => Promise<Prepared>;
  readonly kernels: NumericKernels;
  readonly svm: Svm | null;
  readonly repetitions: number;
  readonly delta: number;
}): Promise<Report> {
  const { table, prepare, kernels, svm, repetitions, delta } = options;
  const started = performance.now();
  const prepared = await prepare(table, kernels);
  const d = table.bounds.length;
  const k = table.components;
  const best = await simulate(table, "elfed-pca", "none", prepared, "", kernels);
  const unlimited = capturedEnergy(best, prepared.covariance);
  const relative = (loadings: Float64Array) => capturedEnergy(loadings, prepared.covariance) / unlimited;

  // Everything whose accuracy is asked, in one request: [without noise, DPdisPCA without noise, method × ε × run].
  const all: Float64Array[] = [best, await simulate(table, "dpdis-pca", "none", prepared, "", kernels)];
  for (const method of methods) {
    for (const epsilon of pcaEpsilons) {
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const seed = `${table.name} ${prepared.preparation} ${method} ${epsilon} ${repetition}`;
        all.push(await reduce({ table, prepared, method, privacy: { epsilon, delta }, seed, kernels }));
      }
      if (process.stderr.isTTY) {
        process.stderr.write(`\r${table.name}: ${method}, ε = ${epsilon}\u001b[K`);
      }
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const energies = all.map(relative);
  const accuracies =
    svm === null || prepared.rows === null || table.labels === null
      ? all.map(() => null)
      : await svm.accuracies({ rows: prepared.rows, columns: d, labels: table.labels, loadings: all });

  const cells = (values: readonly (number | null)[], method: number) =>
    pcaEpsilons.map((_, e) => {
      const start = 2 + (method * pcaEpsilons.length + e) * repetitions;
      return mean(values.slice(start, start + repetitions));
    });
  const results: Row[] = [
    { method: "no noise, pooled and federated", energy: [energies[0]!], accuracy: [accuracies[0]!] },
    { method: "no noise, DPdisPCA", energy: [energies[1]!], accuracy: [accuracies[1]!] },
    ...methods.map((method, m) => ({ method, energy: cells(energies, m), accuracy: cells(accuracies, m) })),
  ];
  if (prepared.preparation === authorsPreparation) {
    for (const [method, figures] of Object.entries(table.published?.figures ?? {})) {
      results.push({ method: `${method}, published`, energy: figures, accuracy: figures.map(() => null) });
    }
  }
  return {
    data: table.name,
    preparation: prepared.preparation,
    rows: table.siteRows.reduce((sum, rows) => sum + rows, 0),
    columns: d,
    sites: table.siteRows.length,
    components: k,
    results,
    note: prepared.preparation === authorsPreparation ? (table.published?.difference ?? null) : null,
    seconds: (performance.now() - started) / 1000,
  };
}

async function reduce(options: {
  readonly table: PcaTable;
  readonly prepared: Prepared;
  readonly method: Method;
  readonly privacy: { readonly epsilon: number; readonly delta: number };
  readonly seed: string;
  readonly kernels: NumericKernels;
}): Promise<Float64Array> {
  const { table, prepared, method, privacy, seed, kernels } = options;
  switch (method) {
    case "pooled DP":
      return pooledDp(table, prepared, privacy, seed, kernels);
    case "ELFedPCA":
      return simulate(table, "elfed-pca", privacy, prepared, seed, kernels);
    case "ELFedPCA, scaling: site":
      return simulate(table, "elfed-pca", privacy, prepared, seed, kernels, "site");
    case "DPdisPCA":
      return simulate(table, "dpdis-pca", privacy, prepared, seed, kernels);
  }
}

/** One centre: XᵀX/n plus one noise matrix at τ of all n rows (`my_AG.m` of the authors). */
async function pooledDp(
  table: PcaTable,
  prepared: Prepared,
  privacy: { readonly epsilon: number; readonly delta: number },
  seed: string,
  kernels: NumericKernels,
): Promise<Float64Array> {
  const d = table.bounds.length;
  const { moments, scatters } = prepared.simulated;
  const noisy = ownNoise(reproducible(seed), d, publishedStdDev({ ...privacy, rows: moments.n }));
  for (const { matrix } of scatters) {
    for (let p = 0; p < noisy.length; p++) noisy[p]! += matrix[p]! / moments.n;
  }
  return (await principalSubspace(noisy, d, table.components, kernels)).loadings;
}

async function simulate(
  table: PcaTable,
  method: PaperPcaStudy["method"],
  privacy: Study["privacy"],
  prepared: Prepared,
  seed: string,
  kernels: NumericKernels,
  scaling: PaperPcaStudy["parameters"]["scaling"] = "pooled",
): Promise<Float64Array> {
  const study = studyOf(table, method, privacy, scaling);
  const random = reproducible(seed);
  const sharedSeed = method === "elfed-pca" && privacy !== "none" ? random.bytes(32) : null;
  const { simulated } = prepared;
  return (await simulateSubspace({ study, simulated, sharedSeed, random, kernels })).subspace.loadings;
}

function studyOf(
  table: PcaTable,
  method: PaperPcaStudy["method"],
  privacy: Study["privacy"],
  scaling: PaperPcaStudy["parameters"]["scaling"] = "pooled",
): PaperPcaStudy {
  const study = unwrap(
    parseStudy({
      name: "utility",
      table: "t",
      features: table.bounds.map(([min, max], j) => ({ name: `x${j}`, type: "numeric", min, max })),
      analysis: "pca",
      method,
      variant: "paper",
      parameters: { components: table.components, scale: "declared", scaling },
      privacy,
      participation: { maxRowsPerSite: 100_000 },
    }),
  );
  return asPaperPca(study);
}

/** As the product prepares rows: mapped to their declared bounds, centred, each divided by its length. */
async function unitRows(table: PcaTable, kernels: NumericKernels): Promise<Prepared> {
  const study = studyOf(table, "elfed-pca", "none");
  const tables = siteBlocks(table);
  const simulated = await simulateMoments({ study, tables, kernels });
  const { moments, scatters } = simulated;
  const d = table.bounds.length;
  const layout = analysisColumns(study);
  const thresholds = pcaZeroThresholds(study, moments.n, tables.length);
  const rows = new Float64Array(table.values.length);
  let written = 0;
  for (const block of tables.flat()) {
    const out = rows.subarray(written, written + block.rows * d);
    fillNormalised({ block, from: 0, rows: block.rows, layout, mean: moments.mean, thresholds, out });
    written += block.rows * d;
  }
  return {
    preparation: "rows of length 1, as Consilium prepares them",
    simulated,
    covariance: pooled(scatters, moments.n),
    rows,
  };
}

const authorsPreparation = "rows over the largest length, as the authors of DPdisPCA prepare them";

/** Raw units, divided by the largest length in the whole table, mean removed: only the scatters differ. */
async function authorsRows(table: PcaTable, kernels: NumericKernels): Promise<Prepared> {
  const d = table.bounds.length;
  const { largestNorm, trueCovariance } = table.published!;
  const means = columnMeans(table.values, d);
  const rows = table.values.map((value, p) => (value - means[p % d]!) / largestNorm);
  const scatters: Scatter[] = [];
  let start = 0;
  for (const count of table.siteRows) {
    const gram = kernels.gram(d);
    for (let from = 0; from < count; from += 1000) {
      const size = Math.min(1000, count - from);
      await gram.add(rows.subarray((start + from) * d, (start + from + size) * d), size);
    }
    scatters.push({ matrix: await gram.finish(), rows: count });
    start += count;
  }
  const n = start;
  return {
    preparation: authorsPreparation,
    simulated: { moments: { n, mean: means }, scatters },
    covariance: trueCovariance ?? pooled(scatters, n),
    rows: null,
  };
}

function pooled(scatters: readonly Scatter[], n: number): Float64Array {
  const sum = new Float64Array(scatters[0]!.matrix.length);
  for (const { matrix } of scatters) for (let p = 0; p < sum.length; p++) sum[p]! += matrix[p]! / (n - 1);
  return sum;
}

function siteBlocks(table: PcaTable): ColumnBlock[][] {
  const d = table.bounds.length;
  let row = 0;
  return table.siteRows.map((count) => {
    const blocks: ColumnBlock[] = [];
    for (let from = 0; from < count; from += 1000) {
      const rows = Math.min(1000, count - from);
      const first = row + from;
      const columns = Array.from({ length: d }, (_, j) =>
        Float64Array.from({ length: rows }, (_, r) => table.values[(first + r) * d + j]!),
      );
      blocks.push({ rows, columns, labels: null });
    }
    row += count;
    return blocks;
  });
}

/** Noise that a bench can repeat. Never where it protects anyone. */
function reproducible(seed: string): RandomSource {
  const random = seedrandom(seed);
  return {
    bytes(count) {
      const words = Int32Array.from({ length: Math.ceil(count / 4) }, () => random.int32());
      return new Uint8Array(words.buffer, 0, count);
    },
  };
}

function mean(values: readonly (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length;
}

interface Svm {
  accuracies(request: {
    readonly rows: Float64Array;
    readonly columns: number;
    readonly labels: readonly number[];
    readonly loadings: readonly Float64Array[];
  }): Promise<number[]>;
  close(): void;
}

/** scikit-learn's LinearSVC through the interpreter that CONSILIUM_PYTHON names; null, said loudly, without it. */
async function openSvm(): Promise<Svm | null> {
  const python = process.env.CONSILIUM_PYTHON ?? "python3";
  const missing = await new Promise<boolean>((resolve) => {
    execFile(python, ["-c", "import numpy, sklearn"], (error) => resolve(error !== null));
  });
  if (missing) {
    console.error(
      "NO SVM ACCURACY: no Python with numpy and scikit-learn; set CONSILIUM_PYTHON to one. Captured energy only.",
    );
    return null;
  }
  const script = fileURLToPath(new URL("../src/linear_svm.py", import.meta.url));
  const folder = mkdtempSync(`${tmpdir()}/consilium-bench-`);
  return {
    async accuracies({ rows, columns, labels, loadings }) {
      const file = `${folder}/rows.f64`;
      writeFileSync(file, new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
      const random = seedrandom("svm split");
      const chosen = labels
        .map((_, row) => ({ row, key: random() }))
        .sort((a, b) => a.key - b.key)
        .slice(0, svmRows)
        .map(({ row }) => row);
      const cut = Math.round(chosen.length * svmTrainShare);
      const request = {
        rows: file,
        columns,
        labels,
        train: chosen.slice(0, cut),
        test: chosen.slice(cut),
        loadings: loadings.map((matrix) => Array.from(matrix)),
      };
      return askPython(python, script, request);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function askPython(python: string, script: string, request: unknown): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(python, [script], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${script} failed: ${stderr.slice(-2000)}`, { cause: error }));
      else resolve((JSON.parse(stdout) as { accuracy: number[] }).accuracy);
    });
    child.stdin?.end(JSON.stringify(request));
  });
}

function markdown(report: Report, delta: number, repetitions: number): string {
  const cell = (energy: number | null | undefined, accuracy: number | null | undefined) => {
    if (energy === null || energy === undefined) return "–";
    return accuracy === null || accuracy === undefined
      ? energy.toFixed(3)
      : `${energy.toFixed(3)} / ${accuracy.toFixed(3)}`;
  };
  const lines = report.results.map(({ method, energy, accuracy }) => {
    const cells = pcaEpsilons.map((_, e) =>
      energy.length === 1 ? (e === 0 ? cell(energy[0], accuracy[0]) : "") : cell(energy[e], accuracy[e]),
    );
    return `| ${method} | ${cells.join(" | ")} |`;
  });
  const withAccuracy = report.results.some(({ accuracy }) => accuracy.some((value) => value !== null));
  return [
    `### ${report.data}`,
    "",
    `${report.preparation}. ${report.rows} rows × ${report.columns} columns at ${report.sites} sites, ` +
      `${report.components} components, δ = ${delta}, mean of ${repetitions} runs, ${report.seconds.toFixed(1)} s. ` +
      `Relative captured energy${withAccuracy ? " / linear SVM accuracy" : ""}.`,
    "",
    `| method | ${pcaEpsilons.map((epsilon) => `ε = ${epsilon}`).join(" | ")} |`,
    `| --- | ${pcaEpsilons.map(() => "---:").join(" | ")} |`,
    ...lines,
    "",
    ...(report.note === null ? [] : [report.note, ""]),
  ].join("\n");
}
