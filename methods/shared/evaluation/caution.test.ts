import { scoreBins } from "@consilium/core/study/evaluation";
import { describe, expect, it } from "vitest";
import { evenScale } from "../../testing/scale.js";
import { cautionOf } from "./caution.js";
import { scaledResult } from "./evaluationResult.js";

/** Of 4,000 rows, those of the second class the more of them the higher the score, or as many everywhere. */
const counts = (isInformed: boolean) =>
  Float64Array.from({ length: 2 * scoreBins }, (_, i) => {
    const bin = Math.floor(i / 2);
    if (!isInformed) return 100;
    return i % 2 === 1 ? 10 * bin : 10 * (scoreBins - 1 - bin);
  });

describe("the caution of a release", () => {
  it("is there where the result has no structure, whatever was measured", () => {
    expect(cautionOf("no tree has a split.", null)).toBe("Noise explains this result: no tree has a split.");
  });

  it("is there where chance reaches what was measured, and only there", () => {
    expect(cautionOf(null, scaledResult(counts(false), 5, evenScale()))).toMatch(
      /area under the ROC curve is 0\.500 \(0\.\d+ to 0\.\d+\), which chance reaches\.$/,
    );
    expect(cautionOf(null, scaledResult(counts(true), 5, evenScale()))).toBeNull();
    // The same counts, drowned.
    expect(cautionOf(null, scaledResult(counts(true), 500, evenScale()))).toMatch(/0\.000 to 1\.000/);
    expect(cautionOf(null, null)).toBeNull();
  });
});
