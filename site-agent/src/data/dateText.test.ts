import { statedDay } from "@consilium/core/study/dates";
import { expect, it } from "vitest";
import { dayOf } from "./dateText.js";

const day = (text: string) => statedDay(text)!;

it.each<[string, string, string | null]>([
  ["2015-03-09", "YYYY-MM-DD", "2015-03-09"],
  ["2015-03-09T23:59:59+02:00", "YYYY-MM-DD", "2015-03-09"],
  ["2015-03-09 10:00:00.123", "DD.MM.YYYY", "2015-03-09"],
  ["9.3.2015", "DD.MM.YYYY", "2015-03-09"],
  ["09.03.2015", "YYYY-MM-DD", null],
  ["03/09/2015", "MM/DD/YYYY", "2015-03-09"],
  ["03/09/2015", "DD/MM/YYYY", "2015-09-03"],
  ["20150309", "YYYYMMDD", "2015-03-09"],
  ["2015-02-29", "YYYY-MM-DD", null],
  ["2016-02-29", "YYYY-MM-DD", "2016-02-29"],
  ["1900-02-29", "YYYY-MM-DD", null],
  ["31.04.2015", "DD.MM.YYYY", null],
  ["2015-13-01", "YYYY-MM-DD", null],
  ["2015-00-10", "YYYY-MM-DD", null],
  ["0000-01-01", "YYYY-MM-DD", null],
  ["0001-01-01", "YYYY-MM-DD", "0001-01-01"],
  ["99-01-01", "YYYY-MM-DD", null],
  ["2015", "YYYY-MM-DD", null],
  ["2015-03-09 noon", "YYYY-MM-DD", null],
  ["", "YYYY-MM-DD", null],
  ["31.01.2015 14:30", "DD.MM.YYYY", "2015-01-31"],
  ["31.01.2015 00:00:00", "DD.MM.YYYY", "2015-01-31"],
  ["01/31/2015 12:00:00 AM", "MM/DD/YYYY", "2015-01-31"],
  ["20150131120000", "YYYYMMDD", "2015-01-31"],
  ["201501311200", "YYYYMMDD", "2015-01-31"],
  ["2015-01-31 10:11:12,345", "YYYY-MM-DD", "2015-01-31"],
  ["31-JAN-15", "DD-MON-YY", "2015-01-31"],
  ["31-JAN-15 10.11.12.000000000 PM", "DD-MON-YY", "2015-01-31"],
  ["31JAN2015", "DD-MON-YYYY", "2015-01-31"],
  ["31JAN2015:10:11:12", "DD-MON-YYYY", "2015-01-31"],
  ["3. März 2015", "DD-MON-YYYY", "2015-03-03"],
  ["12. Dez. 2015", "DD-MON-YYYY", "2015-12-12"],
  ["January 31, 2015", "MON-DD-YYYY", "2015-01-31"],
  ["31-JUX-2015", "DD-MON-YYYY", null],
  ["31-01-2015", "DD-MM-YYYY", "2015-01-31"],
  ["2015/01/31", "YYYY/MM/DD", "2015-01-31"],
  ["31.01.15", "DD.MM.YY", "2015-01-31"],
  ["31.01.50", "DD.MM.YY", "1950-01-31"],
  ["31.01.49", "DD.MM.YY", "2049-01-31"],
  ["31.01.2015", "DD.MM.YY", null],
  ["42035", "excel-days", "2015-01-31"],
  ["42035.75", "excel-days", "2015-01-31"],
  ["1", "excel-days", "1900-01-01"],
  ["61", "excel-days", "1900-03-01"],
  ["20119", "sas-days", "2015-01-31"],
  ["1422662400", "unix-seconds", "2015-01-31"],
  ["1422748799999", "unix-milliseconds", "2015-01-31"],
  ["-1", "unix-seconds", "1969-12-31"],
  ["soon", "unix-seconds", null],
])("%s as %s is %s", (text, format, expected) => {
  expect(dayOf(text, format)).toBe(expected === null ? null : day(expected));
});

it.each<[string, string, string | undefined]>([
  ["2015-01-30 23:00:00+00", "2015-01-31", "Europe/Berlin"],
  ["2015-01-30 23:00:00+00", "2015-01-30", undefined],
  ["2015-07-31T22:00:00Z", "2015-08-01", "Europe/Berlin"],
  ["2015-01-31T00:30:00+01:00", "2015-01-31", "Europe/Berlin"],
  ["2015-01-31T02:30:00+0100", "2015-01-30", "America/New_York"],
  ["2015-01-31 00:30", "2015-01-31", "America/New_York"],
])("%s is %s where the time zone is %3$s", (text, expected, zone) => {
  expect(dayOf(text, "YYYY-MM-DD", zone)).toBe(day(expected));
});

it("counts seconds since 1970 as the day in the hospital's time zone", () => {
  expect(dayOf("1422658800", "unix-seconds", "Europe/Berlin")).toBe(day("2015-01-31"));
  expect(dayOf("1422658800", "unix-seconds")).toBe(day("2015-01-30"));
});

it("is made of any text in time in proportion to it", () => {
  for (const text of ["1.".repeat(100_000), `31.01.2015 ${"1 ".repeat(100_000)}x`, "J".repeat(200_000)])
    expect(dayOf(text, "DD-MON-YYYY")).toBeNull();
});
