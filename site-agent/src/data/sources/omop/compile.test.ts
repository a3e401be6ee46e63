import { readFileSync } from "node:fs";
import { type OmopPlan, omopPlanSchema } from "@consilium/core/omop/plan";
import sqlParser from "node-sql-parser";
import { describe, expect, test } from "vitest";
import { duckdbOmop } from "../duckdb/kind.js";
import { databases } from "../registry.js";
import { databaseNames } from "../shared/databaseConfig.js";
import { sparkOmop } from "../spark/kind.js";
import { compileOmopPlan, type OmopPlace } from "./compile.js";
import type { OmopDialect } from "./dialect.js";

/** Every kind of column, bound and concept set. */
const written = {
  cdm: "5.4",
  conceptSets: {
    diabetes: [
      { concept: 201826, name: "Type 2 diabetes mellitus" },
      { concept: 4193704, descendants: false },
      { concept: 4058243, excluded: true },
    ],
    hba1c: [{ concept: 3004410, descendants: false }],
    metformin: [{ concept: 1503297 }],
  },
  index: {
    domain: "condition",
    concepts: "diabetes",
    occurrence: "first",
    from: "2012-02-29",
    to: "2020-12-31",
    observed: { daysBefore: 365, daysAfter: 0 },
  },
  columns: [
    { name: "age", value: "age" },
    { name: "sex", value: "sex" },
    { name: "hba1c", value: "last", domain: "measurement", concepts: "hba1c", unit: 8554, days: [-365, 0] },
    { name: "metformin", value: "any", domain: "drug", concepts: "metformin", days: [0, 90] },
    { name: "prescriptions", value: "count", domain: "drug", concepts: "metformin", days: [0, 365] },
    { name: "again", value: "days-to", domain: "condition", concepts: "diabetes", days: [1, 365] },
  ],
};

const plan = omopPlanSchema.parse(written);

const omopDialects = ["duckdb", ...databaseNames, "spark"] as const;
type Name = (typeof omopDialects)[number];
const dialectOf = (name: Name): OmopDialect =>
  name === "duckdb" ? duckdbOmop : name === "spark" ? sparkOmop : databases[name].omop;
const schemas: Partial<Record<Name, Omit<OmopPlace, "dialect">>> = {
  postgres: { schema: "cdm", vocabularySchema: "vocabulary" },
  sqlserver: { schema: "omop.dbo" },
  oracle: { schema: "CDM54" },
  mariadb: { schema: "cdm" },
  spark: { schema: "lake.omop" },
};
const places = Object.fromEntries(
  omopDialects.map((name) => [name, { dialect: dialectOf(name), ...schemas[name] }]),
) as Record<Name, OmopPlace>;

const textOf = (of: OmopPlan, place: OmopPlace) => {
  const { with: before, select } = compileOmopPlan(of, place);
  return `${before}\n${select}\n`;
};

test.each(omopDialects)("%s: the SQL is what was reviewed", (dialect) => {
  const golden = readFileSync(new URL(`../${dialect}/testVectors/v1/omop.sql`, import.meta.url), "utf8");
  expect(textOf(plan, places[dialect])).toBe(golden);
});

/** No parser of Oracle's SQL is to be had from npm that is kept up; DuckDB and PostgreSQL run the SQL themselves. */
const parsed = [
  ["sqlserver", "transactsql"],
  ["postgres", "postgresql"],
  ["mariadb", "mariadb"],
] as const;

test.each(parsed)("%s: a parser of its SQL takes it", (dialect, database) => {
  const parser = new sqlParser.Parser();
  const { with: before, select } = compileOmopPlan(plan, places[dialect]);
  const asked = `${before} SELECT source.c0 AS cell_0 FROM (${select}) source ORDER BY source.c6`;
  expect(() => parser.astify(asked, { database })).not.toThrow();
  expect(() => parser.astify(asked.replace("GROUP BY", "GROUP"), { database })).toThrow();
});

test("columns are numbered in the plan's order, and the person comes last", () => {
  expect(compileOmopPlan(plan, places.postgres).columns).toEqual([
    "age",
    "sex",
    "hba1c",
    "metformin",
    "prescriptions",
    "again",
    "person_id",
  ]);
});

describe("nothing that a study writes as text reaches the SQL", () => {
  const hostile = [
    "x'; DROP TABLE person; --",
    'x"; DROP TABLE person; --',
    "x) UNION SELECT person_id FROM person --",
    "1 OR 1=1",
    "/* */",
    "\\'; SELECT 1",
    "c0; SELECT 1",
  ];

  /** Paths of all strings in a value. */
  function strings(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
    if (typeof value === "string") return [[...path]];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => strings(inner, [...path, key]));
  }

  function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
    if (key === undefined) return by;
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
    Reflect.set(copy, key, replaced(Reflect.get(copy, key), rest, by));
    return copy;
  }

  /** The paths whose text may be anything: names for people. */
  const leaks = (compile: (of: OmopPlan, place: OmopPlace) => string): string[] =>
    strings(written).flatMap((path) =>
      hostile.flatMap((text) => {
        const read = omopPlanSchema.safeParse(replaced(written, path, text));
        if (!read.success) return [];
        const differs = omopDialects.some(
          (dialect) => compile(read.data, places[dialect]) !== compile(plan, places[dialect]),
        );
        return differs ? [path.join(".")] : [];
      }),
    );

  test("every text is refused, or leaves the SQL as it is", () => {
    const free = strings(written).filter(
      (path) => omopPlanSchema.safeParse(replaced(written, path, hostile[0])).success,
    );
    expect(free.map((path) => path.join("."))).toEqual([
      "conceptSets.diabetes.0.name",
      ...written.columns.map((_, at) => `columns.${at}.name`),
    ]);
    expect(leaks(textOf)).toEqual([]);
  });

  test("a compiler that called columns by the study's names would be caught", () => {
    const weak = (of: OmopPlan, place: OmopPlace) =>
      of.columns.reduce((sql, { name }, at) => sql.replace(` AS c${at}`, ` AS "${name}"`), textOf(of, place));
    expect(new Set(leaks(weak))).toEqual(new Set(written.columns.map((_, at) => `columns.${at}.name`)));
  });

  test("names of concept sets are keys, and are not in it either", () => {
    const renamed = JSON.parse(JSON.stringify(written).replaceAll('"diabetes"', '"drop-table-person"'));
    expect(textOf(omopPlanSchema.parse(renamed), places.oracle)).toBe(textOf(plan, places.oracle));
    for (const key of hostile) {
      const raw = JSON.parse(JSON.stringify(written).replaceAll('"diabetes"', JSON.stringify(key)));
      expect(omopPlanSchema.safeParse(raw).success, key).toBe(false);
    }
  });

  test("a plan that no schema has seen is refused by the compiler itself", () => {
    const paths = [
      ["conceptSets", "diabetes", 0, "concept"],
      ["columns", 2, "unit"],
      ["columns", 2, "days", 0],
      ["columns", 3, "days", 1],
      ["index", "from"],
      ["index", "to"],
      ["index", "observed", "daysBefore"],
      ["index", "concepts"],
    ];
    for (const path of paths) {
      for (const value of [
        "1; DROP TABLE person",
        1.5,
        Number.NaN,
        2 ** 40,
        { toString: () => "1) OR (1=1" },
      ]) {
        const forged = replaced(plan, path, value) as OmopPlan;
        for (const dialect of omopDialects)
          expect(() => textOf(forged, places[dialect]), path.join(".")).toThrow();
      }
    }
    for (const schema of ["cdm; DROP", "a.b.c", 'c"', "c d", ""])
      expect(() => textOf(plan, { dialect: databases.postgres.omop, schema })).toThrow(RangeError);
  });
});
