import fc from "fast-check";
import { expect, it } from "vitest";
import { namesText } from "./namesText.js";

it("names all where there is room, and says how many more there are where there is not", () => {
  expect(namesText(["a", "b"])).toBe("a, b");
  expect(namesText([])).toBe("");
  expect(namesText(["aaaa", "bbbb", "cccc"], 12)).toBe("aaaa, bbbb and 1 more");
});

it("keeps to its length, whatever the names", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 128 }), { maxLength: 300 }), (names) => {
      expect(namesText(names).length).toBeLessThan(1_200 + 20);
    }),
  );
});
