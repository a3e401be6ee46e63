import { z95 } from "@consilium/core/linalg/z95";
import {
  allowingForChoice,
  type Counted,
  excludes,
  type Finding,
  finding,
  rejects,
} from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { AnySaid } from "@consilium/words/said";
import { cellNames } from "../shared/columns/counted.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { twoSided } from "../shared/evaluation/normal.js";
import { countedOf } from "../shared/release/counted.js";
import type { DescribeResult } from "./conversation.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/** A column's mean or a level's share in the two groups where it is lowest and highest. */
interface Difference {
  /** In standard deviations of all records. */
  readonly size: number;
  readonly pValue: number;
  readonly said: AnySaid;
}

/**
 * How many were counted, and where the table is by group, what differs most: clear where the total is known to be above 0, and any
 * difference is clear among all that could have been chosen.
 */
export function describeFinding(study: DescribeStudy, result: DescribeResult): Finding {
  const { total } = result.consistent;
  const { value, low, high } = countedOf(study, "used", { count: total.noisy, noiseStdDev: total.stdDev });
  if (total.stdDev > 0 && !excludes({ low, high }, 0)) return finding("interval", false, "finding.noise", {});
  const counted = { units: unitsOf(study), value, low, high };
  if (study.label === undefined || study.label.levels.length < 2)
    return finding("interval", true, "finding.described", { ...counted, largest: null, of: null });
  const { differences, of } = differencesOf(study, result);
  const clear = differences.filter(({ pValue }) => rejects(allowingForChoice(pValue, of)));
  const [largest] = clear.toSorted((a, b) => b.size - a.size);
  return finding("interval", largest !== undefined, "finding.described", {
    ...counted,
    largest: largest?.said ?? null,
    of: clear.length,
  });
}

export function describeCounted(study: DescribeStudy, { consistent }: DescribeResult): Counted[] {
  const { total, groups } = consistent;
  const noisy = ({ noisy: count, stdDev }: typeof total) => ({ count, noiseStdDev: stdDev });
  const { label } = study;
  return [
    countedOf(study, "used", noisy(total)),
    ...(label === undefined
      ? []
      : groups.map((one, g) =>
          countedOf(study, "used", noisy(one), { name: `${label.name} = ${label.levels[g]!}` }),
        )),
  ].slice(0, 50);
}

/** @returns with each difference, `of` pairs of groups that they were chosen from */
function differencesOf(
  study: DescribeStudy,
  { columns }: DescribeResult,
): { readonly differences: Difference[]; readonly of: number } {
  const { features } = describeLayout(study);
  const pairs = (study.label!.levels.length * (study.label!.levels.length - 1)) / 2;
  const differences = study.features.flatMap((feature, f): Difference[] => {
    const { all, groups } = columns[f]!;
    const column = nameOf(feature.name);
    if (feature.type === "numeric") {
      const means = groups.map(({ numbers }) => numbers!.mean);
      // Where it cannot be told, the largest that it may be.
      const { value, high } = all.numbers!.stdDev;
      return differenceOf(study, means, value ?? high, (first, second) => ({
        code: "finding.means",
        params: { column, first: first("finding.in-group"), second: second("finding.in-group") },
      }));
    }
    return cellNames(feature, features[f]!).flatMap((level, cell) => {
      const { value: share } = all.shares[cell]!;
      const shares = groups.map((group) => group.shares[cell]!);
      return differenceOf(study, shares, Math.sqrt(share * (1 - share)), (first, second) => ({
        code: "finding.shares",
        params: {
          column,
          level: nameOf(level),
          first: first("finding.share-in-group"),
          second: second("finding.share-in-group"),
        },
      }));
    });
  });
  return { differences, of: pairs * differences.length };
}

function differenceOf(
  { label }: DescribeStudy,
  estimates: readonly Estimate[],
  deviation: number,
  say: (first: Ends, second: Ends) => AnySaid,
): Difference[] {
  if (!(deviation > 0)) return [];
  const sorted = estimates
    .map((one, g) => ({ ...one, group: label!.levels[g]! }))
    .sort((a, b) => a.value - b.value);
  const [low, high] = [sorted[0]!, sorted.at(-1)!];
  const error = Math.hypot(high.value - high.low, low.high - low.value) / z95;
  const z = error > 0 ? (high.value - low.value) / error : 0;
  const ends =
    ({ group, value, low: from, high: to }: typeof low): Ends =>
    (code) => ({ code, params: { group: nameOf(group), value, low: from, high: to } });
  return [
    {
      size: (high.value - low.value) / deviation,
      pValue: twoSided(z),
      said: say(ends(low), ends(high)),
    },
  ];
}

type Ends = (code: "finding.in-group" | "finding.share-in-group") => AnySaid;
