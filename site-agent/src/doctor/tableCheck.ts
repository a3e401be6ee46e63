import { toConsiliumError } from "@consilium/core/errors";
import type {
  LeftOutRows,
  SeenColumn,
  TableExamination,
  TableRemark,
} from "@consilium/core/hospital/tableExamination";
import { lines } from "@consilium/core/said";
import { plainText } from "@consilium/core/study/plainText";
import type { Study } from "@consilium/core/study/study";
import type { TableCheckSays } from "@consilium/words/says/tableCheck";
import {
  type CellChunk,
  type CellRequest,
  LevelIndex,
  levelCell,
  type MissingValues,
} from "../data/cells.js";
import { ownNames } from "../data/columns.js";
import { Meanings } from "../data/meanings.js";
import { type OpenedSource, openSource } from "../data/openSource.js";
import { Recoding } from "../data/recoding.js";
import type { LeftOutCause, MalformedRows, SourceColumn } from "../data/source.js";
import { shapeOf } from "../data/sources/csv/source.js";
import { csvOptionsOf, placeOnSpark, type TableConfig } from "../data/tableConfig.js";
import { boundedStudy, unitOf } from "../data/tableUnit.js";
import { ColumnReading } from "./columnReading.js";
import { type CsvSample, sampleCsv } from "./csvSample.js";
import { type Compared, LeftOutComparison, leftOutRemarks } from "./leftOutRows.js";
import { TextReading, TimeReading } from "./textReading.js";

const say = lines<TableCheckSays>();

const isoDate = "YYYY-MM-DD";

/** The cells of so many columns are looked at. */
const columnsLooked = 200;
/** Columns of texts that rows are compared in have at most so many. */
const textsCompared = 20;

export interface CheckOptions {
  /** Why the policy would refuse every study with it; null where it would not, or nobody asked. */
  readonly policy?: string | null;
  /** Whose columns are looked at, and held against what it declares; left out, all are. */
  readonly study?: Study | undefined;
  /** Reads so many rows, or a few more. @default all */
  readonly maxRows?: number;
}

/**
 * What is there of a table, and what its entry should say: no value of one record is in the answer.
 */
export async function tableCheck(
  config: TableConfig,
  { policy = null, study, maxRows = Number.POSITIVE_INFINITY }: CheckOptions = {},
): Promise<TableExamination> {
  const sample = await sampleOf(config).catch(() => null);
  const known = {
    name: config.name,
    problems: [...(sample?.problems ?? []), ...(sample?.needed == null ? [] : sample.ragged)],
    csv: sample?.needed ?? null,
    policy,
  };
  try {
    const bounded = study && boundedStudy(study, unitOf(config));
    const opened = await openSource(config, bounded);
    const { format, files, source } = opened;
    const asked = bounded === undefined ? null : new Recoding(bounded, new Meanings(config)).requests;
    const all = await source.columns(
      files[0]!,
      asked?.map(({ name }) => name),
    );
    const own = asked === null ? null : ownNames(all, asked);
    const names = new Set(own?.map(({ name }) => name));
    const columns = own === null ? all : all.filter(({ name }) => names.has(name));
    // Of a table on a cluster every row would come to this machine, for one study.
    const isHere = study === undefined || placeOnSpark(config) === null;
    const isReadable = sample?.needed == null && isHere;
    const read = isReadable ? await readThrough(opened, columns, { asked: own, maxRows }) : null;
    const isSampled = sample?.needed != null && sample.names !== null;
    const named = isSampled ? sample.names! : columns.map(({ name }) => name);
    return {
      ...known,
      remarks: read?.remarks ?? [],
      format,
      files: files.length,
      written: sample === null ? null : writtenAs(config, files[0]!, { sample, read }),
      columns: named.map((name, at) => ({
        name,
        type: typeOf(columns[at]?.kind, sample?.types[at]),
        ...(read?.seen.get(name) ?? { levels: [], others: 0, dates: null }),
      })),
      leftOut: read?.leftOut ?? null,
      rows: read?.rows ?? null,
      malformed: read?.malformed.rows ?? 0,
      fault: study === undefined ? unitFault(config, named) : null,
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
      leftOut: null,
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
  readonly seen: ReadonlyMap<string, Pick<SeenColumn, "levels" | "others" | "dates">>;
  readonly leftOut: LeftOutRows | null;
}

interface Looking {
  /** What a study reads of the columns, by the table's own names; null where none is asked about. */
  readonly asked: readonly CellRequest[] | null;
  readonly maxRows: number;
}

/**
 * Reads the rows: once for numbers, once more for the texts of columns that have some, and again where cells cannot be read, for how
 * their rows differ from the others.
 */
async function readThrough(
  opened: OpenedSource,
  columns: readonly SourceColumn[],
  { asked, maxRows }: Looking,
): Promise<ReadThrough> {
  const { config } = opened;
  const malformed = { rows: 0, causes: new Map(), lineEnds: { lf: 0, crlf: 0, cr: 0 } };
  const meanings = new Meanings(config);
  const looked = columns.filter(({ kind }) => /^(?:any|number|text)$/.test(kind)).slice(0, columnsLooked);
  // Of a table without such a column any one is read: every row has to be taken apart.
  const readings = (looked.length > 0 ? looked : columns.slice(0, 1)).map(({ name }) => {
    const missing = meanings.missingOf(name);
    return { name, missing, reading: new ColumnReading(name, missing) };
  });
  const numbers = readings.map(({ name, missing }) => ({ kind: "number", name, missing }) as const);
  let rows = 0;
  for await (const chunk of chunksOf(opened, numbers, { malformed, maxRows })) {
    rows += chunk.rows;
    for (const [k, { reading }] of readings.entries()) reading.add(chunk.columns[k]!, chunk.rows);
  }
  const texts = [
    ...readings.filter(({ name, reading }) => reading.holdsTexts || levelsOf(asked, name).length > 0),
    ...columns
      .filter(isOfDates)
      .slice(0, columnsLooked)
      .map(({ name }) => ({ name, missing: meanings.missingOf(name) })),
  ].map(({ name, missing }) => ({ name, missing, texts: new TextReading(name, config.csv?.decimal) }));
  const times =
    config.timeZone === undefined
      ? columns
          .filter(({ kind }) => kind === "timestamp")
          .slice(0, columnsLooked)
          .map(({ name }) => ({ name, times: new TimeReading() }))
      : [];
  const seeing = (name: string, see: (text: string) => void) =>
    ({ kind: "order", name, see: (text: string): undefined => void see(text) }) as const;
  const seeings = [
    ...texts.map(({ name, missing, texts }) =>
      seeing(name, (text) => missing.texts.has(text) || texts.add(text)),
    ),
    ...times.map(({ name, times }) => seeing(name, (text) => times.add(text))),
  ];
  for await (const chunk of chunksOf(opened, seeings, { malformed: { rows: 0 }, maxRows })) void chunk;
  const patients = unitOf(config);
  const seen = new Map(
    texts
      // What says whose a row is may stand in many cells, and is one patient's.
      .filter(({ name }) => patients.kind !== "patient" || plainText(patients.column) !== plainText(name))
      .map(({ name, texts }) => {
        const kind = columns.find((column) => column.name === name);
        const format = dateOf(asked, name) ?? meanings.dateOf(name);
        return [
          name,
          texts.seen({
            declares: declaring(levelsOf(asked, name), meanings.spelledOf(name)),
            isOfLevels: levelsOf(asked, name).length > 0,
            format: format ?? (kind !== undefined && isOfDates(kind) ? isoDate : undefined),
          }),
        ] as const;
      }),
  );
  const readable = asked ?? readableOf(readings, meanings);
  const leftOut = await comparedRows(opened, readable, { readings, seen, meanings, maxRows });
  const remarks = [
    ...[...malformed.causes].map(([cause, found]) => causeRemark(cause, found)),
    ...lineEndRemarks(malformed.lineEnds),
    ...texts.flatMap(({ name, texts }) => texts.remarks(meanings.of(name))),
    ...readings.flatMap(({ reading }) => reading.remarks()),
    ...times.flatMap(({ name, times }) => times.remarks(name)),
    ...(leftOut === null ? [] : leftOutRemarks(leftOut)),
  ];
  return { rows, malformed, remarks, seen, leftOut };
}

const isOfDates = ({ kind }: SourceColumn) => kind === "date" || kind === "timestamp";
const levelsOf = (asked: Looking["asked"], column: string) =>
  (asked ?? []).flatMap((one) => (one.kind === "level" && one.name === column ? [one.levels] : []));
const dateOf = (asked: Looking["asked"], column: string) =>
  (asked ?? []).flatMap((one) => (one.kind === "date" && one.name === column ? [one.format] : []))[0];

/** Whether a study, or else the table's entry, names a text; null where neither names any. */
function declaring(
  levels: readonly LevelIndex[],
  spelled: Readonly<Record<string, string>>,
): ((text: string) => boolean) | null {
  if (levels.length > 0) return (text) => levels.some((one) => one.code(text) !== levelCell.undeclared);
  const texts = new Set(Object.keys(spelled).map(plainText));
  return texts.size === 0 ? null : (text) => texts.has(text);
}

/** The rows of all files, up to a number of them; nothing where nothing is asked for. */
async function* chunksOf(
  { files, source }: OpenedSource,
  requests: readonly CellRequest[],
  { malformed, maxRows }: { readonly malformed: MalformedRows; readonly maxRows: number },
): AsyncGenerator<CellChunk> {
  if (requests.length === 0) return;
  let rows = 0;
  for (const file of files)
    for await (const chunk of source.read(file, requests, { malformed })) {
      yield chunk;
      rows += chunk.rows;
      if (rows >= maxRows) return;
    }
}

interface NumbersRead {
  readonly name: string;
  readonly missing: MissingValues;
  readonly reading: ColumnReading;
}

/** What any study would ask of the columns: numbers of those that hold mostly numbers, and dates as the entry states. */
const readableOf = (readings: readonly NumbersRead[], meanings: Meanings): CellRequest[] =>
  readings.flatMap(({ name, missing, reading }): CellRequest[] => {
    const format = meanings.dateOf(name);
    if (format !== undefined) return [{ kind: "date", name, format, zone: meanings.zone, missing }];
    const below = meanings.belowOf(name, "missing");
    return reading.isOfNumbers ? [{ kind: "number", name, missing, below }] : [];
  });

/** Null where every cell can be read. */
async function comparedRows(
  opened: OpenedSource,
  readable: readonly CellRequest[],
  {
    readings,
    seen,
    meanings,
    maxRows,
  }: Pick<ReadThrough, "seen"> & {
    readonly readings: readonly NumbersRead[];
    readonly meanings: Meanings;
    readonly maxRows: number;
  },
): Promise<LeftOutRows | null> {
  const texts = [...seen].flatMap(([name, { levels }]): Compared[] => {
    if (levels.length === 0 || levels.length > textsCompared) return [];
    const missing = meanings.missingOf(name);
    const shown = levels.map(({ text }) => text);
    const request = {
      kind: "level",
      name,
      levels: new LevelIndex({ name, levels: shown }, missing),
    } as const;
    return [{ request, texts: shown }];
  });
  const known = new Set(texts.map(({ request }) => request.name));
  const numbers = readings
    .filter(({ name, reading }) => reading.isOfNumbers && !known.has(name))
    .map(({ name, missing }): Compared => ({ request: { kind: "number", name, missing }, texts: null }));
  const comparison = new LeftOutComparison(readable, [...numbers, ...texts]);
  const holdTexts = new Set(readings.flatMap(({ name, reading }) => (reading.holdsTexts ? [name] : [])));
  if (!readable.some(({ kind, name }) => kind !== "number" || holdTexts.has(name))) return null;
  for await (const chunk of chunksOf(opened, comparison.requests, { malformed: { rows: 0 }, maxRows }))
    comparison.add(chunk);
  const found = comparison.found();
  return found.rows === 0 ? null : found;
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
