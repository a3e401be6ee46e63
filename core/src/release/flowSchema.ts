import { z } from "zod";
import { flowCauses } from "../study/flow.js";

/** The flow of a study's rows as a release and the console hold it; `flow.ts` says and draws it. */

const estimate = {
  value: z.number(),
  low: z.number().describe("Of a 95% interval, which covers privacy noise alone."),
  high: z.number(),
};
const hospitals = z.int().min(1);

/** Of what a study's sites have sent. */
export const flowCountsSchema = z.strictObject({
  unit: z.enum(["rows", "patients"]),
  read: z.strictObject(estimate).describe("All of the following."),
  used: z.strictObject(estimate),
  leftOut: z
    .array(z.strictObject({ cause: z.enum(flowCauses), ...estimate }))
    .describe("Each row, or patient, by the first cause in this order."),
  beyond: z
    .array(
      z.strictObject({
        column: z.string(),
        side: z.enum(["below", "above"]),
        bound: z.number(),
        ...estimate,
      }),
    )
    .describe("Those used of which a number was set to its bound: at most four numbers of each are counted."),
  taking: hospitals.describe("Hospitals on the study's roster."),
  counted: hospitals.describe("Those of them whose rows are in these figures."),
  finished: hospitals.describe("Those whose rows are in the study's last sum."),
});

export const flowSchema = flowCountsSchema.extend({ invited: hospitals });

export type FlowCounts = z.output<typeof flowCountsSchema>;
export type Flow = z.output<typeof flowSchema>;
