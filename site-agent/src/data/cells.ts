import { ConsiliumError } from "@consilium/core/errors";
import type { CategoricalFeature, Label } from "@consilium/core/study/features";
import { quoted } from "@consilium/core/text";
import type { PatientHash } from "./patientHash.js";

/**
 * How a source hands out one cell: as a float64, whatever its column is. A number cell is the number itself, a
 * level cell the level's index; what is neither is marked by a value that no good cell can have.
 *
 * One meaning holds for all formats:
 * - Text is taken without its surrounding blanks (space, tab, line ends). Empty text is a missing value.
 * - A number is a number of the format, or text that spells a decimal one (`12`, `-0.5`, `1e-3`). Booleans, dates
 *   and other text are not numbers.
 * - A level is compared as text, exactly, upper and lower case differing. Booleans are `true` and `false`. Whole
 *   numbers match with and without a zero fraction (`1` and `1.0`), which is what programs write in a column of
 *   whole numbers with gaps; a study that declares both spellings as two levels has them kept apart.
 */
export const numberCell = {
  missing: Number.NaN,
  notFinite: Number.POSITIVE_INFINITY,
  notNumeric: Number.NEGATIVE_INFINITY,
} as const;

export const levelCell = { missing: -1, undeclared: -2 } as const;

/**
 * What to read of a table, in this order; `name` is the column's exact name. At most one names the patient, and it is
 * the last.
 */
export type CellRequest =
  | { readonly kind: "number"; readonly name: string }
  | { readonly kind: "level"; readonly name: string; readonly levels: LevelIndex }
  | { readonly kind: "patient"; readonly name: string; readonly hash: PatientHash };

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

const surroundingBlanks = /^[ \t\r\n]+|[ \t\r\n]+$/g;

export function trimBlanks(text: string): string {
  return text.replace(surroundingBlanks, "");
}

const decimalNumber = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const notANumber = /^[+-]?(?:nan|inf|infinity)$/i;

/** Reads a number cell from text already trimmed and known not to be missing. */
export function numberFromText(text: string): number {
  if (decimalNumber.test(text)) {
    const value = Number(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : numberCell.notFinite;
  }
  return notANumber.test(text) ? numberCell.notFinite : numberCell.notNumeric;
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

const wholeNumber = /^-?\d+$/;
const wholeNumberWithZero = /^(-?\d+)\.0$/;

/** Text to level: every spelling that a declared level has, and every spelling of a missing value. */
export class LevelIndex {
  /** Trimmed text to the level's index, or to `levelCell.missing`. */
  readonly codes: ReadonlyMap<string, number>;
  /** The texts of the levels alone. */
  readonly declared: ReadonlySet<string>;

  /** @throws ConsiliumError STUDY_INVALID when two levels cannot be told apart, or one is blank */
  constructor(column: CategoricalFeature | Label, missing: MissingValues) {
    const codes = new Map<string, number>();
    column.levels.forEach((level, code) => {
      const text = trimBlanks(level);
      if (text === "" || codes.has(text)) {
        throw new ConsiliumError(
          "STUDY_INVALID",
          `column ${quoted(column.name)}: level ${code + 1} is ${text === "" ? "blank" : "another level with blanks around it"}`,
        );
      }
      codes.set(text, code);
    });
    this.declared = new Set(codes.keys());
    for (const [text, code] of [...codes]) {
      const other = wholeNumber.test(text) ? `${text}.0` : wholeNumberWithZero.exec(text)?.[1];
      if (other !== undefined && !codes.has(other)) codes.set(other, code);
    }
    for (const text of missing.texts) if (!codes.has(text)) codes.set(text, levelCell.missing);
    this.codes = codes;
  }

  /** @param text - trimmed */
  code(text: string): number {
    return this.codes.get(text) ?? levelCell.undeclared;
  }
}
