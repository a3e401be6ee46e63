import { expect, it } from "vitest";
import { withoutUnfinished } from "./usePrecision";

const study = { name: "x", features: [{ name: "age" }, { name: "" }, { name: "bmi" }] };

it("leaves unfinished columns out, and names them", () => {
  const faults = [{ path: "features[1].name" }, { path: "features[2].max" }, { path: "features[2]" }];
  expect(withoutUnfinished(study, faults)).toEqual({
    study: { name: "x", features: [{ name: "age" }] },
    without: ["2", "bmi"],
  });
});

it("tells nothing of a draft with another fault, or without a finished column", () => {
  expect(withoutUnfinished(study, [{ path: "features[2].max" }, { path: "privacy.epsilon" }])).toBeNull();
  expect(
    withoutUnfinished(
      study,
      [0, 1, 2].map((f) => ({ path: `features[${f}]` })),
    ),
  ).toBeNull();
  expect(withoutUnfinished({ features: "none" }, [{ path: "features" }])).toBeNull();
});
