import type { ColumnBlock } from "@consilium/core/study/design";
import { rowsExpected } from "@consilium/core/study/soundSums";
import {
  type ExpectedColumns,
  followedUp,
  type Situation,
  solvedFor,
  statedPart,
  within,
} from "../shared/forecast/expectedRows.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** Rows of a forecast with an outcome that columns explain as far as the situation says. */
export function withOutcome(
  study: RegressionStudy,
  drawn: ExpectedColumns,
  situation: Situation,
): ColumnBlock {
  switch (study.parameters.family) {
    case "logistic":
      return withLabels(study, drawn, situation);
    case "linear":
      return withNumbers(study, drawn, situation);
    case "poisson":
      return withCounts(study, drawn, situation);
    case "cox":
      return withTimes(study, drawn, situation);
  }
}

/** Part of the rows with the event; of counts their mean, which may be above 1. Null where a study does not say it. */
export function partOf(study: RegressionStudy): number | null {
  const { participation, parameters } = study;
  const rows = rowsExpected(study);
  if (parameters.family !== "poisson") return statedPart({ participation, rows });
  const { expectedEvents } = participation;
  return expectedEvents === undefined ? null : expectedEvents / rows;
}

function withLabels(
  study: RegressionStudy,
  { block, sums, uniform }: ExpectedColumns,
  { effect, part }: Situation,
): ColumnBlock {
  const probability = (at: number, z: number) => 1 / (1 + Math.exp(-at - effect * z));
  const at = solvedFor(
    partOf(study) ?? part,
    (x) => sums.reduce((sum, z) => sum + probability(x, z), 0) / sums.length,
  );
  return { ...block, labels: Uint16Array.from(sums, (z) => (uniform() < probability(at, z) ? 1 : 0)) };
}

function withNumbers(
  study: RegressionStudy,
  { block, sums, normal }: ExpectedColumns,
  { effect, residual, offset }: Situation,
): ColumnBlock {
  const outcome = regressionLayout(study).design.roles.outcome!;
  const feature = study.features[outcome]!;
  if (feature.type !== "numeric") throw new RangeError("the outcome of a linear regression is a number");
  // Columns explain a fifth of the variance at an effect of 1.
  const values = sums.map((z) => within(feature, 0.5 + offset + residual * ((effect / 2) * z + normal())));
  return replaced(block, outcome, values);
}

function withCounts(
  study: RegressionStudy,
  { block, sums, uniform }: ExpectedColumns,
  { effect, frailty, count: usual }: Situation,
): ColumnBlock {
  const { count, exposure } = regressionLayout(study);
  const exposed = exposure === null ? null : block.columns[exposure.feature]!;
  const means = sums.map((z, r) => (exposed?.[r] ?? 1) * Math.exp((effect / 2) * z));
  const average = means.reduce((sum, mean) => sum + mean, 0) / means.length;
  const wanted = partOf(study) ?? usual * count!.most;
  const values = means.map((mean) => {
    // Exponential of mean 1, as far as the variance says.
    const frail = 1 + Math.sqrt(frailty) * (-Math.log(1 - uniform()) - 1);
    return Math.min(count!.most, poissonOf((wanted / average) * mean * frail, uniform));
  });
  return replaced(block, count!.feature, values);
}

function withTimes(
  study: RegressionStudy,
  { block, sums, uniform }: ExpectedColumns,
  { effect, part, followed }: Situation,
): ColumnBlock {
  const { feature, edges, event } = regressionLayout(study).followUp!;
  const { times, hasEvent } = followedUp(
    sums.map((z) => (effect / 2) * z),
    { part: partOf(study) ?? part, followed, horizon: edges.at(-1)!, uniform },
  );
  const censored = event === 0 ? 1 : 0;
  return {
    ...replaced(block, feature, times),
    labels: Uint16Array.from(hasEvent, (has) => (has ? event : censored)),
  };
}

const replaced = (block: ColumnBlock, feature: number, values: Float64Array): ColumnBlock => ({
  ...block,
  columns: block.columns.map((column, f) => (f === feature ? values : column)),
});

/** By the sum of exponential times; of means beyond 500 the mean itself, whose own variation no longer counts. */
function poissonOf(mean: number, uniform: () => number): number {
  if (mean > 500) return Math.round(mean);
  const least = Math.exp(-mean);
  let [count, product] = [0, uniform()];
  while (product > least) {
    count++;
    product *= uniform();
  }
  return count;
}
