import { expect, it } from "vitest";
import { ageAt, statedDay, yearOf } from "./dates.js";

const day = (text: string) => statedDay(text)!;

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
