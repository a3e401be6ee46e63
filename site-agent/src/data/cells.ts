import { assertNever } from "@consilium/core/result";
import { plainText, trimBlanks } from "@consilium/core/study/plainText";
import { dayOf } from "./dateText.js";
import { fault } from "./fault.js";
import type { PatientHash } from "./patientHash.js";
import { shown } from "./place.js";

/**
 * How a source hands out one cell: as a float64, whatever its column is. A number cell is the number itself, a
 * level cell the level's index; what is neither is marked by a value that no good cell can have.
 *
 * One meaning holds for all formats:
 * - Text is taken without its surrounding blanks (space, tab, line ends, form feeds, no-break and zero-width ones), and in Unicode's
 *   normal form C. Empty text is a missing value.
 * - A number is a number of the format, or text that spells a decimal one (`12`, `-0.5`, `1e-3`). Booleans, dates
 *   and other text are not numbers. Decimals and whole numbers of any length become the nearest float64, ties to even;
 *   the float32 numbers of a format are taken as the numbers that they are, exactly. -0 is 0.
 * - A level is compared as text, exactly, upper and lower case differing. Booleans are `true` and `false`. Numbers match
 *   with and without zeros at the end of their fraction (`1` and `1.0`, `2.5` and `2.50`): some formats store these, others
 *   do not. A study that declares two such spellings as two levels has them kept apart. Numbers from 10^15 or
 *   below 10^-4 are compared as their format writes them.
 * - A date is days since 1970-01-01 (`timeCell`): text, or what a format has for dates and times. What is none is not numeric.
 * - What rows are ordered by is a number, or a date or time (`orderOf`).
 */
export const numberCell = {
  missing: Number.NaN,
  notFinite: Number.POSITIVE_INFINITY,
  notNumeric: Number.NEGATIVE_INFINITY,
} as const;

export const levelCell = { missing: -1, undeclared: -2 } as const;

/**
 * What to read of a table, in this order; `name` is the column's exact name. At most one names the patient, and it is
 * the last; before it there may be the column that a patient's rows are ordered by.
 */
export type CellRequest =
  | TimeRequest
  | (Asked & { readonly kind: "number"; readonly below?: BelowDetection | undefined })
  | (Asked & { readonly kind: "level"; readonly levels: LevelIndex })
  | (Asked & { readonly kind: "patient"; readonly hash: PatientHash });

interface Asked {
  readonly name: string;
  /** What stands for a missing value in this column; left out, what does in the table. */
  readonly missing?: MissingValues | undefined;
}

/** How a table spells a value below detection, and what it counts as. */
export interface BelowDetection {
  /** Whole texts, or what stands before the limit in them. */
  readonly spellings: readonly string[];
  readonly as: "half" | "bound" | "missing" | number;
}

/** What a number below a limit counts as. @param limit - NaN where the text names none */
export function countedBelow({ as }: Pick<BelowDetection, "as">, limit: number): number {
  if (typeof as === "number") return as;
  return as === "missing" ? numberCell.missing : as === "half" ? limit / 2 : limit;
}

const limitAtEnd = /\d+(?:[.,]\d+)?$/;

/** Null for text that is not below detection. */
function belowCell(below: BelowDetection, text: string, decimal: "." | ","): number | null {
  for (const spelled of below.spellings) {
    const isWhole = text === spelled;
    if (!isWhole && !text.startsWith(spelled)) continue;
    const limit = numberFromText(
      isWhole ? (limitAtEnd.exec(text)?.[0] ?? "") : trimBlanks(text.slice(spelled.length)),
      decimal,
    );
    if (Number.isFinite(limit)) return countedBelow(below, limit);
    if (isWhole) return countedBelow(below, numberCell.missing);
  }
  return null;
}

/** What sources hand out as text; `see` is given it, by the doctor alone. */
export type TimeRequest =
  | (Asked & { readonly kind: "order"; readonly see?: (text: string) => undefined })
  | (Asked & {
      readonly kind: "date";
      readonly format: string;
      /** The hospital's time zone, if stated. */
      readonly zone?: string | undefined;
    });

/**
 * A run of rows, column by column in the order of the requests; the patient's three parts come last. Valid until the
 * next one is asked for.
 */
export interface CellChunk {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

// `+-5` is read as -5, because DuckDB's parser of CSV files does so.
const decimalNumber =
  /^(?:[+-]|\+-)?(?=\.?\d)(?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const notANumber = /^(?:[+-]|\+-)?(?:nan|inf|infinity)$/i;

/** Reads a number cell from text already trimmed and known not to be missing. With a decimal comma it holds no point: `1.234` might mean a thousand. */
export function numberFromText(written: string, decimal: "." | "," = "."): number {
  if (decimal === "," && written.includes(".")) return numberCell.notNumeric;
  const text = decimal === "," ? written.replace(",", ".") : written;
  if (decimalNumber.test(text)) {
    const value = Number(text.replace(/^\+/, "").replaceAll("_", ""));
    return Number.isFinite(value) ? value : numberCell.notFinite;
  }
  return notANumber.test(text) ? numberCell.notFinite : numberCell.notNumeric;
}

const dateOrTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?:Z|[+-]00(?::?00)?)?)?$/;

/**
 * Where a row belongs among its patient's: a number as it is, a date or a time in UTC as seconds since 1970. Infinity, after
 * all others, for text that is neither, times with another offset included.
 */
export function orderOf(value: string | null, missing: MissingValues): number {
  const text = trimBlanks(value ?? "");
  if (missing.texts.has(text)) return Number.POSITIVE_INFINITY;
  const [, date, minutes = "00:00", seconds = "0"] = dateOrTime.exec(text) ?? [];
  const order =
    date === undefined ? numberFromText(text) : Date.parse(`${date}T${minutes}:00Z`) / 1000 + Number(seconds);
  return Number.isFinite(order) && !missing.numbers.includes(order) ? order : Number.POSITIVE_INFINITY;
}

/** The cell of a request that sources hand out as text. */
export function timeCell(request: TimeRequest, value: string | null, missing: MissingValues): number {
  if (request.kind === "order") return request.see?.(trimBlanks(value ?? "")) ?? orderOf(value, missing);
  const text = plainText(value ?? "");
  return (request.missing ?? missing).texts.has(text)
    ? numberCell.missing
    : (dayOf(text, request.format, request.zone) ?? numberCell.notNumeric);
}

/**
 * How text becomes the cell of a request, of a patient its three parts; null is no value.
 * @param decimal - the decimal mark of numbers
 */
export function cellOfText(
  request: CellRequest,
  tables: MissingValues,
  decimal: "." | "," = ".",
): (text: string | null) => number | readonly number[] {
  const missing = request.missing ?? tables;
  switch (request.kind) {
    case "number": {
      const { below } = request;
      return (value) => {
        const text = plainText(value ?? "");
        if (missing.texts.has(text)) return numberCell.missing;
        const found = below === undefined ? null : belowCell(below, text, decimal);
        return found ?? numberFromText(text, decimal);
      };
    }
    case "level":
      return (value) => (value === null ? levelCell.missing : request.levels.code(plainText(value)));
    case "date":
    case "order":
      return (value) => timeCell(request, value, missing);
    case "patient":
      return (value) => request.hash.parts(value);
    default:
      return assertNever(request);
  }
}

/** The texts that stand for a missing value, and what they say about numbers. */
export class MissingValues {
  /** As `plainText`; the empty text is always among them. */
  readonly texts: ReadonlySet<string>;
  /** Numbers that stand for a missing value, however spelled. */
  readonly numbers: readonly number[];
  /** Whether the number NaN stands for one: when `NaN` is among the texts. */
  readonly nan: boolean;

  constructor(texts: readonly string[]) {
    this.texts = new Set(["", ...texts.map(plainText)]);
    this.numbers = [...this.texts].filter((text) => decimalNumber.test(text)).map((text) => Number(text));
    this.nan = [...this.texts].some((text) => /^nan$/i.test(text));
  }
}

/** A number with zeros at the end of its fraction. Its two groups, of which one is empty, are the number without them. */
export const zerosAtEnd = /^(?:(-?[0-9]+)\.0+|(-?[0-9]+\.[0-9]*[1-9])0+)$/;

const withoutZeros = (text: string) => text.replace(zerosAtEnd, "$1$2");

interface LevelColumn {
  readonly name: string;
  readonly levels: readonly string[];
  /** Of the table's texts to levels; left out: the levels are the texts. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** Of the hospital's texts to those of the study, or to levels. */
  readonly spelled?: Readonly<Record<string, string>> | undefined;
}

/** Text to level: every spelling that a declared level has, and every spelling of a missing value. */
export class LevelIndex {
  /** Plain text to the level's index, or to `levelCell.missing`. A text that is not among them may be without its zeros. */
  readonly codes: ReadonlyMap<string, number>;
  /** The texts of the levels alone. */
  readonly declared: ReadonlySet<string>;

  /** @throws ConsiliumError STUDY_INVALID when two levels cannot be told apart, or one is blank */
  constructor({ name, levels, map, spelled = {} }: LevelColumn, missing: MissingValues) {
    const codes = new Map<string, number>();
    const texts =
      map === undefined
        ? [...levels.entries()].map(([code, level]) => [level, code] as const)
        : Object.entries(map).map(([text, level]) => [text, levels.indexOf(level)] as const);
    texts.forEach(([spelling, code], at) => {
      const text = plainText(spelling);
      if (text === "" || codes.has(text)) {
        const what = text === "" ? "columns.level-blank" : "columns.level-alike";
        throw fault("STUDY_INVALID", what, { column: shown(name), level: at + 1 });
      }
      codes.set(text, code);
    });
    const own = new Map(codes);
    for (const [spelling, meant] of Object.entries(spelled)) {
      const code =
        own.get(plainText(meant)) ?? levels.findIndex((level) => plainText(level) === plainText(meant));
      if (code !== -1) codes.set(plainText(spelling), code);
    }
    this.declared = new Set(codes.keys());
    for (const [text, code] of [...codes])
      if (!codes.has(withoutZeros(text))) codes.set(withoutZeros(text), code);
    for (const text of missing.texts)
      for (const spelling of [text, withoutZeros(text)])
        if (!codes.has(spelling)) codes.set(spelling, levelCell.missing);
    this.codes = codes;
  }

  /** @param text - as `plainText` */
  code(text: string): number {
    return this.codes.get(text) ?? this.codes.get(withoutZeros(text)) ?? levelCell.undeclared;
  }
}
