import { cdmTables } from "../../src/data/sources/omop/query.js";
import { syntheticConcepts as concepts } from "./syntheticCdm.js";

/** For tests: the ends of what databases' types hold, as SQL that PostgreSQL and DuckDB understand. */

const whole = (bits: number) => [`-${2n ** BigInt(bits - 1)}`, `${2n ** BigInt(bits - 1) - 1n}`, "0"];
const float = (greatest: string, least: string) => [
  greatest,
  `-${greatest}`,
  least,
  "NaN",
  "Infinity",
  "-Infinity",
];
const days = (first: string, last: string) => [
  "infinity",
  "-infinity",
  first,
  last,
  "0001-01-01",
  "0044-03-15 (BC)",
  "9999-12-31",
];
const decimal = (digits: number) => ["9".repeat(digits), `-${"9".repeat(digits)}`, "0"];

/** Quoted, of text so long that what takes time by its square would not end. */
const longTexts = (length: number) => [
  `repeat('x', ${length})`,
  `repeat('9', ${length}) || 'x'`,
  `'1.' || repeat('0', ${length}) || '1'`,
  `repeat('1', ${length})`,
  `'a' || repeat(' ', ${length}) || 'b'`,
  `repeat(' ', ${length})`,
];

const shortTexts = (
  "x NaN nan -inf infinity -Infinity 1e400 -1e400 1e-400 -0 +-5 0x10 1_000 9223372036854775808 2020-02-30 2020-13-01 0000-00-00 " +
  '294277-01-01 5874898-01-01 2020-01-01T24:60:61Z 99999999 null true \u{1F600} \u0001 \\ " %'
).split(" ");
shortTexts.push("", " ", "0044-03-15 BC");
export const texts = (length: number) => [...shortTexts.map((text) => `'${text}'`), ...longTexts(length)];

const same = {
  int2: whole(16),
  int4: whole(32),
  int8: whole(64),
  float4: float("3.4028234e38", "1e-45"),
  float8: float("1.7976931348623157e308", "5e-324"),
} as const;

/** By type; NULL is one of each. */
export const postgresExtremes: Readonly<Record<string, readonly string[]>> = {
  ...same,
  numeric: [`1e131071`, `-1e131071`, "1e-16383", "NaN", "Infinity", "-Infinity", "0"],
  date: days("4714-11-24 (BC)", "5874897-12-31").map((day) => day.replace("(BC)", "BC")),
  timestamp: days("4714-11-24 00:00:00 (BC)", "294276-12-31 23:59:59.999999").map((day) =>
    day.replace("(BC)", "BC"),
  ),
  timestamptz: days("4714-11-24 00:00:00+00 (BC)", "294276-12-31 23:59:59.999999+00").map((day) =>
    day.replace("(BC)", "BC"),
  ),
  time: ["00:00:00", "24:00:00"],
  timetz: ["00:00:00+15:59:59", "24:00:00-15:59:59"],
  interval: ["178000000 years", "-178000000 years", "2147483647 days"],
  bool: ["true", "false"],
  oid: ["0", "4294967295"],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  money: ["92233720368547758.07", "-92233720368547758.08"],
  bytea: ["", "\\x00ff", "\\x"],
  json: ["null", '{"a": [1e400]}', '"\\u0000"'],
  jsonb: ["null", '{"a": [1, "x"]}'],
  point: ["(NaN,Infinity)"],
  tsrange: ["empty", "(,)", "[-infinity,infinity]"],
  "int4[]": ["{}", "{NULL}"],
  '"char"': ["", "x"],
};

export const duckdbExtremes: Readonly<Record<string, readonly string[]>> = {
  ...same,
  TINYINT: whole(8),
  UBIGINT: ["18446744073709551615", "0"],
  HUGEINT: whole(128),
  UHUGEINT: [`${2n ** 128n - 1n}`, "0"],
  "DECIMAL(38, 0)": decimal(38),
  "DECIMAL(15, 3)": decimal(12),
  "DECIMAL(38, 38)": [`0.${"9".repeat(38)}`, `0.${"0".repeat(37)}1`],
  DATE: days("5877642-06-25 (BC)", "5881580-07-10"),
  TIMESTAMP: days("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806").map((day) => day),
  TIMESTAMP_S: ["0001-01-01", "9999-12-31"],
  TIMESTAMP_MS: ["infinity", "-infinity", "9999-12-31"],
  TIMESTAMP_NS: ["infinity", "-infinity", "1677-09-22", "2262-04-11"],
  TIME: ["00:00:00", "24:00:00"],
  INTERVAL: ["2147483647 days", "2147483647 months"],
  BOOLEAN: ["true", "false"],
  UUID: ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
  "ENUM('', 'NaN')": ["", "NaN"],
  BLOB: ["", "\\x00\\xFF"],
  BIT: ["0", "1".repeat(100)],
  "INTEGER[]": ["[]", "[NULL]"],
};

export const literal = (type: string, value: string) =>
  `CAST(${/^(?:'|repeat|chr)/.test(value) ? value : `'${value}'`} AS ${type})`;

type CdmTypes = Readonly<Record<"id" | "day" | "time" | "value", string>>;

const { diabetes, units } = concepts;
const ordinary: Readonly<Record<string, number | string>> = {
  gender_concept_id: 8507,
  year_of_birth: 1950,
  month_of_birth: 6,
  day_of_birth: 15,
  condition_concept_id: diabetes.type2,
  drug_concept_id: concepts.metformin,
  measurement_concept_id: concepts.hba1c,
  procedure_concept_id: concepts.eyeExam,
  observation_concept_id: concepts.smoker,
  visit_concept_id: concepts.inpatient,
  unit_concept_id: units.percent,
  value_as_number: 7,
  observation_period_start_date: "2010-01-01",
  observation_period_end_date: "2019-12-31",
  ancestor_concept_id: diabetes.all,
  descendant_concept_id: diabetes.type2,
};

/**
 * Statements that make the CDM's tables: persons who have in each table a row that is nothing special, and one more that holds, in
 * one column, an end of its type.
 * @returns also the odd column of each of the persons 1, 2 and so on; more persons are as the type has them
 */
export function extremeCdm(
  types: CdmTypes,
  extremes: Readonly<Record<string, readonly string[]>>,
  prefix = "",
): { readonly statements: string[]; readonly odd: readonly string[] } {
  const oddColumns: string[] = [];
  const rows = new Map<string, string[][]>(cdmTables.map(({ name }) => [name, []]));
  const add = (name: string, person: string, odd?: readonly [column: string, value: string]) => {
    const { columns } = cdmTables.find((table) => table.name === name)!;
    rows.get(name)!.push(
      columns.map(([column, kind]) => {
        if (odd?.[0] === column) return odd[1];
        if (column === "person_id") return person;
        const day = kind === "day" ? "2015-06-01" : kind === "time" ? "2015-06-01 12:00:00" : "1";
        return literal(types[kind], String(ordinary[column] ?? day));
      }),
    );
  };
  for (const { name, columns } of cdmTables) {
    for (const [column, kind] of columns) {
      for (const value of [null, ...extremes[types[kind]]!]) {
        const odd = value === null ? `CAST(NULL AS ${types[kind]})` : literal(types[kind], value);
        const person = literal(types.id, String(oddColumns.push(column)));
        for (const table of cdmTables)
          if (table.name !== "person" || name !== "person") add(table.name, person);
        add(name, person, [column, odd]);
        // Who has no row of PERSON but the odd one, is in no table if that is of nobody.
        if (name === "person" && column === "person_id") add("person", person);
      }
    }
  }
  const statements = cdmTables.flatMap(({ name, columns }) => [
    `CREATE TABLE ${prefix}${name} (${columns.map(([column, kind]) => `${column} ${types[kind]}`).join(", ")})`,
    `INSERT INTO ${prefix}${name} VALUES ${rows
      .get(name)!
      .map((row) => `(${row.join(", ")})`)
      .join(", ")}`,
  ]);
  return { statements, odd: oddColumns };
}
