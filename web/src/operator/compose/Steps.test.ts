import { expect, it } from "vitest";
import { faultsByStep } from "./Steps";
import { pathOf } from "./studyText";

it("counts each error at the step whose fields mend it", () => {
  const paths = [
    "study",
    "method",
    "features[3].max",
    "omop.columns",
    "privacy.delta",
    "participation",
    "participation.expectedRows",
    "release.title",
  ];
  expect(faultsByStep(paths.map((path) => ({ at: pathOf(path) })))).toEqual([1, 3, 2, 1, 1]);
});
