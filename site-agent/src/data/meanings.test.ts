import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { formats, tableConfig, temporaryFolder, writeTable } from "../../testing/data/writeTable.js";
import { anyRows } from "./snapshot.js";
import { tableConfigSchema } from "./tableConfig.js";

const folder = temporaryFolder();

const names = ["x", "sex", "seen", "crea", "ill", "Größe"];
/** A name as a Mac writes it, and with a no-break space. */
const written = names.with(5, "Größe\u00a0".normalize("NFD"));
const rows = [
  ["1", "w", "31.01.2015 14:30", "<0.5", "ja", "1"],
  ["2", "w\u00a0", "31.01.15", "0.8", "nein", "2"],
  ["3", "ma\u0308nnlich", "1.2.2015", "< 0.3", "ja", "3"],
  ["4", "männlich", "1.2.2015", "n.n.", "ja", "4"],
  ["5", "\u200bm", "unbekannt", "1", "nein", "5"],
  ["6", "w", "1.3.2015", "1", "-9", "-9"],
];

const meanings = {
  sex: { levels: { w: "female", m: "male", männlich: "male" } },
  seen: { date: "DD.MM.YYYY", missing: ["unbekannt"] },
  crea: { below: ["<", "n.n."] },
  ill: { true: ["ja"], false: ["nein"], missing: ["-9"] },
};

const numeric = { type: "numeric", min: 0, max: 10_000, missing: { constant: 0 } };
const features = (belowDetection: unknown) => [
  { ...numeric, name: "x" },
  { name: "sex", type: "categorical", levels: ["female", "male"] },
  { ...numeric, name: "since", from: "seen", as: { "days-since": "2015-01-01" } },
  { ...numeric, name: "crea", ...(belowDetection === null ? {} : { belowDetection }) },
  { name: "ill", type: "categorical", levels: ["false", "true"], missing: "own-level" },
  { ...numeric, name: "Größe", min: -10 },
];

async function read(config: unknown, belowDetection: unknown): Promise<Map<number, number[]>> {
  const study = studyOver(features(belowDetection), { columns: [{ name: "seen", type: "date" }] });
  const used = new Map<number, number[]>();
  for await (const { rows: count, columns } of anyRows(
    tableConfig(config as { path: string }),
    study,
    () => undefined,
  ))
    for (let r = 0; r < count; r++)
      used.set(
        columns[0]![r]!,
        columns.slice(1).map((column) => column[r]!),
      );
  return used;
}

describe.each(formats)("what a hospital says of its spellings in %s", (format) => {
  it.each<[unknown, number, number, number]>([
    ["half", 0.25, 0.15, 0],
    ["bound", 0.5, 0.3, 0],
    ["missing", 0, 0, 0],
    [0.1, 0.1, 0.1, 0.1],
  ])(
    "holds whatever a study says, which counts what is below detection: %s",
    async (below, first, third, fourth) => {
      const path = await writeTable(format, join(folder, `t-${below}`), { names: written, rows });
      // JSON lines: what is declared names the columns, as the file does.
      const columns = format === "jsonl" ? { ...meanings, x: {}, [written[5]!]: {} } : meanings;
      const used = await read({ path, missing: ["-9"], columns }, below);
      expect([...used]).toEqual([
        [1, [0, 30, first, 1, 1]],
        // Row 2 has two digits for its year, which this column has not: it has no date.
        [3, [1, 31, third, 1, 3]],
        [4, [1, 31, fourth, 1, 4]],
        [5, [1, 0, 1, 0, 5]],
        [6, [0, 59, 1, 2, 0]],
      ]);
    },
  );

  it("leaves rows below detection out where the study says nothing of them", async () => {
    const path = await writeTable(format, join(folder, "t-none"), { names: written, rows });
    const columns = format === "jsonl" ? { ...meanings, x: {}, [written[5]!]: {} } : meanings;
    expect([...(await read({ path, missing: ["-9"], columns }, null)).keys()]).toEqual([5, 6]);
  });
});

describe("the keys of a table", () => {
  const parse = (entry: object) => tableConfigSchema.safeParse({ name: "t", ...entry });

  it.each<[object, boolean]>([
    [{ path: "t.csv", timeZone: "Europe/Berlin", missing: ["NA"] }, true],
    [{ path: "t.csv", timeZone: "Berlin" }, false],
    [{ path: "t.csv", columns: { born: { date: "DD.MM.YY" } } }, true],
    [{ path: "t.csv", columns: { born: { date: "DD.MM" } } }, false],
    [{ path: "t.csv", columns: { born: { format: "DD.MM.YY" } } }, false],
    [{ path: "t.csv", columns: ["born"] }, false],
    [{ path: "t.csv", csv: { quote: "none", escape: "\\", skipRows: 1, multiline: 5 } }, true],
    [{ path: "t.csv", csv: { delimiter: "'", quote: "'" } }, false],
    [{ spark: { table: "visits" }, columns: ["born"] }, true],
    [{ spark: { table: "visits" }, columns: { born: { date: "DD.MM.YY" } } }, false],
    [{ spark: { table: "visits" }, timeZone: "UTC" }, false],
    [{ spark: { csv: "/t.csv" }, csv: { header: true, multiline: 2 } }, false],
  ])("%j: %s", (entry, isValid) => {
    expect(parse(entry).success).toBe(isValid);
  });

  it("are the names of JSON lines' columns, and `nullValues` is what `missing` was", () => {
    expect(
      parse({ path: "t.jsonl", columns: { a: {}, b: {} }, nullValues: ["?"], missing: ["NA"] }).data,
    ).toMatchObject({
      columns: ["a", "b"],
      nullValues: ["?", "NA"],
    });
  });
});
