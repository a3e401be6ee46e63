import fc from "fast-check";
import { expect, it } from "vitest";
import { counted, namesText } from "./words.js";

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

it("counts one thing as one", () => {
  expect([0, 1, 2].map((n) => counted(n, "study", "studies"))).toEqual(["0 studies", "1 study", "2 studies"]);
  expect(counted(3, "warning")).toBe("3 warnings");
});
