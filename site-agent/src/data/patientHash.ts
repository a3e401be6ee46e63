import { createHash } from "node:crypto";
import { plainText } from "@consilium/core/study/plainText";
import type { MissingValues } from "./cells.js";
import { plainSql, type SqlShape } from "./duckdbCells.js";
import { sqlText } from "./sources/shared/sqlText.js";

/**
 * Whose row it is, told without saying who: 128 bits of SHA-256 over a key and the patient column's text. DuckDB
 * computes them where it decodes, so that from its formats no patient's name or number becomes a value of ours.
 *
 * One meaning holds for all formats, so that one patient is one whatever wrote the file:
 * - Any type of column will do; its value is taken as text without surrounding blanks, upper and lower case differing.
 * - A whole number is the same with and without a zero fraction (`17` and `17.0`).
 * - Empty text, a declared null value, and a number column's NaN are a missing patient.
 */

/** Three whole numbers below 2^53 hold the 128 bits: hex digits [0, 11), [11, 22) and [22, 32) of the digest. */
export const patientParts = [11, 11, 10] as const;

/** All three parts of a row without a patient. */
export const noPatient = -1;

const zeroFraction = /^(-?[0-9]+)\.0+$/;

export class PatientHash {
  readonly #missing: ReadonlySet<string>;
  readonly #key: string | null;

  /**
   * @param key - 64 hex digits that only this site knows (`TableKeys`): nobody can choose patients that collide, and the
   *   hashes mean nothing outside. Which rows are of one patient does not depend on it. Null where nothing is hashed.
   */
  constructor(missing: MissingValues, key: string | null) {
    this.#missing = new Set([...missing.texts].map((text) => text.replace(zeroFraction, "$1")));
    this.#key = key;
  }

  /** SQL of the parts, as three DOUBLE columns. @param column - a quoted name */
  sql(column: string, shape: SqlShape): string {
    const plain = shape === "float" ? `CASE WHEN NOT isnan(${column}) THEN ${wholeSql(column)} END` : column;
    const text = `regexp_replace(${plainSql(`(${plain})::VARCHAR`)}, '${zeroFraction.source}', '\\1')`;
    const missing = [...this.#missing].map(sqlText).join(", ");
    const digest = `sha256(${sqlText(this.#keyed())} || ${text})`;
    let from = 1;
    return patientParts
      .map((digits) => {
        const part = `('0x' || substr(${digest}, ${from}, ${digits}))::BIGINT`;
        from += digits;
        return `CASE WHEN coalesce(${text} IN (${missing}), true) THEN ${noPatient} ELSE ${part} END::DOUBLE`;
      })
      .join(", ");
  }

  #keyed(): string {
    if (this.#key !== null) return this.#key;
    throw new RangeError("patients are hashed under a key of the site");
  }

  /** The parts for a value as text, null where there is none. */
  parts(value: string | null): number[] {
    const text = value === null ? "" : plainText(value).replace(zeroFraction, "$1");
    if (this.#missing.has(text)) return patientParts.map(() => noPatient);
    const digest = createHash("sha256").update(this.#keyed()).update(text).digest("hex");
    let from = 0;
    return patientParts.map((digits) => {
      from += digits;
      return Number.parseInt(digest.slice(from - digits, from), 16);
    });
  }
}

/** A whole number without its zero fraction, as programs write whole numbers in a column with gaps. */
function wholeSql(column: string): string {
  return `CASE WHEN ${column} = trunc(${column}) AND abs(${column}) < 9e18 THEN ${column}::BIGINT::VARCHAR ELSE ${column}::VARCHAR END`;
}
