/** Where SQL differs among the databases that hold OMOP data. Every expression has a value, or none, at each value of its column's type. */

export const omopDialects = ["duckdb", "postgres", "sqlserver", "oracle", "spark"] as const;
export type OmopDialectName = (typeof omopDialects)[number];

export interface OmopDialect {
  /** A column of dates as days: some databases keep a time of day in them, and some know days beyond the years 1 to 9999, of which it is the nearest. */
  readonly day: (column: string) => string;
  /** Whole days from one day to a later one. */
  readonly daysBetween: (from: string, to: string) => string;
  readonly part: (part: "YEAR" | "MONTH" | "DAY", day: string) => string;
  /** @param iso - validated by `parseIsoDay` */
  readonly dayLiteral: (iso: string) => string;
}

const castDay = (column: string) => `CAST(${column} AS DATE)`;
/** A difference of infinite dates fails in PostgreSQL, and days since a year of six digits are more than Spark counts to. */
const nearDay = (column: string) => {
  const [first, last] = ["DATE '0001-01-01'", "DATE '9999-12-31'"];
  return `CASE WHEN ${column} < ${first} THEN ${first} WHEN ${column} > ${last} THEN ${last} ELSE ${castDay(column)} END`;
};
const extract = (part: string, day: string) => `EXTRACT(${part} FROM ${day})`;
const isoLiteral = (iso: string) => `DATE '${iso}'`;

export const omopDialectOf: Readonly<Record<OmopDialectName, OmopDialect>> = {
  duckdb: {
    day: nearDay,
    daysBetween: (from, to) => `date_diff('day', ${from}, ${to})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
  postgres: {
    day: nearDay,
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
    day: nearDay,
    daysBetween: (from, to) => `datediff(${to}, ${from})`,
    part: extract,
    dayLiteral: isoLiteral,
  },
};
