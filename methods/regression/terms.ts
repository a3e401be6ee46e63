import type { OneRecord } from "@consilium/gate/record";
import type { RegressionLayout, RegressionStudy } from "./study.js";

/**
 * What a record says of the coefficients by each family that takes steps, in units in which no residual and no weight is beyond 1. It
 * depends on the record and on what was broadcast alone.
 */
export interface RecordTerms {
  /**
   * Sets `residual`, `weight` and `byInterval` to those of a record.
   * @param eta - β'x; null before coefficients are broadcast
   */
  read(record: OneRecord, eta: number | null): void;
  /** What the first derivatives are the columns' multiple of: from -1 to 1. */
  residual: number;
  /** What the second derivatives are the multiple of xx' of: from 0 to 1. */
  weight: number;
  /** [K] of a Cox regression, the residual's parts by interval of time. */
  readonly byInterval: Float64Array;
}

/** @param baseline - [K] log hazards beside the intercept, of a Cox regression */
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

/** y - p and p(1-p), with p = ½ at first. */
function logisticTerms(): RecordTerms {
  return {
    residual: 0,
    weight: 0,
    byInterval: new Float64Array(0),
    read({ label }, eta) {
      const p = eta === null ? 0.5 : 1 / (1 + Math.exp(-eta));
      this.residual = label - p;
      this.weight = p * (1 - p);
    },
  };
}

/**
 * In units of the largest count Y: y - u and u, with u = min(1, e·exp(η)), e the exposure in parts of the largest one. As y is at most Y by
 * declaration, so is its mean; before coefficients are broadcast y and e themselves.
 */
function poissonTerms({ count, exposure }: RegressionLayout): RecordTerms {
  return {
    residual: 0,
    weight: 0,
    byInterval: new Float64Array(0),
    read({ values }, eta) {
      const y = Math.min(1, Math.max(0, values[count!.feature]! / count!.most));
      const e = exposure === null ? 1 : Math.min(1, Math.max(0, values[exposure.feature]! / exposure.most));
      const mean = eta === null ? e : Math.min(1, e * Math.exp(eta));
      this.residual = eta === null ? y : y - mean;
      this.weight = mean;
    },
  };
}

/**
 * A patient's event and cumulative hazard, by interval, as far as the cumulative hazard is 1: there the patient's follow-up ends for
 * this sum, whatever happens later. When that is follows from the model and not from the event, so that the residual has mean 0 under
 * the model, as without it (docs/methods/regression.md#cox). Before coefficients are broadcast: the event, and the time in parts of the horizon.
 */
function coxTerms({ followUp }: RegressionLayout, baseline: Float64Array): RecordTerms {
  const { feature, edges, event } = followUp!;
  const intervals = edges.length - 1;
  const horizon = edges[intervals]!;
  return {
    residual: 0,
    weight: 0,
    byInterval: new Float64Array(intervals),
    read({ values, label }, eta) {
      const time = Math.min(horizon, Math.max(0, values[feature]!));
      const { byInterval } = this;
      byInterval.fill(0);
      let hazard = 0;
      let last = 0;
      for (let k = 0; k < intervals && edges[k]! <= time; k++) {
        last = k;
        if (eta === null) continue;
        const lived = (Math.min(time, edges[k + 1]!) - edges[k]!) / horizon;
        const added = lived > 0 ? Math.exp(eta + baseline[k]!) * lived : 0;
        if (!(hazard + added < 1)) {
          byInterval[k] = hazard - 1;
          hazard = 1;
          break;
        }
        byInterval[k] = -added;
        hazard += added;
      }
      const counts = label === event && time < horizon && hazard < 1 ? 1 : 0;
      byInterval[last] = byInterval[last]! + counts;
      this.residual = counts - hazard;
      this.weight = eta === null ? time / horizon : hazard;
    },
  };
}
