import { noNode } from "@consilium/core/linalg/histograms";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { evaluationWarnings, trainingRows } from "@consilium/core/study/evaluation";
import { labelSchema } from "@consilium/core/study/features";
import type { Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { additiveAdvice } from "../dp-additive/study.js";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import {
  depthIssues,
  lastStages,
  lengthMost,
  levelShare,
  splitsBefore,
  treeParameters,
  treeStages,
} from "../shared/correlation-tree/treeStudy.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import type { DpPccSSays } from "./says.js";

/**
 * The correlation tree by sample and aggregate: `method: dp-pcc-s`, faithful to the published map tasks and with a proof. Each
 * site deals its rows to blocks by a hash of the row; a block says of every attribute how strong its best cut is and where, in
 * [0, 1]; the blocks' answers are added up with noise. docs/methods/correlation-tree.md#dp-pcc-s.
 */

const blocksUsually = 50;

const parameters = z
  .strictObject({
    ...treeParameters,
    blocks: z
      .int()
      .min(2)
      .max(10_000)
      .optional()
      .describe(
        "Blocks of each site. Left out: with `participation.expectedRows` as many as make noise and chance least together, else 50.",
      )
      .transform((blocks) => blocks ?? blocksUsually),
    guard: between(0, 20)
      .default(2)
      .describe(
        "A node is split where the best sum of correlations stands out by so many standard deviations of its noise.",
      ),
  })
  .prefault({});

/** The keys that `analysis: correlation-tree` adds to a study with `method: dp-pcc-s`. */
export const dpPccSSection = {
  analysis: z.literal("correlation-tree"),
  method: z
    .literal("dp-pcc-s")
    .describe("One tree of cuts by correlation with the label, from the votes of blocks of rows."),
  variant: z.literal("sound", {
    error: lines<StudyFaultSays>()("fault.sound", {
      methods: ["dp-pcc", "dp-pcc-s"].map(nameOf),
      paper: [nameOf("pearson-tree")],
    }),
  }),
  /** The class that the tree predicts. */
  label: labelSchema,
  parameters,
};

export type DpPccSStudy = StudyWith<typeof dpPccSSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asDpPccS(study: Study): DpPccSStudy {
  if (study.method === "dp-pcc-s") return study as DpPccSStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not dp-pcc-s`);
}

const said = sentences<DpPccSSays>();
const dpPccSProof = "docs/METHODS.md#dp-pcc-s-proof";

/** What a block says is in units of 2^-10. */
export const answerUnit = 2 ** 10;

/** Everything of a study of dp-pcc-s that is public and fixed before it runs. */
export interface DpPccSLayout {
  readonly features: readonly BinnedFeature[];
  /** L. */
  readonly classes: number;
  /** Where a feature's answer begins in a node's part, and its length: 2 for an ordered one, else a number per bin. */
  readonly answers: readonly { readonly at: number; readonly length: number }[];
  /** Entries of one node. */
  readonly nodeLength: number;
  readonly levels: readonly SoundStage[];
  readonly leaves: SoundStage;
  readonly evaluation: SoundStage | null;
}

const cellsOf = (features: readonly BinnedFeature[]) =>
  features.reduce((sum, feature) => sum + feature.bins, 0);

const layouts = new WeakMap<DpPccSStudy, DpPccSLayout>();

export function dpPccSLayout(study: DpPccSStudy): DpPccSLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { depth, bins, blocks } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  let nodeLength = 0;
  const answers = features.map((feature) => {
    const answer = { at: nodeLength, length: feature.kind === "ordered" ? 2 : feature.bins };
    nodeLength += answer.length;
    return answer;
  });
  // Of an ordered feature two numbers; of a nominal one a number at one of its levels.
  const groups = features.map(({ kind, bins: count }) =>
    kind === "ordered" ? { entries: 2, taken: 2 } : { entries: count, taken: 1 },
  );
  const levels = Array.from({ length: depth }, (_, level) =>
    soundStage({
      id: treeStages.level(level),
      broadcasts: splitsBefore(level),
      share: levelShare(study),
      query: {
        kind: "blocks",
        blocks,
        parts: 2 ** level,
        deal: "record",
        counts: { cells: cellsOf(features) * study.label.levels.length, touches: features.length },
        answer: { kind: "groups", most: answerUnit, groups },
      },
      integersPerUnit: answerUnit,
      what: said("dp-pcc-s.sent", {
        blocks,
        level: level + 1,
        nodes: 2 ** level,
        features: features.length,
        label: nameOf(study.label.name),
      }),
    }),
  );
  const classes = study.label.levels.length;
  const layout = { features, classes, answers, nodeLength, levels, ...lastStages(study) };
  layouts.set(study, layout);
  return layout;
}

/** The stages in their order. */
function dpPccSStages(study: DpPccSStudy): SoundStage[] {
  const { levels, leaves, evaluation } = dpPccSLayout(study);
  return [...levels, leaves, ...(evaluation === null ? [] : [evaluation])];
}

/** Faults that only the whole study shows, as [path, message]. */
export function dpPccSIssues(study: DpPccSStudy): MethodIssue[] {
  const issues = [...soundIssues(study), ...depthIssues(study)];
  if (issues.length > 0) return issues;
  const { depth, bins, blocks } = study.parameters;
  const nodes = blocks * 2 ** (depth - 1);
  const cells = nodes * cellsOf(binnedFeatures(study.features, bins)) * study.label.levels.length;
  if (nodes >= noNode || cells > lengthMost) {
    const params = { blocks, nodes: 2 ** (depth - 1), counts: cells, max: lengthMost, maxNodes: noNode - 1 };
    return [[["parameters", "blocks"], said("dp-pcc-s.many-counts", params)]];
  }
  if (!fitsRing(study, dpPccSStages(study))) return [ringIssue];
  const most = sitesAtMost(study) * Math.min(blocks, study.participation.maxRowsPerSite);
  const needed = study.parameters.guard * levelStdDev(study);
  if (needed <= most) return [];
  return [[["parameters", "blocks"], said("dp-pcc-s.noise", { needed: Math.ceil(needed), max: most })]];
}

/** Standard deviation of the noise in a sum of correlations, in blocks. */
function levelStdDev(study: DpPccSStudy): number {
  const sites = sitesAtLeast(study);
  return noiseStdDev(asExpected(study), dpPccSLayout(study).levels[0]!, sites) / answerUnit;
}

export function planDpPccS(study: DpPccSStudy): Plan {
  return planSoundSums(study, () => ({
    stages: dpPccSStages(study),
    proof: dpPccSProof,
    warnings: warningsOf(study),
  }));
}

/** Rows of a block in a node: with fewer, some count of side by class is 0, and any cut correlates by chance alone. */
export const rowsOfBlockLeast = 4;
/** Features whose correlations differ by less are told apart by luck: a tenth. */
const tellApart = 0.1;

const line = lines<DpPccSSays>();

function warningsOf(study: DpPccSStudy): string[] {
  const { blocks, depth } = study.parameters;
  const warnings: string[] = [];
  const rows = trainingRows(study.parameters.evaluation, rowsExpected(study));
  const deepest = rows / sitesAtLeast(study) / blocks / 2 ** (depth - 1);
  if (deepest < rowsOfBlockLeast) {
    warnings.push(
      line("dp-pcc-s.few-rows", { expected: expectedSaid(study), rows: rowsOfBlockLeast, level: depth }),
    );
  }
  if (study.privacy === "none") return warnings;
  const sites = sitesAtLeast(study);
  const needed = Math.ceil(levelStdDev(study) / tellApart);
  if (sites * blocks < needed) {
    const hidden = Number(Math.min(1, (tellApart * needed) / (sites * blocks)).toPrecision(2));
    warnings.push(line("dp-pcc-s.few-blocks", { blocks: sites * blocks, hidden, needed, shown: tellApart }));
  }
  const { evaluation } = dpPccSLayout(study);
  return [
    ...warnings,
    ...additiveAdvice(study),
    ...evaluationWarnings(study, evaluation, study.parameters.evaluation),
  ];
}
