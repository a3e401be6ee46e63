import { ConsiliumError } from "@consilium/core/errors";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { type WorkerCount, workerCount } from "./open.js";
import { loadOpenBlas, OpenBlasKernels } from "./openblas.js";
import { threads } from "./pool.js";
import { WasmKernels } from "./wasmKernels.js";

const choices = ["auto", "wasm", "openblas"] as const;
type Choice = (typeof choices)[number];

interface SystemKernelOptions extends WorkerCount {
  /** What to run on; by default OpenBLAS where it is present and passes its check. */
  readonly prefer?: "wasm" | "openblas";
}

/**
 * Opens the numeric kernels for the aggregator and for measurements, which see no records. They run off the calling
 * thread; an idle set does not keep the process alive.
 *
 * OpenBLAS is used where it is found and agrees with the WebAssembly kernels on a small problem; otherwise falls back
 * silently to WebAssembly, which gives the same bits on every processor. `CONSILIUM_KERNELS` (`auto`, `wasm` or
 * `openblas`) overrides `prefer`; `CONSILIUM_OPENBLAS` is the path of the library, if it is not in a usual place.
 * @throws RangeError if `workers` is not a positive integer
 * @throws ConsiliumError CONFIG_INVALID if CONSILIUM_KERNELS has another value
 */
export async function openSystemKernels(options: SystemKernelOptions = {}): Promise<NumericKernels> {
  const workers = workerCount(options);
  const choice = choiceFromEnvironment() ?? options.prefer ?? "auto";
  const wasm = new WasmKernels(threads(workers));
  if (choice === "wasm") return wasm;
  const library = await loadOpenBlas();
  if (library === undefined) return wasm;
  const openblas = new OpenBlasKernels(library, wasm, workers);
  return (await agree(openblas, wasm)) ? openblas : wasm;
}

function choiceFromEnvironment(): Choice | undefined {
  const word = process.env.CONSILIUM_KERNELS;
  if (word === undefined || word === "") return undefined;
  const choice = choices.find((known) => known === word);
  if (choice === undefined) {
    throw new ConsiliumError("CONFIG_INVALID", "CONSILIUM_KERNELS is not one of auto, wasm, openblas", {
      remedy: "set CONSILIUM_KERNELS to auto, wasm or openblas, or leave it unset",
    });
  }
  return choice;
}

/** Whether two sets of kernels give the same Gram matrix of integers, and the same eigenvalues of it to rounding. */
export async function agree(candidate: NumericKernels, trusted: NumericKernels): Promise<boolean> {
  const d = 23;
  const rows = 37;
  const block = Float64Array.from({ length: rows * d }, (_, i) => ((i * 7919) % 2003) - 1001);
  try {
    const [ours, theirs] = await Promise.all([
      gramOf(candidate, block, rows, d),
      gramOf(trusted, block, rows, d),
    ]);
    if (!theirs.every((x, i) => x === ours[i])) return false;
    for (const k of [3, d]) {
      const ourEigen = await candidate.symmetricEigen(ours, d, k);
      const theirEigen = await trusted.symmetricEigen(ours, d, k);
      const size = Math.abs(theirEigen.values[0]!);
      if (!ourEigen.values.every((x, i) => Math.abs(x - theirEigen.values[i]!) <= 1e-13 * size)) return false;
      if (!residualsAreSmall(ours, d, ourEigen.values, ourEigen.vectors, 1e-12 * size)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

async function gramOf(
  kernels: NumericKernels,
  block: Float64Array,
  rows: number,
  d: number,
): Promise<Float64Array> {
  const gram = kernels.gram(d);
  await gram.add(block, rows);
  return gram.finish();
}

function residualsAreSmall(
  a: Float64Array,
  d: number,
  values: Float64Array,
  vectors: Float64Array,
  tolerance: number,
): boolean {
  for (let q = 0; q * d < vectors.length; q++) {
    const vector = vectors.subarray(q * d, (q + 1) * d);
    for (let i = 0; i < d; i++) {
      let r = -values[q]! * vector[i]!;
      for (let j = 0; j < d; j++) r += a[i * d + j]! * vector[j]!;
      if (!(Math.abs(r) <= tolerance)) return false;
    }
  }
  return true;
}
