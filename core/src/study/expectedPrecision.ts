import type { answerOf } from "@consilium/gate/answer";
import { z } from "zod";

/**
 * One line of a study's forecast: how precise a figure of its release will be, computed by what makes the release's intervals over rows that
 * are nobody's, drawn as the study declares its table.
 */
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
      "accuracy",
      "area",
      "association",
    ]),
    of: z
      .string()
      .nullable()
      .describe("The column, group, or pair of columns that it is of; null where all are alike."),
    at: z.number().nullable().describe("Survival: the time that it is of; null of others."),
    best: z
      .number()
      .nullable()
      .describe(
        "Half of the interval's width at 95 %, at best: values fill their bounds, columns have nothing to do with each other. Shares, curves and areas in parts of 1; of a ratio over a column's whole range, or of a category's usual level, the factor. Null where even that is too imprecise to interpret.",
      ),
    likely: z
      .number()
      .nullable()
      .describe(
        "The same as it is likely to be: values in a part of their bounds, columns that go together, uneven categories, an effect. Null where that is too imprecise to interpret.",
      ),
    useful: z
      .number()
      .nullable()
      .describe("Half width, or factor, up to which it is of use; null where that depends on the question."),
    unit: z.string().nullable().describe("Unit of a mean, a median, a difference, or of `at`."),
    rows: z.int().describe("Number of rows, or of patients where they are weighed, that it is of."),
    isOfGroup: z.boolean().describe("Whether these are the rows of each group; else they are all rows."),
  })
  .meta({ id: "ExpectedPrecision" });
export type ExpectedPrecision = z.output<typeof expectedPrecisionSchema>;

/** The forecast of a study with so many rows. */
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
    remarks: z
      .array(z.string())
      .readonly()
      .describe("What follows for the question, such as the least odds ratio that will be seen."),
  })
  .meta({ id: "PrecisionCase" });
export type PrecisionCase = z.output<typeof precisionCaseSchema>;

/** Case that a forecast is made for. */
export interface ForecastInput {
  /** Number of rows of all sites together. */
  readonly rows: number;
  /** The gate's `answerOf`, given so that a site's agent, which has methods but forecasts nothing, does not load it. */
  readonly answer: typeof answerOf;
  /** Awaited now and then, so that connections are served; left out: nothing waits. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** A method's forecast. */
export interface Forecast {
  readonly lines: readonly ExpectedPrecision[];
  /** Codes with parameters, as lines. */
  readonly remarks: readonly string[];
}
