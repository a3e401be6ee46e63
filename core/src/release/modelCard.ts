import { z } from "zod";

/** What a reader must know of a model before using it; a section of the release's README and of model.json. */

const text = z.string().max(2_000);
const probability = z.number().min(0).max(1);

/** A measure with an interval of 95 % that covers sampling and noise; null bounds where none is known. */
export const measureSchema = z.strictObject({
  name: z.string().max(100),
  value: z.number().nullable().describe("Null where it is too imprecise to interpret."),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

export const modelCardSchema = z.strictObject({
  /** What the model predicts, in a sentence. */
  predicts: text,
  /** On whose records it was trained, in what form. */
  trainedOn: text,
  /** How well, measured on the sites' held-out rows by a query that is charged as any other; null where none was asked. */
  evaluation: z
    .strictObject({
      /** How the rows were held out and counted. */
      method: text,
      /** Held-out rows, as the noisy sum has them. */
      rows: z.number().min(0),
      /** The share of the most frequent class among them, what a constant answer would reach; null where it is too imprecise. */
      majority: probability.nullable(),
      measures: z.array(measureSchema).min(1).max(20),
    })
    .nullable(),
  /** What it must not be used for, and where it is known to fail. */
  limits: z.array(text).min(1).max(20),
});

export type ModelCard = z.output<typeof modelCardSchema>;
export type Measure = z.output<typeof measureSchema>;
