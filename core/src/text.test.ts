import { expect, it } from "vitest";
import { isStorableText } from "./text.js";

it.each([
  ["", true],
  ["Zürich \u{1f3e5} \ud83c\udfe5 \t\n\u0001\ufffd", true],
  ["a\0", false],
  ["\ud800", false],
  ["a\udc00b", false],
  ["\udfe5\ud83c", false],
])("%j can be stored: %s", (text, storable) => {
  expect(isStorableText(text)).toBe(storable);
});
