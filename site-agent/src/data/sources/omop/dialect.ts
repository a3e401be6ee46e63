/** Where SQL differs among the databases that hold OMOP data. Every expression has a value, or none, at each value of its column's type. */
export interface OmopDialect {
  /** A column of dates as days: some databases keep a time of day in them, and some know days beyond the years 1 to 9999, of which it is the nearest. */
  readonly day: (column: string) => string;
  /** Whether a column of dates has one; left out, where it is not null. */
  readonly hasDay?: (column: string) => string;
  /** Whole days from one day to a later one. */
  readonly daysBetween: (from: string, to: string) => string;
  readonly part: (part: "YEAR" | "MONTH" | "DAY", day: string) => string;
  /** @param iso - validated by `parseIsoDay` */
  readonly dayLiteral: (iso: string) => string;
}

/** A difference of infinite dates fails in PostgreSQL, and days since a year of six digits are more than Spark counts to. */
export const nearDay = (column: string) => {
  const [first, last] = ["DATE '0001-01-01'", "DATE '9999-12-31'"];
  return `CASE WHEN ${column} < ${first} THEN ${first} WHEN ${column} > ${last} THEN ${last} ELSE CAST(${column} AS DATE) END`;
};

/** What most databases have in common. */
export const commonDialect = {
  part: (part: string, day: string) => `EXTRACT(${part} FROM ${day})`,
  dayLiteral: (iso: string) => `DATE '${iso}'`,
};
