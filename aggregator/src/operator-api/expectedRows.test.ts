import type { StudyId } from "@consilium/core/ids";
import { describe, expect, it } from "vitest";
import { knownRowsOf } from "./expectedRows.js";

describe("what former studies say of a table's rows", () => {
  const former = (id: string, own: object, status = "released") => ({
    id: id as StudyId,
    status,
    text: JSON.stringify({ table: "visits", participation: {}, ...own }),
  });
  const counted: Record<string, number> = { "table-one": 12_345.6, "a-pilot": 700 };
  const recordsOf = (studies: readonly ReturnType<typeof former>[]) =>
    ({
      newest: () => studies,
      result: (id: string) => ({ value: JSON.stringify({ records: counted[id] }) }),
      participants: () => [{ onRoster: true }, { onRoster: true }, { onRoster: false }],
    }) as never;
  const expecting = former("a-model", { participation: { expectedRows: 9_000 } });

  it("is what the newest release counted, rounded, else what one expected", () => {
    const all = [expecting, former("table-one", {}), former("a-pilot", {})];
    expect(knownRowsOf(recordsOf(all), { table: "visits" })).toEqual({
      rows: 12_000,
      study: "table-one",
      from: "released",
      sites: 2,
    });
    expect(knownRowsOf(recordsOf([expecting]), { table: "visits" })).toMatchObject({
      rows: 9_000,
      study: "a-model",
      from: "expected",
    });
  });

  it("is nothing of another table, of some of its rows, of a study that failed, or where the draft says it", () => {
    const of = (studies: readonly ReturnType<typeof former>[], raw: object) =>
      knownRowsOf(recordsOf(studies), { table: "visits", ...raw });
    expect(of([former("table-one", { table: "stays" })], {})).toBeNull();
    expect(of([former("table-one", { where: "age >= 65" })], {})).toBeNull();
    expect(of([former("table-one", {}, "failed")], {})).toBeNull();
    expect(of([former("table-one", {})], { participation: { expectedRows: 5 } })).toBeNull();
    expect(of([former("table-one", {})], {})).not.toBeNull();
    expect(knownRowsOf(recordsOf([]), null)).toBeNull();
  });
});
