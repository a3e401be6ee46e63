import { expect, it } from "vitest";
import { groupLevels, pointsOf } from "./scatter";

const sample = {
  total: 4,
  levels: ["a", "", "c"],
  x: [1, 2, 3, 4],
  y: [5, 6, 7, 8],
  level: [0, 1, 2, 0],
};

it("colours by every level and names the empty one", () => {
  const groups = groupLevels(sample);
  expect(groups).toEqual(["a", "(empty)", "c"]);
  expect(pointsOf(sample, groups).map(({ group }) => group)).toEqual(["a", "(empty)", "c", "a"]);
});

it("groups rare levels", () => {
  const levels = ["a", "b", "c", "d", "e", "f", "g"];
  const level = [6, 6, 6, 5, 5, 4, 4, 3, 3, 1, 1, 0, 2];
  const many = { total: 13, levels, level, x: level.map(Number), y: level.map(Number) };
  const groups = groupLevels(many);
  expect(groups).toEqual(["g", "b", "d", "e", "f", "other levels"]);
  expect(
    pointsOf(many, groups)
      .slice(-2)
      .map(({ group }) => group),
  ).toEqual(["other levels", "other levels"]);
});

it("has no groups without a label", () => {
  const plain = { ...sample, levels: [], level: [] };
  expect(groupLevels(plain)).toEqual([]);
  expect(pointsOf(plain, [])[0]).toEqual({ x: 1, y: 5, group: "" });
});
