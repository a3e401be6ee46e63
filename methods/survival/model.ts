import { z } from "zod";
import { atRisk } from "./counts.js";
import { medianSurvival } from "./curve.js";
import type { SurvivalResult } from "./result.js";
import { planSurvival, type SurvivalStudy, survivalLayout } from "./study.js";

/** `model.json` of a survival study: the counts that everything follows from, medians, and the test. The curves are the rows. */

const finite = z.number();
const time = z.number().nullable();

export const survivalModelSchema = z.strictObject({
  format: z.literal("consilium-survival/1"),
  analysis: z.literal("survival"),
  method: z.literal("survival"),
  variant: z.literal("sound"),
  /** Interval b holds edges[b] ≤ t < edges[b + 1]. */
  time: z.strictObject({ name: z.string(), unit: z.string().nullable(), edges: z.array(finite) }),
  status: z.strictObject({ name: z.string(), event: z.string(), censored: z.array(z.string()) }),
  /** The column that tells groups apart; null where all records are one group. */
  groupedBy: z.string().nullable(),
  groups: z.array(
    z.strictObject({
      group: z.string(),
      /** All records, as the noisy counts have them. */
      records: finite,
      recordsStdDev: finite,
      /** By interval, made valid: not negative, with the same total. */
      events: z.array(finite),
      censored: z.array(finite),
      /** Followed to the horizon. */
      beyond: finite,
      /** Where the curve ends, for want of records at risk; null where it has no interval. */
      curveEnds: time,
      /** When half of the group has had the event, with its interval of 95 %; null where that lies beyond the curve. */
      median: z.strictObject({ value: time, low: time, high: time }),
    }),
  ),
  /** Null where there is nothing to compare, or the test could not be computed. */
  logRank: z
    .strictObject({
      statistic: finite,
      degreesOfFreedom: z.int().min(1),
      /** With the noise in the variance. */
      pValue: finite,
      /** Events of each group up to `until`, and as many as one common hazard would give. */
      observed: z.array(finite),
      expected: z.array(finite),
      until: finite,
    })
    .nullable(),
  noise: z.strictObject({
    /** Standard deviation in each count. */
    stdDev: finite,
    epsilon: finite.nullable(),
    delta: finite.nullable(),
  }),
});

export type SurvivalModel = z.output<typeof survivalModelSchema>;

export function survivalModel(study: SurvivalStudy, result: SurvivalResult): SurvivalModel {
  const { time: binned, unit, edges, groupName, groups } = survivalLayout(study);
  const { counts, curves, logRank, stdDev } = result;
  const { event } = study.parameters;
  const { claim } = planSurvival(study);
  return survivalModelSchema.parse({
    format: "consilium-survival/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    time: { name: binned.name, unit, edges },
    status: { name: study.label.name, event, censored: study.label.levels.filter((one) => one !== event) },
    groupedBy: groupName,
    groups: groups.map((group, g) => ({
      group,
      records: atRisk(counts[g]!)[0]!,
      recordsStdDev: result.recordsStdDev,
      events: [...counts[g]!.events],
      censored: [...counts[g]!.censored],
      beyond: counts[g]!.beyond,
      curveEnds: curves[g]!.at(-1)?.to ?? null,
      median: medianSurvival(curves[g]!),
    })),
    logRank: logRank === null ? null : testOf(logRank, edges),
    noise: { stdDev, epsilon: claim.epsilon, delta: claim.delta },
  });
}

function testOf({ intervals, ...test }: NonNullable<SurvivalResult["logRank"]>, edges: readonly number[]) {
  return { ...test, observed: [...test.observed], expected: [...test.expected], until: edges[intervals]! };
}
