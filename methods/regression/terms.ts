import type { OneRecord } from "@consilium/gate/record";
import type { RegressionLayout, RegressionStudy } from "./study.js";

/**
 * Terms of a record in the score and the information, by each family that is summed with its information. It depends on the record and on what was
 * broadcast alone.
 */
export interface RecordTerms {
  /**
   * Sets the fields below to those of a record.
   * @param eta - β'x
   */
  read(record: OneRecord, eta: number): void;
  /** r over R: the columns' part of the score is its multiple of x. From -1 to 1; of a Cox regression d - M, from -C to 1. */
  residual: number;
  /** w over R: the columns' part of the information is its multiple of xx'. From 0 to 1; of a Cox regression M, from 0 to C. */
  weight: number;
  /** The residual is at its lower bound, or follow-up was cut. */
  isBounded: boolean;
  /** [K] of a Cox regression: cumulative hazards u_k of the intervals. */
  readonly hazards: Float64Array;
  /** Interval of a Cox regression's event; -1 for none. */
  eventIn: number;
}

/** @param baseline - [K] log hazards of the intervals, of a Cox regression */
export function recordTerms(
  study: RegressionStudy,
  layout: RegressionLayout,
  baseline: Float64Array,
): RecordTerms {
  switch (study.parameters.family) {
    case "poisson":
      return poissonTerms(layout);
    case "cox":
      return coxTerms(layout, baseline);
    default:
      return logisticTerms();
  }
}

const blank = () => ({
  residual: 0,
  weight: 0,
  isBounded: false,
  hazards: new Float64Array(0),
  eventIn: -1,
});

/** y - p and p(1-p). */
function logisticTerms(): RecordTerms {
  return {
    ...blank(),
    read({ label }, eta) {
      const p = 1 / (1 + Math.exp(-eta));
      this.residual = label - p;
      this.weight = p * (1 - p);
    },
  };
}

/** max(y - μ, -C) and min(μ, C), with μ = e·exp(η), over R = max(Y, C). */
function poissonTerms(layout: RegressionLayout): RecordTerms {
  const { cap, unit } = layout;
  return {
    ...blank(),
    read({ values }, eta) {
      const { counted, exposed } = countOf(layout, values);
      const mean = exposed * Math.exp(eta);
      this.isBounded = counted - mean <= -cap;
      this.residual = (this.isBounded ? -cap : counted - mean) / unit;
      this.weight = Math.min(mean, cap) / unit;
    },
  };
}

/** A Poisson regression's count, from 0 to Y, and its exposure, 1 where there is none. */
export function countOf(
  { count, exposure }: RegressionLayout,
  values: OneRecord["values"],
): { readonly counted: number; readonly exposed: number } {
  const within = ({ feature, most }: { readonly feature: number; readonly most: number }) =>
    Math.min(most, Math.max(0, values[feature]!));
  return { counted: within(count!), exposed: exposure === null ? 1 : within(exposure) };
}

/**
 * A patient's event and cumulative hazard, by interval (e_k, e_{k+1}], as far as the cumulative hazard is C: there the patient's follow-up
 * ends for this sum, whatever happens later. When that is follows from the model and not from the event, so that the residual has mean 0
 * under the model, as without it (docs/methods/regression.md#cox).
 */
function coxTerms(layout: RegressionLayout, baseline: Float64Array): RecordTerms {
  const { cap, intervals } = layout;
  const { edges } = layout.followUp!;
  const horizon = edges[intervals]!;
  return {
    ...blank(),
    hazards: new Float64Array(intervals),
    read(record, eta) {
      const { time, eventIn } = followUpOf(layout, record);
      const { hazards } = this;
      hazards.fill(0);
      let hazard = 0;
      this.isBounded = false;
      for (let k = 0; k < intervals && edges[k]! < time; k++) {
        const added = (Math.exp(eta + baseline[k]!) * (Math.min(time, edges[k + 1]!) - edges[k]!)) / horizon;
        if (!(hazard + added <= cap)) {
          hazards[k] = cap - hazard;
          hazard = cap;
          this.isBounded = true;
          break;
        }
        hazards[k] = added;
        hazard += added;
      }
      this.eventIn = this.isBounded ? -1 : eventIn;
      this.residual = (this.eventIn < 0 ? 0 : 1) - hazard;
      this.weight = hazard;
    },
  };
}

/**
 * A patient's time up to the horizon, and the interval of the event, closed on the right as its times are; -1 for none. An event at time 0 is
 * in the first; at the horizon, where later times count, there is none.
 */
export function followUpOf(
  { followUp, intervals }: RegressionLayout,
  { values, label }: OneRecord,
): { readonly time: number; readonly eventIn: number } {
  const { feature, edges, event } = followUp!;
  const horizon = edges[intervals]!;
  const time = Math.min(horizon, Math.max(0, values[feature]!));
  if (label !== event || time === horizon) return { time, eventIn: -1 };
  let eventIn = 0;
  while (edges[eventIn + 1]! < time) eventIn++;
  return { time, eventIn };
}
