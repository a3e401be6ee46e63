import { excludes, type Finding, finding } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { CountsResult } from "./conversation.js";
import type { CountsStudy } from "./study.js";

/** Conditions that the finding names. */
const maxNamed = 3;

/** The counts themselves: clear where any is known to be above 0. */
export function countsFinding(study: CountsStudy, { noiseStdDev, conditions }: CountsResult): Finding {
  const { conditions: declared } = study.parameters;
  const isKnown = conditions.map(({ all }) => noiseStdDev === 0 || excludes(all, 0));
  return finding("interval", isKnown.includes(true), "finding.counts", {
    units: unitsOf(study),
    counts: declared.slice(0, maxNamed).map(({ name }, i) => {
      const { value, low, high } = conditions[i]!.all;
      return { code: "finding.count", params: { name: nameOf(name), value, low, high } };
    }),
    more: Math.max(0, declared.length - maxNamed),
    none: isKnown.filter((one) => !one).length,
  });
}
