import { z } from "zod";

/** Figures of a release: what they show. The publisher draws each as `plots/<name>.svg`. */

const name = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .max(60);
const text = z.string().max(300);
const finite = z.number();

/** The same values on a second axis: e to their power, as odds ratios are of log-odds. */
const exponential = z
  .strictObject({ label: text })
  .optional()
  .describe("A second axis, of e to the power of the values: what it is called.");

/** One bar per item, largest first as given, with an interval where the value carries noise. */
export const barsFigureSchema = z.strictObject({
  kind: z.literal("bars"),
  name,
  title: text,
  /** What a bar's length is, with its unit. */
  valueLabel: text,
  exponential,
  groups: z
    .array(text)
    .min(2)
    .max(12)
    .optional()
    .describe("Names of the groups that bars are of, such as arms of a trial: each has a colour of its own."),
  bars: z
    .array(
      z.strictObject({
        label: text,
        value: finite,
        low: finite.nullable(),
        high: finite.nullable(),
        group: z
          .int()
          .min(0)
          .optional()
          .describe("Index of the bar's group. Bars of one label follow each other."),
      }),
    )
    .min(1)
    .max(500),
});

/** Lines or points over a numeric axis: a scree plot, a calibration curve, a ROC curve. */
export const curvesFigureSchema = z.strictObject({
  kind: z.literal("curves"),
  name,
  title: text,
  xLabel: text,
  yLabel: text,
  exponential,
  series: z
    .array(
      z.strictObject({
        label: text,
        style: z
          .enum(["line", "points", "line-points", "reference", "band"])
          .describe("`band`: a line, with the area from `low` to `high` around it."),
        points: z
          .array(z.strictObject({ x: finite, y: finite, low: finite.nullable(), high: finite.nullable() }))
          .min(1)
          .max(2_000),
        below: z
          .array(z.strictObject({ x: finite, value: finite }))
          .max(12)
          .optional()
          .describe("Numbers under the axis, at their places of it."),
      }),
    )
    .min(1)
    .max(12),
  belowLabel: text.optional().describe("What the numbers under the axis are, such as how many are at risk."),
});

/** A picture of one tree of the release's predictor. */
const tree = z.strictObject({ kind: z.literal("tree"), name, title: text, tree: z.int().min(0) });

/** Boxes from the top down, those that went no further beside each, as STROBE and CONSORT ask for. */
export const flowFigureSchema = z.strictObject({
  kind: z.literal("flow"),
  name,
  title: text,
  steps: z
    .array(
      z.strictObject({
        lines: z.array(text).min(1).max(12).describe("Of the box: each a line of `said.ts`, or a text."),
        aside: z.array(text).max(12).describe("Of the box beside the way on from it; none without a line."),
      }),
    )
    .min(1)
    .max(12),
});

export const figureSchema = z.discriminatedUnion("kind", [
  barsFigureSchema,
  curvesFigureSchema,
  flowFigureSchema,
  tree,
]);
export type Figure = z.output<typeof figureSchema>;
