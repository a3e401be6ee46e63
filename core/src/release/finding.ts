import type { FindingSays } from "@consilium/words/says/findings";
import { z } from "zod";
import { saidText } from "../said.js";

/**
 * Finding of a release: the answer to the question that its study asked, and whether it is clear (docs/methods/findings.md). It is one
 * sentence, as a line (`said.ts`) with its numbers and their intervals, and every reader gets the same: README, catalogue, command line
 * and API.
 */
export const findingSchema = z.object({
  text: z.string().min(1).max(8_000).describe("The finding as a sentence."),
  isClear: z.boolean().describe("Whether chance and noise fail to explain it."),
  by: z
    .enum(["interval", "test", "share"])
    .nullable()
    .describe(
      "What decides: an interval that excludes no effect, a test at 5%, or a share above what noise alone makes. Null in releases of earlier versions, which do not say.",
    ),
});

export type Finding = z.output<typeof findingSchema>;

/** Number of those that a result rests on, with its interval: that of privacy noise alone. */
export const countedSchema = z.object({
  of: z
    .enum(["used", "excluded", "training", "held-out", "events", "exposure"])
    .describe("`used` are all that the study used; `exposure` is the time or amount under observation."),
  name: z
    .string()
    .min(1)
    .max(300)
    .nullable()
    .describe("Which ones, where not all: an event, a group, a cause."),
  value: z.number(),
  low: z.number(),
  high: z.number(),
  unit: z.string().max(64).nullable().describe("`rows`, `patients`, or an exposure's unit, such as years."),
});

export type Counted = z.output<typeof countedSchema>;

/** Level of tests, and 1 less the coverage of intervals. */
const level = 0.05;

type Codes = keyof FindingSays;

/** The finding that a sentence of the table says. @param isClear - by one of the three definitions below */
export function finding<C extends Codes>(
  by: NonNullable<Finding["by"]>,
  isClear: boolean,
  code: C,
  params: FindingSays[C],
): Finding {
  return { text: saidText({ code, params }), isClear, by };
}

/** Clear by interval: a 95% interval that excludes no effect. @param none - value of no effect */
export const excludes = (
  { low, high }: { readonly low: number; readonly high: number },
  none: number,
): boolean => low > none || high < none;

/**
 * Clear by test: rejected at 5%. Of several hypotheses the p value is the smallest times their number [Dun61], which is a 95% interval
 * for all of them at once that excludes no effect.
 */
export const rejects = (pValue: number): boolean => pValue < level;

/** p value that allows for choosing the smallest of several. */
export const allowingForChoice = (smallest: number, of: number): number => Math.min(1, smallest * of);

/**
 * Two ways in which one question can be answered share the 5%: each p value counts twice.
 */
export const eitherRejects = (first: number, second: number): boolean => rejects(2 * Math.min(first, second));

/** Clear by share: above what noise alone makes of nothing. */
export const exceeds = (share: number, byNoise: number): boolean => share > byNoise;
