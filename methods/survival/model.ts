import { z } from "zod";
import { atRisk } from "./counts.js";
import { medianSurvival } from "./curve.js";
import type { LogRank } from "./logRank.js";
import type { SurvivalResult } from "./result.js";
import { planSurvival, type SurvivalStudy, survivalLayout } from "./study.js";

/** `model.json` of a survival study: the counts that everything follows from, medians, and the test. The curves are the rows. */

const finite = z.number();
const time = z.number().nullable();
const tested = z.strictObject({
  statistic: finite,
  /** With the noise in the variance. */
  pValue: finite,
});

export const survivalModelSchema = z.strictObject({
  format: z.literal("consilium-survival/2"),
  analysis: z.literal("survival"),
  method: z.literal("survival"),
  variant: z.literal("sound"),
  /** Interval b holds edges[b] < t ≤ edges[b + 1]; the first one 0 too, the last one not the horizon. */
  time: z.strictObject({ name: z.string(), unit: z.string().nullable(), edges: z.array(finite) }),
  status: z.strictObject({
    name: z.string(),
    event: z.string(),
    /** Levels that rule the event out; empty where none is declared. */
    competing: z.array(z.string()),
    censored: z.array(z.string()),
  }),
  /** The column that tells groups apart; null where all records are one group. */
  groupedBy: z.string().nullable(),
  groups: z.array(
    z.strictObject({
      group: z.string(),
      /** All records, as the noisy counts have them. */
      records: finite,
      recordsStdDev: finite,
      /** By interval, as the noise has them: they may be negative, and are correlated as `noise` says. */
      events: z.array(finite),
      competing: z.array(z.array(finite)),
      censored: z.array(finite),
      /** Followed to the horizon. */
      beyond: finite,
      /** Where the curve ends, for want of records at risk; null where it has no interval. */
      curveEnds: time,
      /** Where survival passes ½, with its interval of 95 %; null where that lies beyond the curve. */
      median: z.strictObject({ value: time, low: time, high: time }),
      /** Survival added up to where the curve ends; null where it has no interval. */
      restrictedMean: z.strictObject({ value: finite, low: finite, high: finite }).nullable(),
    }),
  ),
  /** Null where there is nothing to compare, or the test could not be computed. */
  logRank: z
    .strictObject({
      /** Who leaves otherwise is exposed for half of an interval. */
      ...tested.shape,
      /** Hazards are constant within an interval. */
      constantHazards: tested,
      degreesOfFreedom: z.int().min(1),
      /** At 5 %; `imprecise` where the two rules disagree. */
      decision: z.enum(["differ", "no evidence", "imprecise"]),
      /** Events of each group up to `until`, and as many as one common hazard would give. */
      observed: z.array(finite),
      expected: z.array(finite),
      until: finite,
    })
    .nullable(),
  noise: z.strictObject({
    /** In each number of the sum, in counts: of events by interval it is this times the lower triangular Toeplitz matrix of `root`, inverted. */
    stdDev: finite,
    root: z.array(finite),
    epsilon: finite.nullable(),
    delta: finite.nullable(),
  }),
});

export type SurvivalModel = z.output<typeof survivalModelSchema>;

export function survivalModel(study: SurvivalStudy, result: SurvivalResult): SurvivalModel {
  const { time: binned, unit, edges, groupName, groups, causes, root, stage } = survivalLayout(study);
  const { counts, curves, logRank, stdDev } = result;
  const { event, competing = [] } = study.parameters;
  const { claim } = planSurvival(study);
  const { integersPerUnit } = stage;
  return survivalModelSchema.parse({
    format: "consilium-survival/2",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    time: { name: binned.name, unit, edges },
    status: {
      name: study.label.name,
      event,
      competing: [...competing],
      censored: study.label.levels.filter((one) => !causes.includes(one)),
    },
    groupedBy: groupName,
    groups: groups.map((group, g) => {
      const { events, competing: others, censored, beyond } = counts[g]!;
      const end = curves[g]!.at(-1);
      return {
        group,
        records: atRisk(counts[g]!)[0]!,
        recordsStdDev: result.recordsStdDev,
        events: [...events],
        competing: others.map((one) => [...one]),
        censored: [...censored],
        beyond,
        curveEnds: end?.to ?? null,
        median: medianSurvival(curves[g]!),
        restrictedMean: end?.restrictedMean ?? null,
      };
    }),
    logRank: logRank === null ? null : testOf(logRank, edges),
    noise: {
      stdDev: stdDev / integersPerUnit,
      root: [...root.column].map((entry) => entry / integersPerUnit),
      epsilon: claim.epsilon,
      delta: claim.delta,
    },
  });
}

function testOf(
  { halfInterval, intervals, observed, expected, leftOut: _, ...test }: LogRank,
  edges: readonly number[],
) {
  return {
    ...halfInterval,
    ...test,
    observed: [...observed],
    expected: [...expected],
    until: edges[intervals]!,
  };
}
