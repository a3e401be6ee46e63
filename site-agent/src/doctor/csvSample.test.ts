import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { judgeTables } from "@consilium/runtime/doctor/tables";
import { english } from "@consilium/runtime/http/spoken";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tableConfigSchema } from "../data/tableConfig.js";
import { sampleCsv } from "./csvSample.js";
import { examineTable } from "./examineTable.js";
import { tableFacts } from "./tables.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sample-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const german = "patient;größe;gewicht\n1;1,80;81,5\n2;1,65;60,25\n3;;70,5\n";

describe("the first rows of a CSV file", () => {
  it("need nothing where they are as the entry says", async () => {
    const sample = await sampleCsv(await file("plain.csv", "a,b\n1,x\n2,y\n"), { header: true });
    expect(sample).toMatchObject({ problems: [], needed: null, types: ["number", "text"], rowsRead: 2 });
  });

  it("tell the delimiter, the decimal mark and the encoding of an export", async () => {
    const path = await file("german.csv", Buffer.from(german, "latin1"));
    const sample = await sampleCsv(path, undefined);
    expect(sample!.needed).toEqual({ delimiter: ";", encoding: "windows-1252", decimal: ",", header: true });
    expect(sample!.types).toEqual(["number", "number", "number"]);
    expect(sample!.names).toEqual(["patient", "größe", "gewicht"]);
    expect(await sampleCsv(path, { ...sample!.needed } as never)).toMatchObject({
      problems: [],
      needed: null,
    });
    const zipped = await sampleCsv(await file("german.csv.gz", gzipSync(Buffer.from(german))), undefined);
    expect(zipped!.needed).toEqual({ delimiter: ";", decimal: ",", header: true });
  });

  it("tell UTF-16, tabs and bars, and keep what the entry says otherwise", async () => {
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a|b\n1|2\n", "utf16le")]);
    expect((await sampleCsv(await file("wide.csv", wide), { header: true }))!.needed).toEqual({
      header: true,
      delimiter: "|",
      encoding: "utf-16",
    });
    expect((await sampleCsv(await file("tabs.tsv", "a\tb\n1\t2\n"), { header: true }))!.needed).toBeNull();
    expect((await sampleCsv(await file("tabs.csv", "a\tb\n1\t2\n"), { header: true }))!.needed).toEqual({
      header: true,
      delimiter: "\t",
    });
  });

  it("name ragged rows, doubled names and a missing header by number, and no value", async () => {
    const secret = "4711-secret";
    const ragged = `a,b,A\n1,2,3\n${secret},5\n6,7,8,${secret}\n${"1,2,3\n".repeat(20)}`;
    const sample = await sampleCsv(await file("ragged.csv", ragged), { header: true });
    expect([...sample!.problems, ...sample!.ragged].map(english)).toEqual([
      "Columns 1 and 3 have the same name: rename one in the export.",
      expect.stringMatching(/^2 of the first 24 rows .* row 3 has 2, the first has 3/),
    ]);
    expect(JSON.stringify(sample)).not.toContain("secret");
    const record = await sampleCsv(await file("record.csv", `${secret},5\nx,6\n`), undefined);
    expect(record!.problems.join()).toContain("check.first-record");
    expect(JSON.stringify(record)).not.toContain("secret");
  });

  it("are not mistaken: a quoted delimiter, one column, nothing at all", async () => {
    const quoted = 'a,b\n"x;y;z",1\n"p;q;r",2\n"line\nbreak",3\n';
    expect((await sampleCsv(await file("quoted.csv", quoted), { header: true }))!.problems).toEqual([]);
    expect((await sampleCsv(await file("one.csv", "a\n1\n2\n"), { header: true }))!.problems).toEqual([]);
    expect(await sampleCsv(await file("empty.csv", ""), undefined)).toBeNull();
  });
});

describe("the doctor", () => {
  it("says what the first rows of a table of files hold, each point by itself", async () => {
    const path = await file("stays.csv", Buffer.from(german, "latin1"));
    const entries = [
      { name: "stays", path },
      { name: "gone", path: join(folder, "gone.csv") },
    ];
    const [stays, gone] = await tableFacts(
      entries.map((entry) => tableConfigSchema.parse(entry)),
      [],
      { engines: null },
    );
    expect(stays!.findings.map(english)).toEqual([
      'Fields are separated by ";", not by ",": set csv.delimiter.',
      "The text is windows-1252, not utf-8: set csv.encoding.",
      "Numbers have a decimal comma: set csv.decimal.",
    ]);
    expect(gone).toMatchObject({ findings: [], fault: { message: expect.stringContaining("gone.csv") } });
    const [first] = judgeTables({ tables: [stays!], strangers: [] }).filter(
      ({ id }) => id === "tables:stays-sample",
    );
    expect(first).toMatchObject({ status: "warn", remedy: expect.stringContaining("table.test-it") });
  });

  it("examines an entry that is not in the configuration yet, and counts its rows", async () => {
    const path = await file("counted.csv", "id;x\n1;2\n2;3\n3;4\n");
    const entry = { name: "counted", path };
    const first = await examineTable(folder, { entry: JSON.stringify(entry) });
    expect(first).toMatchObject({ rows: null, csv: { delimiter: ";", header: true }, fault: null });
    expect(first.columns).toMatchObject([
      { name: "id", type: "number" },
      { name: "x", type: "number" },
    ]);
    const right = await examineTable(folder, { entry: JSON.stringify({ ...entry, csv: first.csv }) });
    expect(right).toMatchObject({ rows: 3, malformed: 0, csv: null, problems: [], fault: null });
    const unit = (column: string) => ({
      ...entry,
      csv: first.csv,
      unit: { patient: { column, maxRows: 2 } },
    });
    expect((await examineTable(folder, { entry: JSON.stringify(unit("id")) })).fault).toBeNull();
    const other = await examineTable(folder, { entry: JSON.stringify(unit("person")) });
    expect(other.fault?.message).toContain('names the column "person"');
    const missing = await examineTable(folder, {
      entry: JSON.stringify({ name: "x", path: join(folder, "no.csv") }),
    });
    expect(missing.fault?.message).toContain("no.csv");
    await expect(
      examineTable(folder, { entry: JSON.stringify({ name: "x", pth: "y" }) }),
    ).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });
});
