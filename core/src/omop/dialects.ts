/** Where SQL differs among the databases that hold OMOP data. */

export const omopDialects = ["duckdb", "postgres", "sqlserver", "oracle", "spark"] as const;
export type OmopDialectName = (typeof omopDialects)[number];

export interface OmopDialect {
  /** A column of dates as days: some databases keep a time of day in them. */
  readonly day: (column: string) => string;
  /** Whole days from one day to a later one. */
  readonly daysBetween: (from: string, to: string) => string;
  readonly part: (part: "YEAR" | "MONTH" | "DAY", day: string) => string;
  /** @param iso - validated by `parseIsoDay` */
  readonly dayLiteral: (iso: string) => string;
}

const castDay = (column: string) => `CAST(${column} AS DATE)`;
const extract = (part: string, day: string) => `EXTRACT(${part} FROM ${day})`;
const isoLiteral = (iso: string) => `DATE '${iso}'`;

export const omopDialectOf: Readonly<Record<OmopDialectName, OmopDialect>> = {
  duckdb: {
    day: castDay,
    daysBetween: (from, to) => `date_diff('day', ${from}, ${to})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
  postgres: {
    day: castDay,
    daysBetween: (from, to) => `(${to} - ${from})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
  sqlserver: {
    day: castDay,
    daysBetween: (from, to) => `DATEDIFF(day, ${from}, ${to})`,
    part: (part, day) => `${part}(${day})`,
    // Without hyphens it means the same whatever the session's DATEFORMAT is.
    dayLiteral: (iso) => `CAST('${iso.replaceAll("-", "")}' AS DATE)`,
  },
  oracle: {
    day: (column) => `TRUNC(${column})`,
    daysBetween: (from, to) => `(${to} - ${from})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
  spark: {
    day: castDay,
    daysBetween: (from, to) => `datediff(${to}, ${from})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
};
