import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { invalidBroadcast, notSent } from "../shared/plans/broadcastFaults.js";
import { leafExponent } from "../shared/trees/secondOrder.js";
import { type AdditiveStudy, additiveLayout, curveMost, curvesName } from "./study.js";

/**
 * The model as it is broadcast: a row's margin, the log-odds of the label's second level, is the intercept plus one number of each
 * feature's curve, that of its bin. All are multiples of 2^-24 and at most 32, so that margins are exact everywhere.
 */
export interface Curves {
  readonly intercept: number;
  /** [Σ bins] feature by feature. */
  readonly values: Float64Array;
}

/** What every row's margin is before the first epoch: 0. */
export function noCurves(study: AdditiveStudy): Curves {
  return { intercept: 0, values: new Float64Array(additiveLayout(study).offsets.at(-1)!) };
}

export function encodeCurves({ intercept, values }: Curves): Broadcast {
  const numbers = new Float64Array(1 + values.length);
  numbers[0] = intercept;
  numbers.set(values, 1);
  return { [curvesName]: numbers };
}

/**
 * The curves that a stage is told, from a broadcast that may come from anybody; none before the first epoch.
 * @throws ConsiliumError FIELD_INVALID where they are missing, BROADCAST_INVALID where they are not curves of the method
 */
export function curvesTold(study: AdditiveStudy, stage: SoundStage, broadcasts: Broadcasts): Curves {
  const planned = stage.broadcasts.find(({ name }) => name === curvesName);
  if (planned === undefined) return noCurves(study);
  const numbers = broadcasts.get(stage.id)?.[curvesName];
  if (numbers === undefined) throw notSent(stage.id, curvesName);
  const fits = (value: number) => Math.abs(value) <= curveMost && Number.isInteger(value * 2 ** leafExponent);
  if (numbers.length !== planned.length || !numbers.every(fits)) {
    const params = {
      name: nameOf(curvesName),
      count: planned.length,
      exponent: leafExponent,
      max: curveMost,
    };
    throw invalidBroadcast(stage.id, sentences<BroadcastSays>()("broadcast.multiples", params));
  }
  return { intercept: numbers[0]!, values: numbers.subarray(1) };
}
