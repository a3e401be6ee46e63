import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPass, writeNumbers } from "../../bench/src/read.js";

/** A site's memory does not grow with its table: a million rows of fifty numbers in less than 1 GiB, all included. */

const limitMib = 1024;
const rows = 1_000_000;
const columns = 50;
const folder = mkdtempSync(join(tmpdir(), "consilium-memory-"));
const file = join(folder, "t.parquet");

beforeAll(() => writeNumbers(folder, rows, columns, false));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("Parquet is checked, read and reduced to its Gram matrix in bounded memory", async () => {
  const result = await readPass(file, columns, "gram");
  expect(result.rows).toBe(rows);
  // The mean of the square of a number of [0, 1) is a third; a hundred deviations of the mean are allowed.
  const meanSquare = result.trace! / (rows * columns);
  expect(Math.abs(meanSquare - 1 / 3)).toBeLessThan((100 * Math.sqrt(4 / 45)) / Math.sqrt(rows * columns));
  expect(result.peakMib).toBeLessThan(limitMib);
});
