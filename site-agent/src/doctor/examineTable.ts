import { dirname, join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import type { TableExamination, TableRemark } from "@consilium/core/hospital/tableExamination";
import { lines } from "@consilium/core/said";
import { checkedConfig, loadConfig } from "@consilium/runtime/config";
import { check, warn } from "@consilium/runtime/doctor/check";
import { osRandom } from "@consilium/runtime/random";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { siteConfigSchema } from "../config.js";
import { Meanings } from "../data/meanings.js";
import { type OpenedSource, openSource } from "../data/openSource.js";
import type { LeftOutCause, MalformedRows, SourceColumn } from "../data/source.js";
import { shapeOf } from "../data/sources/csv/source.js";
import {
  csvOptionsOf,
  resolveTableConfig,
  type TableConfig,
  tableConfigSchema,
} from "../data/tableConfig.js";
import { TableSources } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { ColumnReading } from "./columnReading.js";
import { type CsvSample, sampleCsv } from "./csvSample.js";
import { TextReading, TimeReading } from "./textReading.js";

const say = lines<TableCheckSays>();

/** One table for `consilium site table`: what is there, and what its entry should say. Read, and shown without a value. */

/** The cells of so many columns are looked at. */
const columnsLooked = 200;

/** @param which - the name of a table of the configuration, or an entry that is not in it yet, as JSON */
export async function examineTable(
  stateFolder: string,
  which: { readonly name: string } | { readonly entry: string },
): Promise<TableExamination> {
  const config = await configOf(stateFolder, which);
  const sample = await sampleOf(config).catch(() => null);
  const known = {
    name: config.name,
    problems: [...(sample?.problems ?? []), ...(sample?.needed == null ? [] : sample.ragged)],
    csv: sample?.needed ?? null,
    policy: "entry" in which ? await policyFault(stateFolder, config) : null,
  };
  try {
    const opened = await openSource(config);
    const { format, files, source } = opened;
    const columns = await source.columns(files[0]!);
    const isReadable = sample?.needed == null;
    const read = isReadable ? await readThrough(opened, columns) : null;
    const isSampled = sample?.names != null && !isReadable;
    const named = isSampled ? sample!.names! : columns.map(({ name }) => name);
    return {
      ...known,
      remarks: read?.remarks ?? [],
      format,
      files: files.length,
      written: sample === null ? null : writtenAs(config, files[0]!, { sample, read }),
      columns: named.map((name, at) => ({ name, type: typeOf(columns[at]?.kind, sample?.types[at]) })),
      rows: read?.rows ?? null,
      malformed: read?.malformed.rows ?? 0,
      fault: unitFault(config, named),
    };
  } catch (thrown) {
    const { code, message, remedy } = toConsiliumError(thrown);
    const fault =
      code === "INTERNAL"
        ? { message: "the table cannot be read", remedy: "check its path, format and permissions" }
        : { message, remedy };
    const nothing = {
      format: "",
      files: 0,
      written: null,
      columns: [],
      remarks: [],
      rows: null,
      malformed: 0,
    };
    return { ...known, ...nothing, fault };
  }
}

interface ReadThrough {
  readonly rows: number;
  readonly malformed: MalformedRows & Required<Pick<MalformedRows, "causes" | "lineEnds">>;
  readonly remarks: TableRemark[];
}

/** Reads every row: once for numbers, and once more for the texts of columns that have some. */
async function readThrough(
  { config, files, source }: OpenedSource,
  columns: readonly SourceColumn[],
): Promise<ReadThrough> {
  const malformed = { rows: 0, causes: new Map(), lineEnds: { lf: 0, crlf: 0, cr: 0 } };
  const meanings = new Meanings(config);
  let rows = 0;
  const looked = columns.filter(({ kind }) => /^(?:any|number|text)$/.test(kind)).slice(0, columnsLooked);
  // Of a table without such a column any one is read: every row has to be taken apart.
  const readings = (looked.length > 0 ? looked : columns.slice(0, 1)).map(({ name }) => {
    const missing = meanings.missingOf(name);
    return { name, missing, reading: new ColumnReading(name, missing) };
  });
  if (readings.length > 0) {
    const requests = readings.map(({ name, missing }) => ({ kind: "number", name, missing }) as const);
    for (const file of files)
      for await (const chunk of source.read(file, requests, { malformed })) {
        rows += chunk.rows;
        for (const [k, { reading }] of readings.entries()) reading.add(chunk.columns[k]!, chunk.rows);
      }
  }
  const texts = readings
    .filter(({ reading }) => reading.holdsTexts)
    .map(({ name, missing }) => ({ name, missing, texts: new TextReading(name, config.csv?.decimal) }));
  const times =
    config.timeZone === undefined
      ? columns
          .filter(({ kind }) => kind === "timestamp")
          .slice(0, columnsLooked)
          .map(({ name }) => ({ name, times: new TimeReading() }))
      : [];
  if (texts.length + times.length > 0) {
    const seeing = (name: string, see: (text: string) => void) =>
      ({ kind: "order", name, see: (text: string): undefined => void see(text) }) as const;
    const requests = [
      ...texts.map(({ name, missing, texts }) =>
        seeing(name, (text) => missing.texts.has(text) || texts.add(text)),
      ),
      ...times.map(({ name, times }) => seeing(name, (text) => times.add(text))),
    ];
    for (const file of files)
      for await (const chunk of source.read(file, requests, { malformed: { rows: 0 } })) void chunk;
  }
  const remarks = [
    ...[...malformed.causes].map(([cause, found]) => causeRemark(cause, found)),
    ...lineEndRemarks(malformed.lineEnds),
    ...texts.flatMap(({ name, texts }) => texts.remarks(meanings.of(name))),
    ...readings.flatMap(({ reading }) => reading.remarks()),
    ...times.flatMap(({ name, times }) => times.remarks(name)),
  ];
  return { rows, malformed, remarks };
}

function causeRemark(
  cause: LeftOutCause,
  { rows, line }: { readonly rows: number; readonly line: number },
): TableRemark {
  return {
    line: cause === "cut" ? say("check.cut", { line }) : say(`check.${cause}`, { rows, line }),
    entry: null,
  };
}

/** One line end of another kind is no reason to look. */
function lineEndRemarks({ lf, crlf, cr }: NonNullable<MalformedRows["lineEnds"]>): TableRemark[] {
  if ([lf, crlf, cr].filter((ends) => ends > 1).length < 2) return [];
  return [{ line: say("check.line-ends", { lf, crlf, cr }), entry: null }];
}

function writtenAs(
  config: TableConfig,
  file: string,
  { sample, read }: { readonly sample: CsvSample; readonly read: ReadThrough | null },
): TableExamination["written"] {
  const csv = csvOptionsOf(config);
  return {
    encoding: sample.csv.encoding === "utf-16" ? "utf-16" : csv.encoding,
    delimiter: shapeOf(csv, file).delimiter,
    lineEnds: read?.malformed.lineEnds ?? { lf: 0, crlf: 0, cr: 0 },
    header: csv.names === undefined,
  };
}

/** A unit of privacy that names a column which is not there: no study could use the table. */
function unitFault({ unit }: TableConfig, columns: readonly string[]): TableExamination["fault"] {
  // JSON lines without declared keys have no columns to look among.
  if (unit === undefined || unit === "rows" || columns.length === 0) return null;
  const lacking = [unit.patient.column, unit.patient.orderBy].find(
    (name) => name !== undefined && !columns.includes(name),
  );
  if (lacking === undefined) return null;
  return {
    message: `the table's unit names the column ${JSON.stringify(lacking)}, and the table has none of that name`,
    remedy: "name the column that says whose a row is, as the table has it",
  };
}

/** What the policy's populations say of the site's tables with this one: tables of two units have no common budget. */
async function policyFault(stateFolder: string, added: TableConfig): Promise<string | null> {
  const config = await loadConfig(join(stateFolder, "config.yaml"), siteConfigSchema).catch(() => null);
  // The doctor names what is wrong with it.
  if (config === null) return null;
  const others = config.tables.filter(({ name }) => name !== added.name);
  const all = [...others.map((table) => resolveTableConfig(table, stateFolder)), added];
  // Hashes of sources are compared with one another alone, and kept nowhere.
  const known = new TableSources(all, osRandom.bytes(32));
  await known.resolve();
  const read = new PolicyFile(join(stateFolder, policyFileName), { tables: known }).read();
  return read.ok ? null : read.error.message;
}

const typeOf = (kind: string | undefined, sampled: string | undefined): string =>
  kind === undefined || kind === "any" ? (sampled ?? "any") : kind;

/** @throws ConsiliumError TABLE_UNKNOWN, CONFIG_INVALID */
export async function configOf(
  stateFolder: string,
  which: { readonly name: string } | { readonly entry: string },
): Promise<TableConfig> {
  const path = join(stateFolder, "config.yaml");
  if ("entry" in which)
    return resolveTableConfig(
      checkedConfig(JSON.parse(which.entry), "the table's entry", tableConfigSchema),
      dirname(path),
    );
  const { tables } = await loadConfig(path, siteConfigSchema);
  const found = tables.find(({ name }) => name === which.name);
  if (found !== undefined) return resolveTableConfig(found, dirname(path));
  throw new ConsiliumError("TABLE_UNKNOWN", `config.yaml has no table ${JSON.stringify(which.name)}`, {
    remedy: `it has: ${tables.map(({ name }) => name).join(", ") || "none"}; add one with \`consilium site table add\``,
  });
}

/** Null for what is no CSV file. */
async function sampleOf(config: TableConfig): Promise<CsvSample | null> {
  if (config.path === undefined) return null;
  const { format, files } = await openSource(config);
  return format === "csv" ? sampleCsv(files[0]!, config.csv, config.nullValues) : null;
}

/** Checks beside those of the tables: what their first rows say of how they are written. */
export async function sampleChecks(tables: readonly TableConfig[]): Promise<DoctorCheck[]> {
  const checks = await Promise.all(
    tables.map(async (table) => {
      const sample = await sampleOf(table).catch(() => null);
      if (sample === null) return [];
      const problems = [...sample.problems, ...sample.ragged];
      if (problems.length === 0) return [];
      const remedy =
        sample.needed === null
          ? "correct the export"
          : `write under tables.${table.name} in config.yaml: csv: ${csvLine(sample.needed)}`;
      const found = problems.join("; ");
      return [check(`tables:${table.name}-sample`, `Table ${table.name}, first rows`, warn(found, remedy))];
    }),
  );
  return checks.flat();
}

/** As one line of YAML. */
export function csvLine(csv: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(csv).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `{ ${pairs.join(", ")} }`;
}
