import type { Counted } from "@consilium/core/release/finding";
import { countedUnits } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import { countEstimate } from "../counts/noisyCount.js";

const nameMost = 300;

/** A noisy count as a release states it: with its interval, at least 0. @param options.unit - of an exposure */
export function countedOf(
  study: Study,
  of: Counted["of"],
  { count, noiseStdDev }: { readonly count: number; readonly noiseStdDev: number },
  options: { readonly name?: string; readonly unit?: string | null } = {},
): Counted {
  const { name } = options;
  const ownUnit = of === "exposure" ? (options.unit ?? null) : of === "events" ? null : countedUnits(study);
  return {
    of,
    name: name === undefined ? null : name.slice(0, nameMost),
    ...countEstimate(count, noiseStdDev),
    unit: ownUnit,
  };
}
