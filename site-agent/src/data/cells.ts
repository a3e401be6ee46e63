import { ConsiliumError } from "@consilium/core/errors";
import { type DateFormat, dayOf } from "@consilium/core/study/dates";
import { quoted } from "@consilium/core/text";
import type { PatientHash } from "./patientHash.js";

/**
 * How a source hands out one cell: as a float64, whatever its column is. A number cell is the number itself, a
 * level cell the level's index; what is neither is marked by a value that no good cell can have.
 *
 * One meaning holds for all formats:
 * - Text is taken without its surrounding blanks (space, tab, line ends, form feeds). Empty text is a missing value.
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
  | { readonly kind: "number"; readonly name: string }
  | { readonly kind: "level"; readonly name: string; readonly levels: LevelIndex }
  | { readonly kind: "patient"; readonly name: string; readonly hash: PatientHash };

/** What sources hand out as text; `see` is given it, by the doctor alone. */
export type TimeRequest =
  | { readonly kind: "order"; readonly name: string; readonly see?: (text: string) => undefined }
  | { readonly kind: "date"; readonly name: string; readonly format: DateFormat };

/**
 * A run of rows, column by column in the order of the requests; the patient's three parts come last. Valid until the
 * next one is asked for.
 */
export interface CellChunk {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

/** The chunk without its first rows, of which there may be fewer. */
export function dropRows(chunk: CellChunk, rows: number): CellChunk {
  if (rows === 0) return chunk;
  const dropped = Math.min(rows, chunk.rows);
  return { rows: chunk.rows - dropped, columns: chunk.columns.map((c) => c.subarray(dropped, chunk.rows)) };
}

const isBlank = (character: string) => " \t\r\n\v\f".includes(character);

/** Takes time in proportion to the text, as all that reads a cell must: of a regular expression, blanks within a long text would take its square. */
export function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text[from]!)) from++;
  while (from < to && isBlank(text[to - 1]!)) to--;
  return text.slice(from, to);
}

// `+-5` is read as -5, because DuckDB's parser of CSV files does so.
const decimalNumber =
  /^(?:[+-]|\+-)?(?=\.?\d)(?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const notANumber = /^(?:[+-]|\+-)?(?:nan|inf|infinity)$/i;

/** Reads a number cell from text already trimmed and known not to be missing. */
export function numberFromText(text: string): number {
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
  const text = trimBlanks(value ?? "");
  return missing.texts.has(text)
    ? numberCell.missing
    : (dayOf(text, request.format) ?? numberCell.notNumeric);
}

/** The texts that stand for a missing value, and what they say about numbers. */
export class MissingValues {
  /** Trimmed; the empty text is always among them. */
  readonly texts: ReadonlySet<string>;
  /** Numbers that stand for a missing value, however spelled. */
  readonly numbers: readonly number[];
  /** Whether the number NaN stands for one: when `NaN` is among the texts. */
  readonly nan: boolean;

  constructor(texts: readonly string[]) {
    this.texts = new Set(["", ...texts.map(trimBlanks)]);
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
}

/** Text to level: every spelling that a declared level has, and every spelling of a missing value. */
export class LevelIndex {
  /** Trimmed text to the level's index, or to `levelCell.missing`. A text that is not among them may be without its zeros. */
  readonly codes: ReadonlyMap<string, number>;
  /** The texts of the levels alone. */
  readonly declared: ReadonlySet<string>;

  /** @throws ConsiliumError STUDY_INVALID when two levels cannot be told apart, or one is blank */
  constructor({ name, levels, map }: LevelColumn, missing: MissingValues) {
    const codes = new Map<string, number>();
    const spelled =
      map === undefined
        ? [...levels.entries()].map(([code, level]) => [level, code] as const)
        : Object.entries(map).map(([text, level]) => [text, levels.indexOf(level)] as const);
    spelled.forEach(([spelling, code], at) => {
      const text = trimBlanks(spelling);
      if (text === "" || codes.has(text)) {
        throw new ConsiliumError(
          "STUDY_INVALID",
          `column ${quoted(name)}: level ${at + 1} is ${text === "" ? "blank" : "another level with blanks around it"}`,
        );
      }
      codes.set(text, code);
    });
    this.declared = new Set(codes.keys());
    for (const [text, code] of [...codes])
      if (!codes.has(withoutZeros(text))) codes.set(withoutZeros(text), code);
    for (const text of missing.texts)
      for (const spelling of [text, withoutZeros(text)])
        if (!codes.has(spelling)) codes.set(spelling, levelCell.missing);
    this.codes = codes;
  }

  /** @param text - trimmed */
  code(text: string): number {
    return this.codes.get(text) ?? this.codes.get(withoutZeros(text)) ?? levelCell.undeclared;
  }
}
