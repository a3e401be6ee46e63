/**
 * A small table in each of the ways that hospitals write theirs, through the product's own opening and check: what is used of it, what is
 * left out, and what the check says. Where CONSILIUM_SHARED is set, the same of files that others wrote in these ways.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findingsOf } from "@consilium/core/hospital/findings";
import { profileRemarks } from "@consilium/core/hospital/profileRemarks";
import { unwrap } from "@consilium/core/result";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { wardStudy, writeAsWritten, writtenWays } from "../../testing/data/asWritten.js";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { profileTable } from "../data/profile.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { examineTable } from "./examineTable.js";
import { tableCheck } from "./tableCheck.js";
import { tableFacts } from "./tables.js";

const folder = temporaryFolder();
writeFileSync(join(folder, "config.yaml"), "{}\n");

const cases = join(process.env.CONSILIUM_SHARED ?? "", "cases");
const present = process.env.CONSILIUM_SHARED !== undefined && existsSync(cases);
if (!present) {
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error("CONSILIUM_SHARED leads to no cases");
  process.stderr.write(
    "SKIPPED: CONSILIUM_SHARED leads to no cases, so no tables that others wrote are read\n",
  );
}

const study = unwrap(
  parseStudy({
    name: "wards",
    table: "wards",
    analysis: "describe",
    parameters: { bins: 5 },
    privacy: { epsilon: 5, delta: 0.00001 },
    participation: { minimumSites: 3, maxRowsPerSite: 100_000, phaseDeadline: "20s" },
    ...wardStudy,
  }),
);

/** The table as the study sees it, and what its check says. */
async function seen(path: string, entry: object) {
  const given = { name: "wards", path, ...entry };
  const read = await profileTable(tableConfigSchema.parse(given), study);
  const found = await examineTable(folder, { entry: JSON.stringify(given) });
  const { csv, fault, malformed, remarks } = found;
  const says = findingsOf(found).map((line) => line.replace(/ .*/, ""));
  const keys = [...(csv === null ? [] : [{ csv }]), ...remarks.flatMap(({ entry }) => entry ?? [])];
  if (!read.ok) return { fault: read.error.code, checkFault: fault?.message, says, keys };
  const { rows, used, malformed: leftOut, columns } = read.value;
  expect(leftOut === malformed || says.length > 0).toBe(true);
  const used200 = columns.map((column) =>
    column.type === "numeric" ? Number(column.mean?.toFixed(9)) : column.levels,
  );
  return { rows, used, malformed: leftOut, columns: used200, says, keys };
}

interface Right {
  readonly rows?: number;
  /** Of the 200 records, and one more; `fewer` where the entry lacks what it needs. @default 200 */
  readonly used?: number | "fewer";
  readonly malformed?: number;
  /** Codes. */
  readonly says?: readonly string[];
  /** What the check proposes for the entry. */
  readonly keys?: readonly object[];
  readonly fault?: string;
  /** Where the numbers are not those of the clean table. */
  readonly isOther?: true;
}

const header = { header: true };
const level = (ward: string) => ({ ward: { levels: { [ward]: "Innere" } } });
const isWindows1252 = {
  says: ["check.encoding"],
  keys: [{ csv: { ...header, encoding: "windows-1252" } }],
};

/** By the case, keys of the table's entry and the right result with them. */
const rights: readonly (readonly [string, object, Right])[] = [
  ["csv/clean.csv", {}, {}],
  ["csv/one-lf-in-crlf.csv", {}, { rows: 201, used: 201 }],
  ["csv/bare-cr-in-cell.csv", {}, { malformed: 2, says: ["check.fields"] }],
  ["csv/mixed-newlines.csv", {}, { says: ["check.line-ends"] }],
  ["csv/euro-in-latin-1.csv", { csv: { ...header, encoding: "latin-1" } }, { rows: 201, ...isWindows1252 }],
  ["csv/euro-in-latin-1.csv", { csv: { ...header, encoding: "windows-1252" } }, { rows: 201 }],
  [
    "csv/euro-in-latin-1.csv",
    { csv: { ...header, encoding: "windows-1252" }, columns: level("In€nere") },
    { rows: 201, used: 201 },
  ],
  ["csv/utf-8-bad-byte-in-level.csv", {}, { rows: 201, says: ["check.no-characters"] }],
  ["csv/utf-8-bad-byte-in-label.csv", {}, { rows: 201, says: ["check.no-characters"] }],
  ["csv/quote-never-closed.csv", {}, { malformed: 1, says: ["check.quote"] }],
  ["csv/backslash-quotes.csv", {}, { used: "fewer", says: ["check.behind-quote"] }],
  ["csv/backslash-quotes.csv", { csv: { ...header, escape: "\\" }, columns: level('Innere "A"') }, {}],
  ["csv/latin-1-undeclared.csv", { csv: header }, { used: "fewer", ...isWindows1252 }],
  ["csv/latin-1-undeclared.csv", { csv: { ...header, encoding: "windows-1252" } }, {}],
  ["csv/latin-1-undeclared.csv", { csv: { ...header, encoding: "latin-1" } }, {}],
  ["csv/windows-1252.csv", { csv: header }, { used: "fewer", ...isWindows1252 }],
  [
    "csv/windows-1252.csv",
    { csv: { ...header, encoding: "windows-1252" }, columns: level("Innere „A“ €") },
    {},
  ],
  // A byte order mark is believed, and the check says what the entry lacks.
  [
    "csv/utf-16-undeclared-nul-header.csv",
    { csv: header },
    { says: ["check.encoding"], keys: [{ csv: { ...header, encoding: "utf-16" } }] },
  ],
  ["csv/utf-16-undeclared-nul-header.csv", { csv: { ...header, encoding: "utf-16" } }, {}],
  ["csv/utf-16-big-endian.csv", { csv: { ...header, encoding: "utf-16" } }, {}],
  [
    "csv/excel-sep-line.csv",
    {},
    {
      fault: "COLUMN_MISSING",
      says: ["check.delimiter", "check.sep-line", "check.decimal-comma"],
      keys: [{ csv: { ...header, skipRows: 1, delimiter: ";", decimal: "," } }],
    },
  ],
  ["csv/excel-sep-line.csv", { csv: { ...header, skipRows: 1, delimiter: ";", decimal: "," } }, {}],
  [
    "csv/date-german-with-time.csv",
    {},
    { used: "fewer", says: ["check.dates"], keys: [{ columns: { admitted: { date: "DD.MM.YYYY" } } }] },
  ],
  ["csv/date-german-with-time.csv", { columns: { admitted: { date: "DD.MM.YYYY" } } }, {}],
  [
    "csv/date-oracle.csv",
    {},
    { used: "fewer", says: ["check.dates"], keys: [{ columns: { admitted: { date: "DD-MON-YY" } } }] },
  ],
  ["csv/date-oracle.csv", { columns: { admitted: { date: "DD-MON-YY" } } }, {}],
  ["csv/level-nfd.csv", {}, {}],
  ["csv/level-nbsp.csv", {}, {}],
  [
    "csv/below-detection.csv",
    {},
    { used: "fewer", says: ["check.below-detection"], keys: [{ columns: { crea: { below: ["<"] } } }] },
  ],
  ["csv/below-detection.csv", { columns: { crea: { below: ["<"] } } }, { isOther: true }],
  ["csv/malformed-10000.csv", {}, { malformed: 10_000, says: ["check.fields"] }],
  ["other/cut-at-a-row.csv.gz", {}, { fault: "TABLE_AWAY" }],
  ["other/bom.jsonl", {}, {}],
  ["other/bad-utf-8.sqlite", {}, { rows: 201, says: ["check.no-characters"] }],
  ["other/timestamps-berlin.parquet", {}, { says: ["check.midnights"], isOther: true }],
  ["other/timestamps-berlin.parquet", { timeZone: "Europe/Berlin" }, {}],
];

function expectRight(found: Awaited<ReturnType<typeof seen>>, right: Right, clean: typeof found): void {
  const { used = 200, rows = 200, malformed = 0, fault, says = [], keys = [], isOther = false } = right;
  expect(found.says).toEqual(says);
  expect(found.keys).toEqual(keys);
  if (fault !== undefined) expect(found).toMatchObject({ fault });
  else if (used === "fewer") expect(found.used).toBeLessThan(200);
  else expect(found).toMatchObject({ used, rows, malformed });
  if (used === 200 && fault === undefined && !isOther) expect(found.columns).toEqual(clean.columns);
}

/** What people read before they approve a study, of the profile and of the check in it. */
async function toldBefore(path: string, entry: object): Promise<string[]> {
  const config = tableConfigSchema.parse({ name: "wards", path, ...entry });
  const report = unwrap(await profileTable(config, study));
  return profileRemarks({ ...report, check: await tableCheck(config, { study }), minimumUsable: 80 });
}

describe("a table in each of the ways", () => {
  const own = (way: string) => join(folder, way.replace("/", "-"));
  let clean: Awaited<ReturnType<typeof seen>>;
  beforeAll(async () => {
    for (const way of writtenWays) await writeAsWritten(way, own(way));
    clean = await seen(own("csv/clean.csv"), {});
  });

  it("has a right result", () => expect([...new Set(rights.map(([way]) => way))]).toEqual(writtenWays));

  it.each(rights)("%s, with %j", async (way, entry, right) => {
    expectRight(await seen(own(way), entry), right, clean);
  });
});

it("tells who approves a study that the encoding is another, as the check and the doctor do", async () => {
  const path = join(folder, "undeclared.csv");
  await writeAsWritten("csv/latin-1-undeclared.csv", path);
  const told = (await toldBefore(path, { csv: header })).map(english);
  expect(told).toContain("The text is windows-1252, not utf-8: set csv.encoding.");
  const config = tableConfigSchema.parse({ name: "wards", path, csv: header });
  const [facts] = await tableFacts([config], [study], { engines: null });
  expect(facts!.findings.map(english)).toEqual(["The text is windows-1252, not utf-8: set csv.encoding."]);
  const right = await toldBefore(path, { csv: { ...header, encoding: "latin-1" } });
  expect(right.filter((line) => line.startsWith("check."))).toEqual([]);
});

describe.skipIf(!present)("the files that others wrote", () => {
  const theirs = (way: string) => join(cases, way);
  let clean: Awaited<ReturnType<typeof seen>>;
  beforeAll(async () => {
    clean = await seen(theirs("csv/clean.csv"), {});
  });

  it("are of these ways, and hold what they are said to", () => {
    const files = ["csv", "other"].flatMap((at) => readdirSync(theirs(at)).map((file) => `${at}/${file}`));
    expect(files.sort()).toEqual([...writtenWays].sort());
    expect(clean.columns).toMatchObject([58.39, 2.14315, [{ rows: 110 }, { rows: 90 }, {}], {}, 167.415]);
  });

  it.each(rights)("%s, with %j", async (way, entry, right) => {
    expectRight(await seen(theirs(way), entry), right, clean);
  });

  it("lose those rows whose creatinine is low, where nobody says what `<` means", async () => {
    const { columns } = await seen(theirs("csv/below-detection.csv"), {});
    expect(columns![1]).toBeCloseTo(2.5, 2);
  });
});

/** The rows of a hospital's table. */
const rowsOf = (header: string, row: (i: number) => readonly unknown[]) =>
  [header, ...Array.from({ length: 60 }, (_, i) => row(i).join(","))].map((one) => `${one}\n`).join("");
const sexOf = (i: number) => (i % 2 === 0 ? "F" : "M");
const diedOf = (i: number) => (i % 3 === 0 ? "dead" : "alive");

/** By its file, a study with a mistake, a table of a hospital, and what is said before anybody approves it. */
const mistaken: readonly (readonly [string, string, readonly string[]])[] = [
  ["time-in-days", rowsOf("futime,sex,died", (i) => [80 * i, sexOf(i), diedOf(i)]), ["profile.above"]],
  [
    "levels-in-lower-case",
    rowsOf("futime_years,sex,died", (i) => [i / 6, sexOf(i), diedOf(i)]),
    ["profile.none-used", "profile.undeclared"],
  ],
  [
    "one-date-format",
    rowsOf("born,admitted,discharged", (i) => [`05/13/${1920 + i}`, "01/14/2015", `01/${15 + (i % 9)}/2015`]),
    [
      "profile.none-used",
      "profile.wrong-type",
      "profile.wrong-type",
      "check.dates",
      "check.dates",
      "check.dates",
    ],
  ],
  [
    "level-unknown",
    rowsOf("age,gender,hypertension,heart_disease,avg_glucose_level,bmi,smoking_status,stroke", (i) => [
      i,
      i % 2 ? "Female" : "Male",
      i % 2,
      i % 2,
      90,
      22,
      i % 3 ? "Unknown" : "smokes",
      i % 2,
    ]),
    ["profile.few-used", "profile.undeclared", "profile.levels-unused"],
  ],
];

describe.skipIf(!present)("the studies that others wrote", () => {
  const written = (name: string) => parse(readFileSync(join(cases, "studies", `${name}.yaml`), "utf8"));
  const others = ["join-longer-than-a-week", "blank-twin-levels"];

  it("are these", () => {
    const files = readdirSync(join(cases, "studies"));
    expect(files.sort()).toEqual(
      [...others, ...mistaken.map(([name]) => name)].map((one) => `${one}.yaml`).sort(),
    );
  });

  it("may wait for hospitals longer than a week", () => {
    expect(parseWritten(allMethods, written("join-longer-than-a-week")).ok).toBe(true);
  });

  it("have no two levels that a hospital could not tell apart", () => {
    const read = parseWritten(allMethods, written("blank-twin-levels"));
    expect(read).toMatchObject({ ok: false, error: { issues: [{ path: "label.levels" }] } });
  });

  it.each(mistaken)("are told to who approves: %s", async (name, content, remarks) => {
    const study = unwrap(parseWritten(allMethods, written(name)));
    const path = join(folder, `${name}.csv`);
    writeFileSync(path, content);
    const config = tableConfigSchema.parse({ name: study.table, path });
    const report = unwrap(await profileTable(config, study));
    const check = await tableCheck(config, { study });
    const said = profileRemarks({ ...report, check, minimumUsable: 80 });
    expect(said.map((line) => line.replace(/ .*/, ""))).toEqual(remarks);
  });
});
