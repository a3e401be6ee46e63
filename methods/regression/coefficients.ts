import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { invalidBroadcast, notSent } from "../shared/plans/broadcastFaults.js";
import {
  baselineName,
  coefficientExponent,
  coefficientMost,
  coefficientsName,
  type RegressionLayout,
  residualLimitName,
} from "./study.js";

const said = sentences<BroadcastSays>();

/** Coefficients as they are broadcast, on the scale of the columns: multiples of 2^-40 from -1024 to 1024. */
export function encodeCoefficients(coefficients: Float64Array): Broadcast {
  return { [coefficientsName]: coefficients };
}

/** The nearest coefficients that may be broadcast. */
export function roundedCoefficients(coefficients: Float64Array): Float64Array {
  const scale = 2 ** coefficientExponent;
  return coefficients.map(
    (value) => Math.round(Math.min(coefficientMost, Math.max(-coefficientMost, value)) * scale) / scale + 0,
  );
}

/** Model as a stage is sent it; null before the first coefficients. */
export interface ModelTold {
  readonly coefficients: Float64Array;
  /** [K] of a Cox regression: log hazards of the intervals, in units of the horizon. */
  readonly baseline: Float64Array;
  /** c of the squares of a linear regression, in parts of the outcome's range; above 0. */
  readonly residualLimit: number;
}

/**
 * The model that a stage is told, from a broadcast that may come from anybody.
 * @throws ConsiliumError FIELD_INVALID where it is missing, BROADCAST_INVALID where it is no model of the method
 */
export function modelTold(
  { columns, intervals }: Pick<RegressionLayout, "columns" | "intervals">,
  stage: SoundStage,
  broadcasts: Broadcasts,
): ModelTold | null {
  const names = stage.broadcasts.map(({ name }) => name);
  if (!names.includes(coefficientsName)) return null;
  const numbers = (plan: BroadcastPlan) => numbersTold(plan, stage, broadcasts);
  return {
    coefficients: numbers({ name: coefficientsName, length: columns }),
    baseline: intervals === 0 ? new Float64Array(0) : numbers({ name: baselineName, length: intervals }),
    residualLimit: names.includes(residualLimitName) ? residualLimitTold(stage, broadcasts) : 1,
  };
}

function residualLimitTold(stage: SoundStage, broadcasts: Broadcasts): number {
  const [limit] = numbersTold({ name: residualLimitName, length: 1 }, stage, broadcasts);
  if (!(limit! > 0))
    throw invalidBroadcast(stage.id, said("broadcast.above-zero", { name: nameOf(residualLimitName) }));
  return limit!;
}

function numbersTold(
  { name, length }: BroadcastPlan,
  stage: SoundStage,
  broadcasts: Broadcasts,
): Float64Array {
  const told = broadcasts.get(stage.id)?.[name];
  if (told === undefined) throw notSent(stage.id, name);
  const fits = (value: number) =>
    Math.abs(value) <= coefficientMost && Number.isInteger(value * 2 ** coefficientExponent);
  if (told.length !== length || !told.every(fits)) {
    const grid = { exponent: coefficientExponent, max: coefficientMost };
    throw invalidBroadcast(
      stage.id,
      said("broadcast.multiples", { name: nameOf(name), count: length, ...grid }),
    );
  }
  return told;
}
