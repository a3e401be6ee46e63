import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { labelSchema } from "@consilium/core/study/features";
import type { Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  expectedSaid,
  fitsRing,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  soundIssues,
  stageRho,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { guaranteedStdDev } from "../shared/local-learning/guaranteedNoise.js";
import {
  heldTableIssues,
  lambdaSchema,
  largestOfNormals,
  roundUp,
  selectedFeatures,
  selectSchema,
  solverIssues,
  solverSchema,
} from "../shared/local-learning/localLearning.js";
import { selectIssues } from "../shared/local-learning/selectIssues.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import type { FelpSSays } from "./says.js";

/**
 * FELP-S: sample and aggregate [NRS07]. Each record draws one of a public number of blocks, every block's own FWELL adds
 * a unit vector of weights, and the noise covers a change of one block. Proof: docs/METHODS.md#felp-s-proof.
 */

const parameters = z.strictObject({
  select: selectSchema,
  lambda: lambdaSchema,
  solver: solverSchema,
  blocks: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      "m: blocks of each site, public. Some 20 expected rows each are a good size. Left out: `maxRowsPerSite` / 40, as if tables were half as long as they may be.",
    ),
});

/** The keys that `analysis: feature-selection` adds to a study with `method: felp-s`. */
export const felpSSection = {
  analysis: z.literal("feature-selection"),
  method: z.literal("felp-s").describe("A weight for each feature, from the answers of blocks of rows."),
  variant: z.literal("sound", {
    error: lines<StudyFaultSays>()("fault.sound-published", {
      method: nameOf("felp-s"),
      paper: nameOf("felp"),
    }),
  }),
  parameters: parameters.prefault({}),
  label: labelSchema,
};

export type FelpSStudy = StudyWith<typeof felpSSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asFelpS(study: Study): FelpSStudy {
  if (study.method === "felp-s") return study as FelpSStudy;
  throw new RangeError(`${study.method} is not felp-s`);
}

export const felpSStage = "block-weights" as StageId;

/** h: a block's weights are integers in units of 2^-20. */
export const blockGridExponent = 20;

const rowsPerBlockAllowed = 40;

export function blocksOf(study: FelpSStudy): number {
  const usual = Math.floor(study.participation.maxRowsPerSite / rowsPerBlockAllowed);
  return study.parameters.blocks ?? Math.max(1, usual);
}

/** A block takes at most so many times the rows that it has in a table of `maxRowsPerSite`. */
const fullestBlock = 4;

export function felpSLayout(study: FelpSStudy): SoundStage {
  const unit = 2 ** blockGridExponent;
  const features = study.features.length;
  return soundStage({
    id: felpSStage,
    broadcasts: [],
    share: 1,
    query: {
      kind: "blocks",
      blocks: blocksOf(study),
      parts: 1,
      deal: "lot",
      rowsMost: fullestBlock * Math.ceil(study.participation.maxRowsPerSite / blocksOf(study)),
      answer: { kind: "length", entries: features, limit: unit ** 2 },
    },
    integersPerUnit: unit,
    what: sentences<FelpSSays>()("felp-s.sent", { features, blocks: blocksOf(study) }),
  });
}

export function felpSIssues(study: FelpSStudy): MethodIssue[] {
  const first = selectIssues(study);
  if (first.length > 0) return first;
  const issues = [...soundIssues(study), ...solverIssues(study), ...heldTableIssues(study)];
  const { maxRowsPerSite } = study.participation;
  if (blocksOf(study) > maxRowsPerSite) {
    const params = { blocks: blocksOf(study), rows: maxRowsPerSite };
    issues.push([["parameters", "blocks"], sentences<FelpSSays>()("felp-s.many-blocks", params)]);
  }
  if (issues.length > 0) return issues;
  return fitsRing(study, [felpSLayout(study)]) ? [] : [ringIssue];
}

const felpSProof = "docs/METHODS.md#felp-s-proof";

export function planFelpS(study: FelpSStudy): Plan {
  return planSoundSums(study, () => ({
    stages: [felpSLayout(study)],
    proof: felpSProof,
    warnings: hopelessness(study),
  }));
}

/** A block adds a length of at most 1: q features that matter alike have at most blocks/√q, against σ·√(2 ln d). */
function hopelessness(study: FelpSStudy): string[] {
  if (stageRho(study, 1) === null) return [];
  const features = study.features.length;
  const q = selectedFeatures(study);
  const needed = guaranteedStdDev(study, felpSLayout(study)) * largestOfNormals(features) * Math.sqrt(q);
  // A block without rows abstains.
  const blocks = Math.min(sitesAtLeast(study) * blocksOf(study), rowsExpected(study));
  if (blocks >= 4 * needed) return [];
  return [
    lines<FelpSSays>()("felp-s.few-blocks", {
      selected: q,
      of: features,
      needed: roundUp(needed),
      blocks,
      expected: expectedSaid(study),
    }),
  ];
}
