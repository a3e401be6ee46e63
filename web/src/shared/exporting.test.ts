import { expect, it } from "vitest";
import { csvOf, jsonLinesOf } from "./exporting.js";

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
