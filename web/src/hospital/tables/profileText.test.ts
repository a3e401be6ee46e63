import { profileRemarks } from "@consilium/core/hospital/profileRemarks";
import type { NumericProfile, ProfileReportView } from "@consilium/core/hospital/profileViews";
import { nothingFound } from "@consilium/core/testing/nothingFound";
import { describe, expect, it } from "vitest";
import { profileVerdict } from "./profileText.js";

const column: NumericProfile = {
  name: "age",
  type: "numeric",
  missing: 0,
  rejectedRows: 0,
  constant: false,
  unit: null,
  declared: { min: 0, max: 100 },
  below: 0,
  above: 0,
  commonestBelow: null,
  commonestAbove: null,
  min: 1,
  mean: 2,
  max: 3,
  stdDev: 1,
};
const report: ProfileReportView = {
  table: "visits",
  study: "vitals",
  files: 1,
  rows: 100,
  used: 100,
  rejected: 0,
  outside: null,
  malformed: 0,
  unsampled: 0,
  maxRowsPerSite: 100,
  minimumUsable: 80,
  patients: null,
  columns: [column],
  label: null,
  problems: [],
  check: nothingFound,
};
const of = (change: Partial<ProfileReportView>) => {
  const changed = { ...report, ...change };
  return profileVerdict({ report: changed, remarks: profileRemarks(changed) });
};

describe("whether a study could use the table", () => {
  it("is yes if nothing stands out", () => {
    expect(of({})).toMatchObject({ tone: "ok", texts: ["It would use 100 of 100 rows."] });
    expect(of({ used: 92, rejected: 8 }).tone).toBe("ok");
  });

  it("is no for errors, for too many rows and for none", () => {
    const problem = { code: "CELL_TYPE", column: "age", count: 2, row: 7, file: null };
    expect(of({ problems: [problem] })).toMatchObject({ tone: "bad" });
    expect(of({ maxRowsPerSite: 99 }).title).toContain("more rows than the study allows");
    expect(of({ used: 0, rejected: 100 }).title).toContain("cannot use any row");
  });

  it("asks to check few rows, and none that the study leaves out by its own choice", () => {
    expect(of({ used: 70, rejected: 30 })).toMatchObject({
      tone: "warn",
      texts: [expect.stringContaining('"percent":70')],
    });
    const patients = {
      column: "person",
      maxRows: 1,
      orderBy: null,
      patients: 30,
      overBound: 70,
      withoutPatient: 0,
    };
    expect(of({ used: 30, patients }).tone).toBe("ok");
    expect(of({ used: 30, outside: { rows: 70, open: 0 } }).tone).toBe("ok");
    expect(of({ used: 30, unsampled: 70 }).tone).toBe("ok");
  });

  it("asks to check what stands out", () => {
    const verdict = of({ columns: [{ ...column, below: 4, above: 6 }] });
    expect(verdict).toMatchObject({ tone: "warn" });
    expect(verdict.texts).toEqual([expect.stringContaining('"column":"age"')]);
  });
});
