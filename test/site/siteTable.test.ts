/** A hospital's own files become tables of its configuration, by the commands that its IT types. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TableExamination } from "@consilium/core/hospital/tableExamination";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";

const program = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
const written = `# Written by hand, on the day of the move.
aggregator: federation.example:7443
tables:
  # The old export; ask IT before removing it.
  archive: { path: archive.csv, unit: rows }
`;
/** In no message, table or file of the configuration. */
const secrets = ["Zyprexa-4711", "Müller-Lüdenscheidt", "8263.5"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-tables-"));
  await writeFile(join(folder, "archive.csv"), "age,sex\n70,f\n80,m\n");
  const german = ["fall;kosten;patient;befund"];
  for (let k = 0; k < 40; k++) german.push(`${k};${k},5;${k % 7};${k === 3 ? secrets[1] : "o.B."}`);
  german.push(`99;8263,5;1;${secrets[0]}`);
  await writeFile(join(folder, "stays.csv"), Buffer.from(`${german.join("\r\n")}\r\n`, "latin1"));
  await writeFile(join(folder, "ragged.csv"), `a,b\n1,2\n3,4\n5,${secrets[0]},7,8\n9,10\n`);
});
beforeEach(() => writeFile(join(folder, "config.yaml"), written));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Typed {
  readonly code: number;
  readonly out: string;
}

/** What nobody may read in an answer is looked for in each. */
async function type(...args: string[]): Promise<Typed> {
  const typed = await new Promise<Typed>((resolve) => {
    const argv = [program, "site", "table", ...args, "--state", folder];
    const env = { ...process.env, NO_COLOR: "1" };
    execFile(process.execPath, argv, { cwd: folder, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out + err }),
    );
  });
  for (const secret of secrets) expect(typed.out).not.toContain(secret);
  return typed;
}

const config = async () => readFile(join(folder, "config.yaml"), "utf8");

it("adds a file as it has to be read, and leaves what else the configuration says", async () => {
  const add = ["add", "stays", "--file", "stays.csv", "--unit", "patient:patient:5"];
  // The other table counts rows: their costs have no sum.
  const refused = await type(...add);
  expect([refused.code, await config()]).toEqual([1, written]);
  expect(refused.out).toContain("with table stays every study is refused");
  expect(refused.out).toContain("stays: { tables: [stays], epsilon: 3, delta: 1.0e-6 }");
  const policy = join(folder, "policy.yaml");
  await writeFile(
    policy,
    "populations: { default: { epsilon: 3 }, stays: { tables: [stays], epsilon: 3, delta: 1.0e-6 } }\n",
  );
  expect((await type(...add, "--dry-run")).out).not.toContain("every study is refused");
  await rm(policy);
  const added = await type(...add, "--force");
  expect(added.out).toContain("delimiter: ;");
  expect(added.out).toContain("With this table every study is refused");
  expect(added.code).toBe(0);
  const text = await config();
  expect(text).toContain("# Written by hand, on the day of the move.");
  expect(text).toContain("# The old export; ask IT before removing it.");
  expect(parse(text)).toEqual({
    ...(parse(written) as object),
    tables: {
      archive: { path: "archive.csv", unit: "rows" },
      stays: {
        path: join(folder, "stays.csv"),
        unit: { patient: { column: "patient", maxRows: 5 } },
        csv: { delimiter: ";", encoding: "windows-1252", decimal: ",", header: true },
      },
    },
  });
  const tested = await type("test", "stays", "--json");
  expect(tested.code).toBe(0);
  const examination = JSON.parse(tested.out) as TableExamination;
  expect(examination).toMatchObject({ rows: 41, malformed: 0, problems: [], fault: null });
  expect(examination.columns.map(({ name, type }) => ({ name, type }))).toEqual([
    { name: "fall", type: "number" },
    { name: "kosten", type: "number" },
    { name: "patient", type: "number" },
    { name: "befund", type: "text" },
  ]);
});

it("writes nothing in a dry run, over a table of that name, or for a file that is not there", async () => {
  const dry = await type("add", "stays", "--file", "stays.csv", "--unit", "rows", "--dry-run");
  expect(dry.out).toContain("Nothing was written.");
  expect(dry.code).toBe(0);
  const again = await type("add", "archive", "--file", "stays.csv", "--unit", "rows");
  expect(again.out).toMatch(/\[CONFIG_INVALID\].*already has a table archive/s);
  expect(again.code).not.toBe(0);
  const none = await type("add", "labs", "--file", "labs.csv");
  expect(none.out).toContain("[TABLE_UNREADABLE]");
  expect(none.code).not.toBe(0);
  expect(await config()).toBe(written);
  const replaced = await type("add", "archive", "--file", "stays.csv", "--unit", "rows", "--replace");
  expect(replaced.code).toBe(0);
  expect(parse(await config())).toMatchObject({ tables: { archive: { path: join(folder, "stays.csv") } } });
});

it("says which row is ragged and which table there is not", async () => {
  await writeFile(join(folder, "config.yaml"), `${written}  ragged: { path: ragged.csv, unit: rows }\n`);
  const ragged = await type("test", "ragged");
  expect(ragged.out).toMatch(/row 4\b|line 4\b/);
  expect(ragged.code).not.toBe(0);
  const unknown = await type("test", "nobody");
  expect(unknown.out).toContain("[TABLE_UNKNOWN]");
  expect(unknown.out).toContain("archive, ragged");
  expect(unknown.code).not.toBe(0);
});

it("names what cells hold, and writes the keys that say what it means", async () => {
  const rows = Array.from(
    { length: 60 },
    (_, i) =>
      `${i % 6 === 0 ? "<0,5" : i % 7 === 0 ? "k.A." : `${i},25`};${(i % 28) + 1}.01.2015 14:30;${i === 9 ? secrets[1] : "Küche"}`,
  );
  await writeFile(
    join(folder, "labs.csv"),
    Buffer.from(["crea;seen;ward", ...rows, ""].join("\r\n"), "latin1"),
  );
  const entry = "  labs:\n    # Of the laboratory.\n    path: labs.csv\n    unit: rows\n";
  await writeFile(join(folder, "config.yaml"), `${written}${entry}`);
  const before = await type("test", "labs");
  expect(before.code).toBe(1);
  expect(before.out).toContain("The text is windows-1252, not utf-8");
  const mended = await type("test", "labs", "--write");
  expect(mended.out).toContain("60 rows, 3 columns");
  expect(mended.out).toContain("lines end in CRLF, with a header row");
  expect(mended.out).toMatch(/Written to .*config\.yaml: columns: .*crea.*below/);
  expect(mended.code).toBe(0);
  const text = await config();
  expect(text).toContain("# Of the laboratory.");
  expect((parse(text) as { tables: object }).tables).toMatchObject({
    labs: {
      path: "labs.csv",
      unit: "rows",
      csv: { delimiter: ";", encoding: "windows-1252", decimal: ",", header: true },
      columns: { crea: { missing: ["k.A."], below: ["<"] }, seen: { date: "DD.MM.YYYY" } },
    },
  });
  const after = await type("test", "labs");
  expect([after.code, after.out]).toEqual([0, expect.stringContaining("No problem was found.")]);
});

it("takes the tables of a file in place of its own, after a check that names the line", async () => {
  const file = join(folder, "tables.yaml");
  const good = `tables:
  # Two kinds of files, and a query.
  stays:
    path: /data/stays.csv
    csv: { header: true, delimiter: ";", decimal: ",", encoding: latin-1 }
    nullValues: [NA]
    unit: rows
  labs: { path: /data/labs.sqlite, table: results, unit: rows }
  admissions:
    postgres: { url: "postgres://reader@db.example/warehouse?sslmode=disable", query: SELECT age FROM admissions }
    unit: rows
`;
  await writeFile(file, good.replace("nullValues", "nullValue"));
  const refused = await type("set", "tables.yaml");
  expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/tables\.yaml.*nullValue/s) });
  await writeFile(file, `${good}policy: {}\n`);
  expect((await type("set", "tables.yaml")).out).toMatch(/tables\.yaml line 12: policy is not a key here/);
  expect(await config()).toBe(written);

  await writeFile(file, good);
  expect((await type("set", "tables.yaml", "--dry-run")).out).toContain("Nothing was written.");
  expect(await config()).toBe(written);
  const set = await type("set", "tables.yaml");
  expect(set).toMatchObject({ code: 0, out: expect.stringContaining("stays, labs, admissions") });
  const text = await config();
  expect(text).toContain("# Written by hand, on the day of the move.");
  expect(text).toContain("# Two kinds of files, and a query.");
  expect(parse(text)).toEqual({ aggregator: "federation.example:7443", ...parse(good) });
});
