import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { Numpy } from "./numpy.js";
import { type BenchRow, compare, parseBenchOptions, printReport, uniform } from "./report.js";

const components = 20;

/** The aggregator's eigen-decomposition, all values and the leading 20 vectors, beside numpy's `eigh`. */
export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 5);
  const notes: string[] = [];
  const contenders: NumericKernels[] = [await openSystemKernels({ workers: 1, prefer: "wasm" })];
  const openblas = await openSystemKernels({ workers: 1, prefer: "openblas" });
  if (openblas.name === "openblas") contenders.push(openblas);
  else {
    notes.push("OpenBLAS: not measured, it was not found (CONSILIUM_OPENBLAS names its path)");
    await openblas.close();
  }
  const numpy = await Numpy.start();
  const rows: BenchRow[] = [];
  for (const d of [500, 1000, 2000]) {
    const a = await symmetric(contenders[0]!, d);
    await numpy?.symmetric(d);
    let reference = Number.POSITIVE_INFINITY;
    const seconds = contenders.map(() => Number.POSITIVE_INFINITY);
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      if (numpy) reference = Math.min(reference, await numpy.time("eigh"));
      for (const [i, kernels] of contenders.entries()) {
        const start = performance.now();
        await kernels.symmetricEigen(a, d, components);
        seconds[i] = Math.min(seconds[i]!, (performance.now() - start) / 1000);
      }
    }
    for (const [i, kernels] of contenders.entries()) {
      const name = `d = ${d}, ${kernels.name}`;
      rows.push(compare(name, seconds[i]!, numpy ? reference : undefined, 1, "lower"));
      notes.push(`${name}: residual ${(await residual(kernels, a, d)).toExponential(1)}·‖A‖`);
    }
  }
  numpy?.close();
  for (const kernels of contenders) await kernels.close();
  printReport(
    {
      bench: "eigen",
      unit: `seconds for all eigenvalues and the leading ${components} vectors`,
      reference: numpy?.describe("eigh (all vectors)"),
      better: "lower",
      rows,
      notes,
    },
    options,
  );
}

async function symmetric(kernels: NumericKernels, d: number): Promise<Float64Array> {
  const gram = kernels.gram(d);
  await gram.add(uniform(2 * d * d), 2 * d);
  return gram.finish();
}

/** Largest entry of A·v - λ·v over the leading vectors, relative to the largest eigenvalue. */
async function residual(kernels: NumericKernels, a: Float64Array, d: number): Promise<number> {
  const { values, vectors } = await kernels.symmetricEigen(a, d, components);
  let worst = 0;
  for (let q = 0; q < components; q++) {
    for (let i = 0; i < d; i++) {
      let r = -values[q]! * vectors[q * d + i]!;
      for (let j = 0; j < d; j++) r += a[i * d + j]! * vectors[q * d + j]!;
      worst = Math.max(worst, Math.abs(r));
    }
  }
  return worst / values[0]!;
}
