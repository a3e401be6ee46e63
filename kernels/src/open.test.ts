import type { CorrelationSearch } from "@consilium/core/linalg/correlations";
import type { HistogramAccumulator, HistogramShape } from "@consilium/core/linalg/histograms";
import { plainKernels } from "@consilium/core/linalg/plain";
import { afterEach, expect, it, vi } from "vitest";
import { openKernels } from "./open.js";

afterEach(() => vi.unstubAllEnvs());

it("opens WebAssembly, whatever the environment says", async () => {
  vi.stubEnv("CONSILIUM_KERNELS", "openblas");
  vi.stubEnv("CONSILIUM_OPENBLAS", "libc.so.6");
  const kernels = await openKernels({ workers: 1 });
  expect(kernels.name).toBe("wasm");
  await kernels.close();
});

it("loads what published methods need when they ask, with the results and faults of the reference", async () => {
  const kernels = await openKernels({ workers: 2 });
  const plain = plainKernels();
  try {
    const eigen = Float64Array.of(2, 1, 1, 3);
    const ours = await kernels.symmetricEigen(eigen, 2, 1);
    const theirs = await plain.symmetricEigen(eigen, 2, 1);
    expect(ours.values.map((value) => Math.round(value * 1e9))).toEqual(
      theirs.values.map((value) => Math.round(value * 1e9)),
    );
    const groups = {
      starts: Uint32Array.of(0, 40),
      labels: Uint16Array.from({ length: 40 }, (_, row) => row % 2),
      classes: 2,
    };
    const largest = async (search: CorrelationSearch) => {
      const found = await search.column((values) => {
        for (let row = 0; row < 40; row++) values[row] = row % 7;
      });
      await search.end();
      return found;
    };
    expect(await largest(kernels.correlations(groups))).toEqual(await largest(plain.correlations(groups)));
    const shape: HistogramShape = {
      binCounts: [3],
      nodeCount: 1,
      nodeFeatures: null,
      channels: 1,
      weights: "vector",
    };
    const summed = async (sums: HistogramAccumulator) => {
      const block = { rows: 3, columns: [Uint8Array.of(0, 2, 2)], nodes: null, classes: null };
      await sums.add({ ...block, weights: Float64Array.of(5, 7, 11) });
      return sums.finish();
    };
    expect(await summed(kernels.histograms(shape))).toEqual(await summed(plain.histograms(shape)));
    // A fault of the shape is reported to the caller that adds, and to no other.
    const impossible = kernels.histograms({ ...shape, nodeCount: 0 });
    await expect(impossible.finish()).rejects.toThrow(RangeError);
  } finally {
    await kernels.close();
  }
});

it("refuses a number of workers that is not a positive integer", async () => {
  for (const workers of [0, -1, 1.5]) await expect(openKernels({ workers })).rejects.toThrow(RangeError);
});
