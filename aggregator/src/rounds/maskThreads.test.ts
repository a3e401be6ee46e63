import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { newRingVector, type RingBits } from "@consilium/core/fixed-point/ringVector";
import { addMasks, type MaskKey } from "@consilium/secure-sum/masks";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMasksInThreads } from "./maskThreads.js";

let folder: string;
let worker: URL;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-masks-"));
  const outfile = join(folder, "maskWorker.mjs");
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL("./maskWorker.ts", import.meta.url))],
    alias: {
      "@consilium/runtime/arrayBufferTransfer": `${root}runtime/src/arrayBufferTransfer.ts`,
      "@consilium/secure-sum/masks": `${root}secure-sum/src/masks.ts`,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  worker = pathToFileURL(outfile);
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

const masksOf = (count: number): MaskKey[] =>
  Array.from({ length: count }, (_, i) => ({
    key: new Uint8Array(randomBytes(32)),
    sign: i % 3 === 0 ? -1 : 1,
  }));

describe.each<RingBits>([32, 64])("masks removed by threads from a sum of %i bits", (bits) => {
  // Below one border, at it, above several, with more threads than parts.
  it.each([
    [3, 1],
    [2, 16_384],
    [3, 100_003],
    [8, 50_000],
  ])("by %i threads, %i entries: as by one", async (threads, length) => {
    const masks = masksOf(11);
    const expected = newRingVector(bits, length);
    addMasks(expected, masks);
    for (const options of [
      { threads, worker, leastBytes: 0 },
      { threads, worker: null, leastBytes: 0 },
      { threads, worker, leastBytes: Number.POSITIVE_INFINITY },
    ]) {
      const sum = newRingVector(bits, length);
      await addMasksInThreads(sum, masks, options);
      expect(sum).toEqual(expected);
    }
  });
});

describe("a thread that fails", () => {
  it.each([
    ["throws", "throw new Error('out of memory');"],
    ["ends early", "process.exit(0);"],
  ])("fails the sum: it %s", async (_, text) => {
    const path = join(folder, "failing.mjs");
    await writeFile(path, text);
    const options = { threads: 2, worker: pathToFileURL(path), leastBytes: 0 };
    await expect(addMasksInThreads(newRingVector(32, 100_000), masksOf(1), options)).rejects.toMatchObject({
      code: "INTERNAL",
    });
  });
});
