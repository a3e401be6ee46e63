import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import { afterEach, describe, expect, it, vi } from "vitest";
import { agree, openSystemKernels } from "./openSystem.js";

const opened: NumericKernels[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map((kernels) => kernels.close()));
});

async function open(options: Parameters<typeof openSystemKernels>[0]): Promise<NumericKernels> {
  const kernels = await openSystemKernels(options);
  opened.push(kernels);
  return kernels;
}

describe("openSystemKernels", () => {
  it("falls back on WebAssembly where the library is absent or none", async () => {
    for (const path of ["/nonexistent/libopenblas.so.0", process.execPath]) {
      vi.stubEnv("CONSILIUM_OPENBLAS", path);
      expect((await open({ workers: 1, prefer: "openblas" })).name).toBe("wasm");
    }
  });

  it("falls back where the library lacks the functions", async () => {
    vi.stubEnv("CONSILIUM_OPENBLAS", "libc.so.6");
    expect((await open({ workers: 1, prefer: "openblas" })).name).toBe("wasm");
  });

  it("lets the environment overrule", async () => {
    vi.stubEnv("CONSILIUM_KERNELS", "wasm");
    expect((await open({ workers: 1, prefer: "openblas" })).name).toBe("wasm");
    vi.stubEnv("CONSILIUM_KERNELS", "fastest");
    await expect(openSystemKernels()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("leaves the environment as it was", async () => {
    const before = { ...process.env };
    await open({ prefer: "openblas" });
    expect(process.env).toEqual(before);
  });

  it("refuses an invalid number of workers", async () => {
    for (const workers of [0, -1, 1.5])
      await expect(openSystemKernels({ workers })).rejects.toThrow(RangeError);
  });
});

describe("the check before a library is used", () => {
  const plain = plainKernels();

  it("passes kernels that are right", async () => {
    expect(await agree(await open({ workers: 1, prefer: "wasm" }), plain)).toBe(true);
  });

  const wrongGram: NumericKernels = {
    ...plain,
    gram(d) {
      const right = plain.gram(d);
      return {
        add: (block, rows) => right.add(block, rows),
        finish: async () => (await right.finish()).map((x, i) => (i === 5 ? x + 1 : x)),
      };
    },
  };
  const wrongValues: NumericKernels = {
    ...plain,
    async symmetricEigen(a, d, k) {
      const { values, vectors } = await plain.symmetricEigen(a, d, k);
      return { values: values.map((x) => x * (1 + 1e-9)), vectors };
    },
  };
  const wrongVectors: NumericKernels = {
    ...plain,
    async symmetricEigen(a, d, k) {
      const { values, vectors } = await plain.symmetricEigen(a, d, k);
      return { values, vectors: k === d ? vectors.fill(Number.NaN) : vectors };
    },
  };
  const failing: NumericKernels = {
    ...plain,
    symmetricEigen: async () => {
      throw new Error("not implemented");
    },
  };

  it.each([
    ["a Gram matrix off by one", wrongGram],
    ["eigenvalues off", wrongValues],
    ["vectors that are not numbers", wrongVectors],
    ["an error", failing],
  ])("catches %s", async (_, kernels) => {
    expect(await agree(kernels, plain)).toBe(false);
  });
});
