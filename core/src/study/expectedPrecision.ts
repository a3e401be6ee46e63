import { z } from "zod";

/** One line of what precision to expect of a study, computed as its method computes the intervals of a release. */
export const expectedPrecisionSchema = z
  .object({
    statistic: z.enum([
      "count",
      "share",
      "mean",
      "median",
      "survival",
      "difference",
      "odds ratio",
      "rate ratio",
      "hazard ratio",
    ]),
    of: z
      .string()
      .nullable()
      .describe("The column, group, or pair of columns that it is of; null where all are alike."),
    within: z
      .number()
      .describe(
        "Half the width of the interval at 95 %: of a share or a curve in parts of 1; of a ratio over a column's whole range the factor.",
      ),
    unit: z.string().nullable().describe("Of a mean, a median or a difference."),
    rows: z.int().describe("Of how many rows, or patients where they are weighed."),
    isOfGroup: z.boolean().describe("Whether these are the rows of each group; else they are all rows."),
  })
  .meta({ id: "ExpectedPrecision" });
export type ExpectedPrecision = z.output<typeof expectedPrecisionSchema>;

/** The precision to expect of a study with so many rows. */
export const precisionCaseSchema = z
  .object({
    rows: z.int().describe("Of all sites together."),
    rowsPerSite: z
      .int()
      .nullable()
      .describe(
        "Assumed of each site, because the study does not say how many rows it expects; null where it does.",
      ),
    lines: z.array(expectedPrecisionSchema).readonly(),
  })
  .meta({ id: "PrecisionCase" });
export type PrecisionCase = z.output<typeof precisionCaseSchema>;
