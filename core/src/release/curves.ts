import { z } from "zod";
import { isStorableText } from "../text.js";

/** Curves of an additive model: of each feature what each of its bins adds to the log-odds. The publisher writes them as curves.csv. */

const finite = z.number();
const name = z.string().min(1).max(200).refine(isStorableText, "holds text that UTF-8 files cannot");
const added = {
  /** What the bin adds to the log-odds of the label's second level. */
  logOdds: finite,
  /** Standard deviation that the noise gives it. */
  stdDev: z.number().min(0),
};

/** A number's interval from ≤ x < to, the first and the last one with all that lies beyond; or a level. */
export const curveBinSchema = z.union([
  z.strictObject({ from: finite, to: finite, ...added }),
  z.strictObject({ level: name, ...added }),
]);

export const curveSchema = z.strictObject({
  feature: name,
  bins: z.array(curveBinSchema).min(1).max(65_536),
});

export type Curve = z.output<typeof curveSchema>;
