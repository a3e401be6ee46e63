import { expect, it } from "vitest";
import { ageAt, type DateFormat, dayOf, statedDay, yearOf } from "./dates.js";

const day = (text: string) => statedDay(text)!;

it.each<[string, DateFormat, string | null]>([
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
])("%s as %s is %s", (text, format, expected) => {
  expect(dayOf(text, format)).toBe(expected === null ? null : day(expected));
});

it("counts days from 1970 on, as the system's calendar does", () => {
  expect([day("1970-01-01"), day("1969-12-31"), day("2000-03-01") - day("2000-02-28")]).toEqual([0, -1, 2]);
  for (let one = day("1895-01-01"); one < day("2105-01-01"); one += 13) {
    const text = new Date(one * 86_400_000).toISOString().slice(0, 10);
    expect(statedDay(text)).toBe(one);
    expect(yearOf(one)).toBe(Number(text.slice(0, 4)));
  }
  expect(statedDay("2015-01-01T00:00")).toBeNull();
});

it.each([
  ["1980-06-15", "2015-06-14", 34],
  ["1980-06-15", "2015-06-15", 35],
  ["2000-02-29", "2015-02-28", 14],
  ["2000-02-29", "2015-03-01", 15],
  ["2000-02-29", "2016-02-29", 16],
  ["2015-01-01", "2015-01-01", 0],
  ["2015-01-02", "2015-01-01", -1],
])("who was born on %s is, on %s, %i years old", (born, at, years) => {
  expect(ageAt(day(born), day(at))).toBe(years);
});
