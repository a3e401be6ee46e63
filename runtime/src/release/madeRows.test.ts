import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeMadeRows } from "./madeRows.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-made-"));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

const part = (values: number[], labels: number[] | null, columns: number) => ({
  rows: values.length / columns,
  values: Float64Array.from(values),
  labels: labels === null ? null : Uint16Array.from(labels),
});

it("writes rows as sites send theirs, whatever was there before", async () => {
  const path = join(folder, "labelled");
  const shape = { columns: 2, levels: 1 };
  await writeMadeRows(path, shape, [part([9, 9, 9, 9, 9, 9], [9, 9, 9], 2)]);
  const written = await writeMadeRows(path, shape, [part([1.5, -2], [3], 2), part([0, 1e300], [65_535], 2)]);
  const bytes = await readFile(path);
  expect(written).toEqual({ rows: 2, sha256: createHash("sha256").update(bytes).digest("hex") });
  expect(bytes.length).toBe(2 * 18);
  expect([0, 8, 18, 26].map((at) => bytes.readDoubleLE(at))).toEqual([1.5, -2, 0, 1e300]);
  expect([16, 34].map((at) => bytes.readUInt16LE(at))).toEqual([3, 65_535]);
});

it("takes parts as they are made, and none", async () => {
  async function* made() {
    yield part([1], null, 1);
    yield part([2, 3], null, 1);
  }
  const path = join(folder, "plain");
  expect(await writeMadeRows(path, { columns: 1, levels: 0 }, made())).toMatchObject({ rows: 3 });
  expect((await readFile(path)).length).toBe(24);
  expect(await writeMadeRows(path, { columns: 1, levels: 0 }, [])).toMatchObject({ rows: 0 });
});

it.each([
  ["too few values", { columns: 2, levels: 0 }, { rows: 2, values: new Float64Array(3), labels: null }],
  ["no labels", { columns: 1, levels: 1 }, part([1], null, 1)],
  ["labels that are not declared", { columns: 1, levels: 0 }, part([1], [1], 1)],
  ["too many labels", { columns: 1, levels: 1 }, { ...part([1], [1], 1), labels: new Uint16Array(2) }],
])("refuses %s", async (_, shape, bad) => {
  await expect(writeMadeRows(join(folder, "bad"), shape, [bad])).rejects.toThrow(RangeError);
});
