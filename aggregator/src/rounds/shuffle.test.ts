import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shuffleRows } from "./shuffle.js";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-shuffle-"));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

async function writeRows(name: string, from: number, count: number, rowBytes: number): Promise<string> {
  const bytes = Buffer.alloc(count * rowBytes);
  for (let i = 0; i < count; i++) bytes.writeUInt32LE(from + i, i * rowBytes);
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

const idsOf = (bytes: Buffer, rowBytes: number) =>
  Array.from({ length: bytes.length / rowBytes }, (_, i) => bytes.readUInt32LE(i * rowBytes));

describe("shuffleRows", () => {
  it("keeps every row once, whatever the number of buckets, and leaves no other file", async () => {
    const rowBytes = 18;
    const sources = [
      await writeRows("a", 0, 1000, rowBytes),
      await writeRows("b", 1000, 7, rowBytes),
      await writeRows("c", 1007, 0, rowBytes),
    ];
    for (const bucketBytes of [1 << 20, 4_000, 300]) {
      const target = join(folder, "out");
      const result = await shuffleRows(sources, { rowBytes, target, random, bucketBytes });
      const ids = idsOf(await readFile(target), rowBytes);
      expect(result.rows).toBe(1007);
      expect(ids.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 1007 }, (_, i) => i));
      expect(ids).not.toEqual(ids.toSorted((x, y) => x - y));
    }
    expect((await readdir(folder)).sort()).toEqual(["a", "b", "c", "out"]);
  });

  it("puts each row in each place equally often (chi-square, false alarm 1e-6)", async () => {
    const rowBytes = 8;
    const source = await writeRows("d", 0, 6, rowBytes);
    const counts = Array.from({ length: 6 }, () => new Array<number>(6).fill(0));
    const runs = 1200;
    const lanes = 8;
    const shuffleAgain = async (lane: number) => {
      const target = join(folder, `out2-${lane}`);
      for (let run = lane; run < runs; run += lanes) {
        await shuffleRows([source], { rowBytes, target, random, bucketBytes: 16 });
        idsOf(await readFile(target), rowBytes).forEach((id, place) => {
          counts[id]![place]!++;
        });
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => shuffleAgain(lane)));
    const expected = runs / 6;
    const chi = counts.flat().reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // 25 degrees of freedom: the quantile at 1 - 1e-6 is 72.1.
    expect(chi).toBeLessThan(72.1);
  });

  it("refuses a file that ends within a row", async () => {
    const path = join(folder, "cut");
    await writeFile(path, Buffer.alloc(17));
    await expect(shuffleRows([path], { rowBytes: 8, target: join(folder, "out3"), random })).rejects.toThrow(
      RangeError,
    );
  });
});
