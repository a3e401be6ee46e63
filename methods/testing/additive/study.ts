import { unwrap } from "@consilium/core/result";
import { type AdditiveStudy, asAdditive } from "../../dp-additive/study.js";
import { testStudySource } from "../histBoost/study.js";
import { parseStudy } from "../studies.js";

/** The small study of boosted trees for tests, with additive boosting: features a (8 bins), b (4) and c (3 levels). */
export function additiveTestStudy(
  parameters: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
): AdditiveStudy {
  const plain = { epochs: 3, bins: 8, evaluation: "none" };
  return asAdditive(
    unwrap(
      parseStudy({
        ...testStudySource,
        method: "dp-additive",
        ...change,
        parameters: { ...plain, ...parameters },
      }),
    ),
  );
}
