import { expect, it } from "vitest";
import { faultsByStep } from "./Steps";

it("counts each error at the step whose fields mend it", () => {
  const paths = [
    "",
    "method",
    "features[3].max",
    "omop.columns",
    "privacy.delta",
    "participation",
    "release.title",
  ];
  expect(faultsByStep(paths.map((path) => ({ path, line: 1, message: "" })))).toEqual([1, 3, 1, 1, 1]);
});
