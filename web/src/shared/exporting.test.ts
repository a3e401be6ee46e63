import { expect, it } from "vitest";
import { csvOf, exportName, jsonLinesOf } from "./exporting.js";

const lines = [
  { at: "2026-01-02T03:04:05Z", what: 'a "masked", vector', bytes: 12, study: null },
  { at: "2026-01-02T03:04:06Z", what: "=1+1", bytes: -3, study: "s" },
];

it("writes CSV that a spreadsheet reads as it is, and takes nothing in it for a formula", () => {
  expect(csvOf(lines)).toBe(
    'at,what,bytes,study\r\n2026-01-02T03:04:05Z,"a ""masked"", vector",12,\r\n2026-01-02T03:04:06Z,\'=1+1,-3,s\r\n',
  );
});

it("writes one JSON object a line", () => {
  expect(
    jsonLinesOf(lines)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(lines);
});

it("names a file by its study, where it holds one, and by the day", () => {
  const now = new Date("2026-03-04T23:59:00Z");
  const line = (study: string | null) => ({ study });
  expect(exportName("data-sent", [line("a-1"), line("a-1")], now)).toBe("a-1-data-sent-2026-03-04");
  expect(exportName("data-sent", [line("a-1"), line("b-2")], now)).toBe("data-sent-2026-03-04");
  expect(exportName("data-sent", [line("a-1"), line(null)], now)).toBe("data-sent-2026-03-04");
  expect(exportName("data-sent", [], now)).toBe("data-sent-2026-03-04");
  expect(exportName("data-sent", [line("../a b")], now)).toBe("-a-b-data-sent-2026-03-04");
});
