import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { describe, expect, test } from "vitest";
import { formats, temporaryFolder, writeTable } from "../../testing/data/writeTable.js";
import { examineTable } from "./examineTable.js";

const folder = temporaryFolder();
writeFileSync(join(folder, "config.yaml"), "{}\n");

const rows = Array.from({ length: 200 }, (_, i) => [
  i,
  i % 20 === 0 ? "N/A" : 20 + (i % 15),
  i % 10 === 0 ? -9 : i % 7,
  i % 10 === 0 ? 999 : 30 + (i % 60),
  i % 2 === 0 ? "f" : "m",
  i % 3 === 0 ? -1 : i % 3,
  i % 2,
]);
const names = ["id", "bmi", "score", "age", "sex", "change", "flag"];

describe("a table's check before any study", () => {
  test.each(formats)(
    "%s: names a known spelling of missing values and a number that may stand for missing, without a value",
    async (format) => {
      const path = await writeTable(format, join(folder, format), { names, rows });
      const { remarks } = await examineTable(folder, { entry: JSON.stringify({ name: "visits", path }) });
      const cells = { all: 200, cells: 20 };
      expect(remarks).toEqual([
        {
          line: 'check.known-missing {"all":200,"cells":10,"column":"bmi","spelling":"N/A"}',
          entry: { columns: { bmi: { missing: ["N/A"] } } },
        },
        { line: `check.least-apart ${canonicalJson({ ...cells, column: "score" })}`, entry: null },
        { line: `check.greatest-apart ${canonicalJson({ ...cells, column: "age" })}`, entry: null },
        // One of three values only is below 0: a person decides.
        {
          line: `check.least-apart ${canonicalJson({ ...cells, cells: 67, column: "change" })}`,
          entry: null,
        },
      ]);
      expect(JSON.stringify(remarks)).not.toMatch(/-9|999/);
      const mended = { name: "visits", path, nullValues: ["N/A", "-9", "999", "-1"] };
      const after = await examineTable(folder, { entry: JSON.stringify(mended) });
      expect(after.remarks).toEqual([]);
    },
  );
});
