import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPass, writeNumbers } from "../../bench/src/read.js";

/** A site's memory does not grow with its table: a million rows of fifty numbers in less than 1 GiB, all included. `readPass` fails unless the gate has had every row. */

const limitMib = 1024;
const rows = 1_000_000;
const columns = 50;
const folder = mkdtempSync(join(tmpdir(), "consilium-memory-"));
const file = join(folder, "t.parquet");

beforeAll(() => writeNumbers(folder, rows, columns, false));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("Parquet is checked, read and reduced to its Gram matrix by the gate in bounded memory", async () => {
  const result = await readPass(file, columns, "gram");
  expect(result.rows).toBe(rows);
  expect(result.peakMib).toBeLessThan(limitMib);
});
