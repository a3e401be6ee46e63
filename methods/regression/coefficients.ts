import { ConsiliumError } from "@consilium/core/errors";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { SoundStage } from "@consilium/core/study/soundSums";
import { coefficientExponent, coefficientMost, coefficientsName, type RegressionLayout } from "./study.js";

/** Coefficients as they are broadcast, on the scale of the columns: multiples of 2^-24 from -1024 to 1024. */
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

/**
 * The coefficients that a stage is told, from a broadcast that may come from anybody; all 0 before the first gradient.
 * @throws ConsiliumError FIELD_INVALID where they are missing, BROADCAST_INVALID where they are not coefficients of the method
 */
export function coefficientsTold(
  { columns }: Pick<RegressionLayout, "columns">,
  stage: SoundStage,
  broadcasts: Broadcasts,
): Float64Array {
  if (!stage.broadcasts.some(({ name }) => name === coefficientsName)) return new Float64Array(columns);
  const told = broadcasts.get(stage.id)?.[coefficientsName];
  if (told === undefined)
    throw new ConsiliumError("FIELD_INVALID", `stage ${stage.id} was not sent "${coefficientsName}"`);
  const fits = (value: number) =>
    Math.abs(value) <= coefficientMost && Number.isInteger(value * 2 ** coefficientExponent);
  if (told.length !== columns || !told.every(fits))
    throw new ConsiliumError(
      "BROADCAST_INVALID",
      `the broadcast of stage ${stage.id}: "${coefficientsName}" must be ${columns} multiples of 2^-${coefficientExponent} from -${coefficientMost} to ${coefficientMost}`,
    );
  return told;
}
