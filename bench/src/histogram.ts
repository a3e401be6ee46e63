import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { HistogramBlock, HistogramShape } from "@consilium/core/linalg/histograms";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { fewFeatures, HistogramPeers } from "./histogramPeers.js";
import { type BenchRow, compare, parseBenchOptions, printReport, uniform } from "./report.js";

const rows = 1_000_000;
const features = 50;
const nodeCount = 16;
/** Rows come in blocks of this size, as a database engine hands them over. */
const blockRows = 2048;
const sklearnTarget = 1.5;
const lightgbmTarget = 1;

interface Table {
  readonly bins: number;
  /** Feature by feature. */
  readonly columns: readonly Uint8Array[];
  /** [rows × 2]: integers that float32 holds. */
  readonly pairs: Float64Array;
  readonly nodes: Uint16Array;
}

/** The fastest run of each side, in seconds. */
class Best {
  root = Number.POSITIVE_INFINITY;
  nodes = Number.POSITIVE_INFINITY;
  sklearnRoot = Number.POSITIVE_INFINITY;
  sklearnNodes = Number.POSITIVE_INFINITY;
  lightgbmAll = Number.POSITIVE_INFINITY;
  lightgbmFew = Number.POSITIVE_INFINITY;
}

/** A site's histograms of gradients and hessians beside those of scikit-learn and LightGBM, on the same rows. */
export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 9);
  const notes: string[] = [];
  // The calling thread copies rows all the while.
  const threads = availableParallelism() > 2 ? [1, 2] : [1];
  if (threads.length === 1) notes.push("two workers: not measured, they need three processors");
  const contenders = await Promise.all(
    threads.map((workers) => openSystemKernels({ workers, prefer: "wasm" })),
  );
  const peers = await HistogramPeers.start();
  if (peers?.lightgbm === null) notes.push("LightGBM: not measured, it is not installed");
  const report: BenchRow[] = [];
  for (const bins of [64, 255]) {
    const table = makeTable(bins);
    if (peers) await handOver(peers, table);
    await checkSums(contenders[0]!, table, peers);
    const best = threads.map(() => new Best());
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      for (const [i, kernels] of contenders.entries()) {
        await measure(best[i]!, kernels, table, peers, threads[i]!);
      }
    }
    for (const [i, count] of threads.entries()) report.push(...compareAll(best[i]!, bins, count, peers));
  }
  peers?.close();
  for (const kernels of contenders) await kernels.close();
  printReport(
    {
      bench: "histogram",
      unit: `(g, h) per bin, ${rows} rows × ${features} features, in 10⁹ row-features/s`,
      reference: peers && describe(peers),
      better: "higher",
      rows: report,
      notes,
    },
    options,
  );
}

function describe(peers: HistogramPeers): string {
  const theirs = `reference: scikit-learn ${peers.sklearn}, HistogramBuilder.compute_histograms_brute`;
  if (peers.lightgbm === null) return theirs;
  return (
    `${theirs}; LightGBM ${peers.lightgbm}, a round of two leaves, the same round on ${fewFeatures} features ` +
    "subtracted; as many threads as we have workers"
  );
}

function makeTable(bins: number): Table {
  const random = uniform(rows);
  const index = (limit: number, shift: number) => (row: number) =>
    Math.floor(((random[(row + shift) % rows]! + 1) / 2) * limit);
  const bin = index(bins, 0);
  const first = Uint8Array.from({ length: rows }, (_, row) => bin(row));
  // every feature the same values from another row on
  const columns = Array.from({ length: features }, (_, feature) => {
    const shift = (feature * 7919) % rows;
    const column = new Uint8Array(rows);
    column.set(first.subarray(shift));
    column.set(first.subarray(0, shift), rows - shift);
    return column;
  });
  const node = index(nodeCount, 500_009);
  const gradient = index(2 ** 21, 300_007);
  const hessian = index(2 ** 20, 700_001);
  return {
    bins,
    columns,
    nodes: Uint16Array.from({ length: rows }, (_, row) => node(row)),
    pairs: Float64Array.from({ length: 2 * rows }, (_, i) =>
      i & 1 ? hessian(i >> 1) : gradient(i >> 1) - 2 ** 20,
    ),
  };
}

async function handOver(peers: HistogramPeers, table: Table): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-histogram-"));
  try {
    await writeFile(join(folder, "bins"), Buffer.concat(table.columns));
    await writeFile(join(folder, "pairs"), new Uint8Array(table.pairs.buffer));
    await writeFile(join(folder, "nodes"), new Uint8Array(table.nodes.buffer));
    await peers.load(rows, features, table.bins, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Both sides must have added the same numbers. */
async function checkSums(
  kernels: NumericKernels,
  table: Table,
  peers: HistogramPeers | undefined,
): Promise<void> {
  const { sums } = await timeOurs(kernels, table, 1);
  const theirs = await peers?.sums();
  const last = sums.subarray((features - 1) * table.bins * 2);
  if (theirs?.some((sum, i) => sum !== last[i])) {
    throw new Error("the histograms of scikit-learn and ours are not the same");
  }
}

async function measure(
  best: Best,
  kernels: NumericKernels,
  table: Table,
  peers: HistogramPeers | undefined,
  threads: number,
): Promise<void> {
  if (peers) {
    best.sklearnRoot = Math.min(best.sklearnRoot, await peers.time("root", threads));
    best.sklearnNodes = Math.min(best.sklearnNodes, await peers.time("nodes", threads));
  }
  if (peers?.lightgbm) {
    const { all, few } = await peers.lightgbmRound(threads);
    best.lightgbmAll = Math.min(best.lightgbmAll, all);
    best.lightgbmFew = Math.min(best.lightgbmFew, few);
  }
  best.root = Math.min(best.root, (await timeOurs(kernels, table, 1)).seconds);
  best.nodes = Math.min(best.nodes, (await timeOurs(kernels, table, nodeCount)).seconds);
}

/** Copying the blocks into the kernels' memory and adding up what workers did apart are counted. */
async function timeOurs(
  kernels: NumericKernels,
  table: Table,
  nodes: number,
): Promise<{ seconds: number; sums: Float64Array }> {
  const shape: HistogramShape = {
    binCounts: table.columns.map(() => table.bins),
    nodeCount: nodes,
    nodeFeatures: null,
    channels: 2,
    weights: "vector",
  };
  const start = performance.now();
  const histograms = kernels.histograms(shape);
  for (let from = 0; from < rows; from += blockRows) await histograms.add(block(table, from, nodes));
  const sums = await histograms.finish();
  return { seconds: (performance.now() - start) / 1000, sums };
}

function block(table: Table, from: number, nodes: number): HistogramBlock {
  const to = Math.min(rows, from + blockRows);
  return {
    rows: to - from,
    columns: table.columns.map((column) => column.subarray(from, to)),
    nodes: nodes === 1 ? null : table.nodes.subarray(from, to),
    weights: table.pairs.subarray(2 * from, 2 * to),
    classes: null,
  };
}

function compareAll(
  best: Best,
  bins: number,
  threads: number,
  peers: HistogramPeers | undefined,
): BenchRow[] {
  const speed = (seconds: number, columns = features): number => (rows * columns) / seconds / 1e9;
  const theirs = (seconds: number) => (peers ? speed(seconds) : undefined);
  const workers = `${threads} ${threads === 1 ? "worker" : "workers"}`;
  const name = (nodes: string, peer: string) => `${bins} bins, ${nodes}, ${workers}, ${peer}`;
  const sklearn = [
    compare(
      name("1 node", "scikit-learn"),
      speed(best.root),
      theirs(best.sklearnRoot),
      sklearnTarget,
      "higher",
    ),
    compare(
      name(`${nodeCount} nodes`, "scikit-learn"),
      speed(best.nodes),
      theirs(best.sklearnNodes),
      sklearnTarget,
      "higher",
    ),
  ];
  if (!peers?.lightgbm) return sklearn;
  const lightgbm = speed(best.lightgbmAll - best.lightgbmFew, features - fewFeatures);
  return [
    ...sklearn,
    compare(name("1 node", "LightGBM"), speed(best.root), lightgbm, lightgbmTarget, "higher"),
  ];
}
