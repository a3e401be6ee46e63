import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { labelSchema } from "@consilium/core/study/features";
import type { Plan, SumStage } from "@consilium/core/study/plan";
import { authorsClaim, rowsOfTheFewest, sitesAtLeast, unprovedEvent } from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import {
  heldTableIssues,
  lambdaSchema,
  largestOfNormals,
  roundUp,
  selectedFeatures,
  selectSchema,
  solverIssues,
  solverSchema,
} from "@consilium/methods/shared/local-learning/localLearning";
import { selectIssues } from "@consilium/methods/shared/local-learning/selectIssues";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { FelpSays } from "./says.js";

/**
 * The published methods: FELP and FPLE [LYJ16], and FWELL-EN and FWELL, which they add noise to. What they compute and why
 * their privacy is not proven: docs/methods/feature-selection.md#felp.
 */

const line = lines<FelpSays & PlanSays & StudyFaultSays>();

const parameters = z.strictObject({
  select: selectSchema,
  lambda: lambdaSchema,
  solver: solverSchema,
  subsamples: z
    .int()
    .min(1)
    .max(1000)
    .default(20)
    .describe("k, subsamples of each site; fwell takes the whole table once."),
  beta: z.number().gt(0).max(1).default(0.9).describe("β: a subsample has ⌈β·N_i⌉ rows."),
  bootstrap: z
    .enum(["with-replacement", "without"])
    .default("with-replacement")
    .describe("How the rows of a subsample are drawn."),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what the subsamples are drawn from."),
});

/** The keys that `analysis: feature-selection` adds to a study with one of the published methods. */
export const paperFelpSection = {
  analysis: z.literal("feature-selection"),
  method: z
    .enum(["felp", "fple", "fwell", "fwell-en"])
    .describe("A weight for each feature by local learning, as published."),
  variant: z.literal("paper", {
    error: line("fault.paper", {
      methods: ["felp", "fple", "fwell", "fwell-en"].map(nameOf),
      proven: nameOf("felp-a"),
    }),
  }),
  parameters: parameters.prefault({}),
  label: labelSchema,
};

export type PaperFelpStudy = StudyWith<typeof paperFelpSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asPaperFelp(study: Study): PaperFelpStudy {
  if (paperFelpSection.method.options.some((name) => name === study.method)) return study as PaperFelpStudy;
  throw new RangeError(
    `${study.analysis}, variant ${study.variant}, is no published method of feature-selection`,
  );
}

export const paperFelpStage = "weights" as StageId;

/**
 * Distances between all pairs of rows, times features: about 5 hours of one core at 5·10^8 a second. A study may ask for
 * more, and is told so.
 */
const longWork = 2 ** 43;

export function paperFelpIssues(study: PaperFelpStudy): MethodIssue[] {
  const first = selectIssues(study);
  if (first.length > 0) return first;
  const issues = [...solverIssues(study), ...heldTableIssues(study)];
  if ((study.method === "fwell" || study.method === "fwell-en") && study.privacy !== "none") {
    const params = { method: nameOf(study.method) };
    issues.push([["privacy"], sentences<FelpSays>()("felp.without-noise", params)]);
  }
  return issues;
}

const reasons = (["felp.neighbours", "felp.lengths", "felp.left-out", "felp.exact-weights"] as const).map(
  (code) => line(code, {}),
);

/**
 * b of [LYJ16]: density ∝ exp(-|b|/scale), scale = 2/(nλε).
 * @param rows - n: of all sites for felp, of one site for fple
 */
export function publishedScale(study: PaperFelpStudy, rows: number): number {
  if (study.privacy === "none") return 0;
  return 2 / (rows * study.parameters.lambda * study.privacy.epsilon);
}

export function planPaperFelp(study: PaperFelpStudy): Plan {
  const d = study.features.length;
  const claim = authorsClaim(study, reasons);
  const { epsilon, delta } = claim;
  const cost = epsilon === null || delta === null ? null : { epsilon, delta };
  const own = study.method === "fple";
  const stage: SumStage = {
    kind: "sum",
    id: paperFelpStage,
    broadcasts: [],
    length: d + 1,
    ringBits: 64,
    noise: null,
    disclosure: {
      what: line("felp.sent", {
        features: d,
        subsamples: study.method === "fwell" ? 0 : study.parameters.subsamples,
      }),
      form: "masked sum",
      learns: line("felp.learns", { noisy: own && cost !== null ? 1 : 0 }),
      mechanism:
        cost === null
          ? lines<StageSays>()("noise.none", {})
          : line(own ? "felp.noise-own" : "felp.noise-aggregator", {}),
      normBound: null,
      sensitivity: null,
      cost,
      event: unprovedEvent(study),
    },
  };
  return { masking: "pairwise", setup: [], stages: [stage], claim, warnings: warningsOf(study) };
}

function warningsOf(study: PaperFelpStudy): string[] {
  const warnings = [line("plan.exact-sums", {})];
  const { maxRowsPerSite } = study.participation;
  const work = maxRowsPerSite ** 2 * study.features.length;
  if (work > longWork) {
    warnings.push(line("felp.slow", { rows: maxRowsPerSite }));
  }
  return [...warnings, ...hopelessness(study)];
}

/**
 * |w| is at most max|z|/(2λ), and |z| at most √d, so that q features that matter alike have at most √(d/q)/(2λ) each.
 * The largest of d noises is about the scale times √(d + 1)·√(2 ln d). λ falls out: no choice of it helps.
 */
function hopelessness(study: PaperFelpStudy): string[] {
  if (study.privacy === "none") return [];
  const d = study.features.length;
  const q = selectedFeatures(study);
  // fple adds as much noise at each site as felp does once, each with its own rows.
  const sites = sitesAtLeast(study);
  const times = study.method === "fple" ? Math.sqrt(sites) : 1;
  const needed = (4 * times * Math.sqrt((q * (d + 1)) / d) * largestOfNormals(d)) / study.privacy.epsilon;
  if (rowsOfTheFewest(study) >= 4 * needed) return [];
  return [line("felp.few-rows", { selected: q, of: d, needed: roundUp(needed) })];
}
