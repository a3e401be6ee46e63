import { availableParallelism } from "node:os";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { Numpy } from "./numpy.js";
import { type BenchRow, compare, parseBenchOptions, printReport, uniform } from "./report.js";

/** Rows come in blocks of this size, as a database engine hands them over. */
const blockRows = 2048;

/** Enough rows of each width for some tenths of a second. */
const shapes = [
  { d: 50, count: 800_000 },
  { d: 500, count: 60_000 },
  { d: 2000, count: 10_000 },
];

interface Contender {
  readonly name: string;
  readonly kernels: NumericKernels;
  readonly target: number;
}

/** The site's covariance kernel, XᵀX over row blocks, beside numpy's `X.T @ X` on one thread. */
export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 9);
  const notes: string[] = [];
  const contenders = await openContenders(notes);
  const numpy = await Numpy.start();
  const rows: BenchRow[] = [];
  for (const { d, count } of shapes) {
    const x = uniform(count * d);
    await numpy?.rows(count, d);
    let reference = Number.POSITIVE_INFINITY;
    const seconds = contenders.map(() => Number.POSITIVE_INFINITY);
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      if (numpy) reference = Math.min(reference, await numpy.time("gram"));
      for (const [i, { kernels }] of contenders.entries()) {
        seconds[i] = Math.min(seconds[i]!, await timeGram(kernels, x, d));
      }
    }
    const speed = (time: number): number => (2 * count * d * d) / time / 1e9;
    for (const [i, { name, target }] of contenders.entries()) {
      const theirs = numpy ? speed(reference) : undefined;
      rows.push(compare(`d = ${d}, ${name}`, speed(seconds[i]!), theirs, target, "higher"));
    }
  }
  numpy?.close();
  for (const { kernels } of contenders) await kernels.close();
  printReport(
    {
      bench: "covariance",
      unit: "XᵀX in GFlop/s, counted as 2nd²",
      reference: numpy?.describe("X.T @ X"),
      better: "higher",
      rows,
      notes,
    },
    options,
  );
}

async function openContenders(notes: string[]): Promise<Contender[]> {
  const contenders: Contender[] = [
    {
      name: "wasm, 1 worker",
      kernels: await openSystemKernels({ workers: 1, prefer: "wasm" }),
      target: 0.45,
    },
  ];
  if (availableParallelism() > 1) {
    const kernels = await openSystemKernels({ workers: 2, prefer: "wasm" });
    contenders.push({ name: "wasm, 2 workers", kernels, target: 0.8 });
  } else notes.push("two workers: not measured, there is one processor");
  const openblas = await openSystemKernels({ workers: 1, prefer: "openblas" });
  if (openblas.name === "openblas")
    contenders.push({ name: "openblas, 1 worker", kernels: openblas, target: 0.95 });
  else {
    notes.push("OpenBLAS: not measured, it was not found (CONSILIUM_OPENBLAS names its path)");
    await openblas.close();
  }
  return contenders;
}

async function timeGram(kernels: NumericKernels, x: Float64Array, d: number): Promise<number> {
  const start = performance.now();
  const gram = kernels.gram(d);
  for (let from = 0; from < x.length; from += blockRows * d) {
    const block = x.subarray(from, from + blockRows * d);
    await gram.add(block, block.length / d);
  }
  await gram.finish();
  return (performance.now() - start) / 1000;
}
