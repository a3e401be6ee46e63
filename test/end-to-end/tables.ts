import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { markerNumbers, markerTexts } from "./markers.js";

/** Hand-made tables of four columns: `a` and `b` numbers, `sex` and `outcome` levels. Many cells are marker values. */

export const columnsOf = {
  features: [
    { name: "a", type: "numeric", min: 0, max: 1_000_000 },
    { name: "b", type: "numeric", min: -10, max: 10 },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ],
  label: { name: "outcome", levels: ["good", "poor"] },
} as const;

export const goodRows = 24;
const header = "a,b,sex,note,outcome";

/** `note` is no column of any study: it is a text that must not get out either. */
function row(i: number, change: Partial<Record<"a" | "b" | "sex" | "outcome", string>> = {}): string {
  const a = change.a ?? String(i % 4 === 0 ? markerNumbers[0] : 1000 * i + 500.25);
  const b = change.b ?? String(Math.round(8000 * Math.sin(i)) / 1000);
  const sex = change.sex ?? (i % 3 === 0 ? "f" : "m");
  const outcome = change.outcome ?? (i % 2 === 0 ? "good" : "poor");
  return [a, b, sex, `${markerTexts[0]}-${i}`, outcome].join(",");
}

type Change = Parameters<typeof row>[1];

function csv(rows: number, change: (i: number) => Change = () => ({})): string {
  return `${[header, ...Array.from({ length: rows }, (_, i) => row(i, change(i)))].join("\n")}\n`;
}

/** One cell of row 7 is changed. */
const cell = (change: Change) => csv(goodRows, (i) => (i === 7 ? change : {}));

export const goodTable = csv(goodRows);

/** A table that is wrong in one way, what the hospital is told of it, and what the operator is. */
export interface BadTable {
  readonly name: string;
  /** Contents of `<name>.<ending>`, or null where there is to be nothing. */
  readonly content: string | Buffer | null;
  readonly ending?: string;
  readonly inner: string;
  readonly outward: string;
  /** The hospital's reason names what and where. */
  readonly reason: RegExp;
}

const bad = (
  name: string,
  content: BadTable["content"],
  inner: string,
  reason: RegExp,
  more: Partial<BadTable> = {},
): BadTable => ({ name, content, inner, outward: inner, reason, ...more });

/** What would tell the operator something of this site's records. */
const kept = { outward: "PREFLIGHT_FAILED" };

export const maxRowsPerSite = 100;

export const badTables: readonly BadTable[] = [
  bad("wrong-column", goodTable.replace("a,b,", "a,bb,"), "COLUMN_MISSING", /column "b"/),
  bad("twice-a-column", goodTable.replace("sex,note", "sex,b"), "COLUMN_AMBIGUOUS", /"b"/),
  bad("text-in-number", cell({ a: `${markerTexts[0]}7` }), "COLUMN_TYPE", /column "a", row 8/, kept),
  bad("number-of-commas", cell({ b: `${markerNumbers[0]} kg` }), "COLUMN_TYPE", /column "b", row 8/, kept),
  bad("not-a-number", cell({ b: "NaN" }), "VALUE_NOT_FINITE", /column "b", row 8/, kept),
  bad("infinite", cell({ b: "-Infinity" }), "VALUE_NOT_FINITE", /column "b", row 8/, kept),
  bad("undeclared-level", cell({ sex: markerTexts[1] }), "LEVEL_UNDECLARED", /column "sex", row 8/, kept),
  bad(
    "undeclared-label",
    cell({ outcome: markerTexts[1] }),
    "LEVEL_UNDECLARED",
    /column "outcome", row 8/,
    kept,
  ),
  bad("empty-file", "", "TABLE_EMPTY", /the file is empty/),
  bad("header-only", `${header}\n`, "ROWS_TOO_FEW", /0 usable of 0 rows/, kept),
  bad(
    "no-usable-rows",
    csv(goodRows, () => ({ b: "" })),
    "ROWS_TOO_FEW",
    /0 usable of 24 rows/,
    kept,
  ),
  bad("one-row", csv(1), "ROWS_TOO_FEW", /1 usable of 1 rows/, kept),
  bad(
    "constant",
    csv(goodRows, () => ({ a: String(markerNumbers[1]) })),
    "COLUMN_CONSTANT",
    /"a"/,
    kept,
  ),
  bad("too-many-rows", csv(maxRowsPerSite + 1), "ROWS_TOO_MANY", /100 usable rows/, kept),
  bad("no-such-folder", null, "TABLE_AWAY", /no-such-folder/, { ending: "" }),
  bad(
    "corrupt",
    Buffer.concat([Buffer.from("PAR1"), randomBytes(4000), Buffer.from("PAR1")]),
    "TABLE_UNREADABLE",
    /corrupt/,
    {
      ending: ".parquet",
    },
  ),
  bad("not-parquet", goodTable, "TABLE_UNREADABLE", /not-parquet/, { ending: ".parquet" }),
];

/** Writes the good table and all bad ones into a folder. @returns the path by table name */
export async function writeTables(folder: string): Promise<{ good: string; bad: Record<string, string> }> {
  await mkdir(folder, { recursive: true });
  const good = join(folder, "good.csv");
  await writeFile(good, goodTable);
  const paths: Record<string, string> = {};
  for (const { name, content, ending } of badTables) {
    const path = join(folder, `${name}${ending ?? ".csv"}`);
    if (content !== null) await writeFile(path, content);
    paths[name] = path;
  }
  return { good, bad: paths };
}

export interface StudyChange {
  readonly [key: string]: unknown;
}

/** A study of these tables; `change` replaces whole keys. */
export function studyOf(name: string, change: StudyChange = {}): Record<string, unknown> {
  return {
    name,
    table: "visits",
    analysis: "pca",
    variant: "paper",
    parameters: { components: 2, scale: "declared" },
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { minimumSites: 3, maxRowsPerSite, joinDeadline: "1m", phaseDeadline: "1m" },
    ...columnsOf,
    ...change,
  };
}
