import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { StageId } from "../ids.js";
import { lines, sentences } from "../said.js";
import { between } from "./between.js";
import type { BroadcastPlan, SumStage } from "./plan.js";
import { countQuery, soundStage } from "./soundStage.js";
import {
  asExpected,
  expectedSaid,
  noiseStdDev,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  unprovedEvent,
} from "./soundSums.js";
import type { Study } from "./study.js";

/**
 * How well a model predicts, measured on rows that it was not trained on: one more stage of a study whose result
 * predicts, the last one. Each held-out record adds 1 at (what was predicted, what is so). The proof and what is read off
 * the sum: docs/methods/evaluation.md#evaluation.
 */

const settings = z.strictObject({
  heldOut: between(0.05, 0.5)
    .default(0.2)
    .describe(
      "The part of the records that no stage of training sees, chosen by a public hash of each record's own features.",
    ),
  share: between(0.01, 0.5)
    .default(0.05)
    .describe("The part of the study's ρ that the evaluation costs; training has the rest."),
});

/**
 * `parameters.evaluation` of a method that predicts. On unless switched off: a model whose quality nobody knows is not
 * worth the privacy that it cost.
 */
export const evaluationParameter = z
  .union([z.literal("none"), settings], lines<StudyFaultSays>()("fault.evaluation", {}))
  .default({ heldOut: 0.2, share: 0.05 })
  .describe(
    "Whether rows are held out of training to tell how well the model predicts; `none` switches it off.",
  );

export type Evaluation = z.output<typeof evaluationParameter>;

export const evaluationStageId = "evaluation" as StageId;

/** Ranges of the score. Where they are cut is broadcast with the model: the decision's threshold is one of the cuts. */
export const scoreBins = 20;

/** What a broadcast names the cuts: range b holds cut[b-1] < score ≤ cut[b]. */
export const cutsName = "cuts";

/** What a held-out record is counted at. */
export type EvaluationForm =
  /** Two classes: the range of the model's score, and the class. */
  | { readonly kind: "scores" }
  /** More: the class predicted, and the class. */
  | { readonly kind: "classes"; readonly classes: number };

export function evaluationForm(classes: number): EvaluationForm {
  return classes === 2 ? { kind: "scores" } : { kind: "classes", classes };
}

/** What can be predicted, and what can be so: the vector is [predictions × classes], row-major. */
export function evaluationShape(form: EvaluationForm): {
  readonly predictions: number;
  readonly classes: number;
} {
  return form.kind === "scores"
    ? { predictions: scoreBins, classes: 2 }
    : { predictions: form.classes, classes: form.classes };
}

/** The part of ρ that is left for training: what every other stage's share is multiplied with. */
export function trainingShare(evaluation: Evaluation): number {
  return evaluation === "none" ? 1 : 1 - evaluation.share;
}

/**
 * The stage of a sound method; null where the study asks for no evaluation. Δ² = 1: a record is one 1.
 * @param broadcasts - what the sites do not know of the model yet; where its score is cut comes with it
 */
export function evaluationStage(
  evaluation: Evaluation,
  form: EvaluationForm,
  broadcasts: SoundStage["broadcasts"],
): SoundStage | null {
  if (evaluation === "none") return null;
  return soundStage({
    id: evaluationStageId,
    broadcasts: [...broadcasts, ...cutsBroadcast(form)],
    share: evaluation.share,
    query: countQuery(lengthOf(form)),
    integersPerUnit: 1,
    what: whatLeaves(evaluation, form),
  });
}

/** The same stage of a published method, whose privacy nobody proved: the exact counts. */
export function unprovedEvaluationStage(
  study: Study,
  evaluation: Evaluation,
  form: EvaluationForm,
  broadcasts: SumStage["broadcasts"],
): SumStage | null {
  if (evaluation === "none") return null;
  const countMost = sitesAtMost(study) * study.participation.maxRowsPerSite;
  return {
    kind: "sum",
    id: evaluationStageId,
    broadcasts: [...broadcasts, ...cutsBroadcast(form)],
    length: lengthOf(form),
    ringBits: countMost < 2 ** 31 ? 32 : 64,
    noise: null,
    disclosure: {
      what: line("sent.summed", { what: whatLeaves(evaluation, form) }),
      form: "masked sum",
      learns: line("learns.sum", { noise: 0 }),
      mechanism: line("noise.none", {}),
      normBound: 1,
      sensitivity: null,
      cost: null,
      event: unprovedEvent(study),
    },
  };
}

const cutsBroadcast = (form: EvaluationForm): BroadcastPlan[] =>
  form.kind === "scores" ? [{ name: cutsName, length: scoreBins - 1 }] : [];

function lengthOf(form: EvaluationForm): number {
  const { predictions, classes } = evaluationShape(form);
  return predictions * classes;
}

const line = lines<StageSays>();

const whatLeaves = ({ heldOut }: Exclude<Evaluation, "none">, { kind }: EvaluationForm) =>
  sentences<StageSays>()("sent.evaluation", { heldOut, ranges: kind === "scores" ? scoreBins : 0 });

/** Of these rows, those that no evaluation holds out. */
export function trainingRows(evaluation: Evaluation, rows: number): number {
  return evaluation === "none" ? rows : (1 - evaluation.heldOut) * rows;
}

/**
 * What the operator should know: whether the evaluation can tell anything at the rows that are expected. Its noise adds up
 * over all counts to σ·√length, and an accuracy is worth reading where that is a tenth of the held-out rows.
 */
export function evaluationWarnings(study: Study, stage: SoundStage | null, evaluation: Evaluation): string[] {
  if (stage === null || evaluation === "none" || study.privacy === "none") return [];
  const rows = rowsExpected(study);
  const noise = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const needed = Math.ceil((10 * noise * Math.sqrt(stage.length)) / evaluation.heldOut);
  if (rows >= needed) return [];
  return [lines<PlanSays>()("plan.evaluation-weak", { expected: expectedSaid(study), needed })];
}
