import { assertNever } from "@consilium/core/result";
import { blanks } from "@consilium/core/study/plainText";
import {
  type BelowDetection,
  type CellChunk,
  type CellRequest,
  countedBelow,
  type LevelIndex,
  levelCell,
  type MissingValues,
  zerosAtEnd,
} from "./cells.js";
import { sqlText } from "./sources/shared/sqlText.js";

/** The SQL that turns a column of DuckDB's into cells as `cells.ts` defines them. */

/** How the values of a column come: as text, or typed by the file. */
export type SqlShape = "text" | "float" | "integer" | "decimal" | "other";

/** Text as it is compared: see `plainText`. */
export const plainSql = (text: string) => `trim(nfc_normalize(${text}), ${sqlText(blanks)})`;

/** Texts below detection: see `belowCell`, before a number as it is. */
function belowSql(text: string, below: BelowDetection | undefined): string {
  return (below?.spellings ?? [])
    .map((spelled) => {
      const limit = `TRY_CAST(trim(substr(${text}, ${spelled.length + 1})) AS DOUBLE)`;
      const counted =
        typeof below!.as === "string"
          ? { half: `${limit} / 2`, bound: limit, missing }[below!.as]
          : `${below!.as}::DOUBLE`;
      const own = Number(/\d+(?:\.\d+)?$/.exec(spelled)?.[0] ?? Number.NaN);
      return (
        `WHEN ${text} = ${sqlText(spelled)} THEN '${countedBelow(below!, own)}'::DOUBLE ` +
        `WHEN starts_with(${text}, ${sqlText(spelled)}) AND isfinite(${limit}) THEN ${counted} `
      );
    })
    .join("");
}
const missing = "'NaN'::DOUBLE";
const notFinite = "'Infinity'::DOUBLE";
const notNumeric = "'-Infinity'::DOUBLE";

function list(texts: Iterable<string>): string {
  return [...texts].map(sqlText).join(", ");
}

/**
 * A number cell. Null values that are numbers are not looked at here: they are the same for every source.
 * @param column - a quoted name
 */
function numberSql(
  column: string,
  shape: SqlShape,
  missingValues: MissingValues,
  below: BelowDetection | undefined,
): string {
  switch (shape) {
    case "integer":
      return `coalesce(${column}::DOUBLE, ${missing})`;
    case "decimal":
      // DuckDB's cast of a long decimal or whole number rounds twice; of text it finds the nearest float64.
      return `coalesce(${column}::VARCHAR::DOUBLE, ${missing})`;
    case "float":
      return `CASE WHEN isfinite(${column}) THEN ${column} WHEN ${column} IS NULL THEN ${missing} ${
        missingValues.nan ? `WHEN isnan(${column}) THEN ${missing} ` : ""
      }ELSE ${notFinite} END::DOUBLE`;
    default: {
      const text = shape === "text" ? column : `${column}::VARCHAR`;
      const plain = plainSql(text);
      const value = `TRY_CAST(${plain} AS DOUBLE)`;
      return (
        `CASE WHEN isfinite(TRY_CAST(${text} AS DOUBLE)) THEN TRY_CAST(${text} AS DOUBLE) WHEN isfinite(${value}) THEN ${value} ` +
        `WHEN ${column} IS NULL OR ${plain} IN (${list(missingValues.texts)}) THEN ${missing} ${belowSql(plain, below)}` +
        `WHEN ${value} IS NOT NULL THEN ${notFinite} ELSE ${notNumeric} END`
      );
    }
  }
}

/** A level cell, still as the position among `levels.codes`, from 1 on: `levelCoder` turns it into the level's index. */
function levelSql(column: string, shape: SqlShape, levels: LevelIndex): string {
  const texts = list(levels.codes.keys());
  const text =
    shape === "float"
      ? // Whole numbers without their zero fraction; the rest as DuckDB prints it.
        `CASE WHEN ${column} = trunc(${column}) AND abs(${column}) < 1e15 THEN ${column}::BIGINT::VARCHAR ELSE ${column}::VARCHAR END`
      : shape === "text"
        ? plainSql(column)
        : `${column}::VARCHAR`;
  // Where a file keeps a dictionary of a column's texts, DuckDB looks up each of them once; but casts each cell by itself.
  const place = (of: string) =>
    levels.codes.size <= 32
      ? `list_position([${texts}], ${of})`
      : `enum_code(TRY_CAST(${of} AS ENUM(${texts})))::INTEGER + 1`;
  const shortened = `regexp_replace(${text}, '${zerosAtEnd.source}', '\\1\\2')`;
  return `coalesce(${place(text)}, ${place(shortened)}, CASE WHEN ${column} IS NULL THEN ${levelCell.missing} ELSE ${levelCell.undeclared} END)::DOUBLE`;
}

/** The SQL of a request's cells: one DOUBLE column, three for a patient, or one of text for a date or what rows are ordered by. @param column - a quoted name */
export function cellSql(
  request: CellRequest,
  column: string,
  shape: SqlShape,
  tables: MissingValues,
): string {
  switch (request.kind) {
    case "number":
      return numberSql(column, shape, request.missing ?? tables, request.below);
    case "level":
      return levelSql(column, shape, request.levels);
    case "date":
    case "order":
      return `${column}::VARCHAR`;
    case "patient":
      return request.hash.sql(column, shape);
    default:
      return assertNever(request);
  }
}

/** Turns positions of `levelSql` into levels, for the requests that are levels: in place. */
export function levelCoder(requests: readonly CellRequest[]): (chunk: CellChunk) => CellChunk {
  const tables = requests.map((one) => (one.kind === "level" ? [...one.levels.codes.values()] : null));
  return (chunk) => {
    tables.forEach((table, k) => {
      const positions = chunk.columns[k]!;
      if (table !== null)
        for (let r = 0; r < chunk.rows; r++) if (positions[r]! > 0) positions[r] = table[positions[r]! - 1]!;
    });
    return chunk;
  };
}
