import { toConsiliumError } from "@consilium/core/errors";
import type { TableExamination, TableRemark } from "@consilium/core/hospital/tableExamination";
import { lines } from "@consilium/core/said";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import { Meanings } from "../data/meanings.js";
import { type OpenedSource, openSource } from "../data/openSource.js";
import type { LeftOutCause, MalformedRows, SourceColumn } from "../data/source.js";
import { shapeOf } from "../data/sources/csv/source.js";
import { csvOptionsOf, type TableConfig } from "../data/tableConfig.js";
import { ColumnReading } from "./columnReading.js";
import { type CsvSample, sampleCsv } from "./csvSample.js";
import { TextReading, TimeReading } from "./textReading.js";

const say = lines<TableCheckSays>();

/** The cells of so many columns are looked at. */
const columnsLooked = 200;

/**
 * What is there of a table, and what its entry should say: every row is read, and no value is in the answer.
 * @param policy - why the policy would refuse every study with it; null where it would not, or nobody asked
 */
export async function tableCheck(
  config: TableConfig,
  policy: string | null = null,
): Promise<TableExamination> {
  const sample = await sampleOf(config).catch(() => null);
  const known = {
    name: config.name,
    problems: [...(sample?.problems ?? []), ...(sample?.needed == null ? [] : sample.ragged)],
    csv: sample?.needed ?? null,
    policy,
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

const typeOf = (kind: string | undefined, sampled: string | undefined): string =>
  kind === undefined || kind === "any" ? (sampled ?? "any") : kind;

/** Null for what is no CSV file. */
export async function sampleOf(config: TableConfig): Promise<CsvSample | null> {
  if (config.path === undefined) return null;
  const { format, files } = await openSource(config);
  return format === "csv" ? sampleCsv(files[0]!, config.csv, config.nullValues) : null;
}
