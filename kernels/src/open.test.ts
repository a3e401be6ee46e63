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

it("refuses a number of workers that is not a positive integer", async () => {
  for (const workers of [0, -1, 1.5]) await expect(openKernels({ workers })).rejects.toThrow(RangeError);
});
