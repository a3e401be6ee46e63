import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { designColumns, designWidth } from "@consilium/core/study/design";
import { type Feature, labelSchema } from "@consilium/core/study/features";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  expectedSaid,
  fitsRing,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  soundIssues,
  stageRho,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { guaranteedStdDev } from "../shared/local-learning/guaranteedNoise.js";
import {
  lambdaSchema,
  largestOfNormals,
  levelUnit,
  roundUp,
  selectedFeatures,
  selectSchema,
} from "../shared/local-learning/localLearning.js";
import { selectIssues } from "../shared/local-learning/selectIssues.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import type { FelpASays } from "./says.js";

/**
 * FELP-A: local learning against anchors. A private prototype of each class stands in place of every record's nearest
 * neighbours, so that what a record adds depends on that record alone. Proof: docs/METHODS.md#felp-a-proof.
 */

const line = lines<FelpASays & StudyFaultSays>();
const said = sentences<FelpASays>();

const fraction = between(0, 1);

const parameters = z.strictObject({
  select: selectSchema,
  prototypeShare: between(0.05, 0.95)
    .default(0.3)
    .describe(
      "The part of the budget that the prototypes have; the rest is for what is summed against them.",
    ),
  centre: z
    .union([fraction, z.array(fraction).min(1)], line("fault.centre", {}))
    .optional()
    .describe(
      "c0, what a row is centred by before its length is bounded: one number, or one for each design column, in units of the declared range. Left out: the middle of what a column can be. Public, never a mean of anybody's table.",
    ),
  radius: z
    .number()
    .min(1e-6)
    .max(1e6)
    .optional()
    .describe(
      "R: rows farther than this from the centre are moved onto the sphere, for the prototypes alone.",
    ),
  kappa: between(0.05, 4).default(1).describe("κ: how much the number of rows weighs beside their sum."),
  clip: z
    .number()
    .min(1e-6)
    .max(1e6)
    .default(1)
    .describe("C: the length to which a record's margins are cut."),
  rounds: z
    .int()
    .min(1)
    .max(50)
    .default(1)
    .describe("T: 1 sums the margins once; more are steps of gradient descent, which share the budget."),
  lambda: lambdaSchema,
});

/** The keys that `analysis: feature-selection` adds to a study with `method: felp-a`. */
export const felpASection = {
  analysis: z.literal("feature-selection"),
  method: z
    .literal("felp-a")
    .describe("A weight for each feature: how well it tells the classes apart, from sums."),
  variant: z.literal("sound", {
    error: line("fault.sound-published", { method: nameOf("felp-a"), paper: nameOf("felp") }),
  }),
  parameters: parameters.prefault({}),
  label: labelSchema,
};

export type FelpAStudy = StudyWith<typeof felpASection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asFelpA(study: Study): FelpAStudy {
  if (study.method === "felp-a") return study as FelpAStudy;
  throw new RangeError(`${study.method} is not felp-a`);
}

export const felpAStages = {
  prototypes: "prototypes" as StageId,
  /** The sum of margins, and with several rounds the gradients after it. */
  margins: (round: number) => `margins-${round}` as StageId,
};

export const felpANames = {
  /** [L × D] the prototype of each class in unit coordinates, multiples of 2^-24. */
  prototypes: "prototypes",
  /** [L] 1 for a class that takes part, 0 for one that does not stand out of the noise. */
  present: "present",
  /** [d] the weights so far, multiples of 2^-24; from the second round on. */
  weights: "weights",
} as const;

/** Prototypes and weights are broadcast as multiples of 2^-24. */
export const anchorExponent = 24;

/** h: what a record adds are integers in units of 2^-20 of the radius, or of C. */
export const felpGridExponent = 20;

/** A vector longer than this is no longer sent in one stage: 1 GiB. */
const lengthMost = 2 ** 27;

/** Everything of a study of felp-a that is public and fixed before it runs. */
export interface FelpALayout {
  /** D, design columns. */
  readonly columns: number;
  /** d, features: the entries of a record's margins. */
  readonly features: number;
  /** L, levels of the label. */
  readonly classes: number;
  /** [D] c0, in unit coordinates. */
  readonly centre: Float64Array;
  /** [D] the largest unit coordinate: 1 for a number, ½ for a level. */
  readonly most: Float64Array;
  readonly radius: number;
  readonly clip: number;
  /** K = trunc(2^h·κ): what every record adds to its class's count. */
  readonly kappaUnits: number;
  readonly prototypes: SoundStage;
  /** T of them. */
  readonly margins: readonly SoundStage[];
}

const planned = new WeakMap<FelpAStudy, FelpALayout>();

export function felpALayout(study: FelpAStudy): FelpALayout {
  const before = planned.get(study);
  if (before !== undefined) return before;
  const { parameters: own } = study;
  const columns = designColumns(study.features);
  const most = Float64Array.from(columns, (column) => (column.level === null ? 1 : levelUnit));
  const centre = centreOf(study, most);
  const radius = own.radius ?? usualRadius(study.features, centre);
  const kappaUnits = Math.trunc(own.kappa * 2 ** felpGridExponent);
  const classes = study.label.levels.length;
  const common = { study, columns: columns.length, classes, radius, kappaUnits };
  const layout = {
    columns: columns.length,
    features: study.features.length,
    classes,
    centre,
    most,
    radius,
    clip: own.clip,
    kappaUnits,
    prototypes: prototypeStage(common),
    margins: Array.from({ length: own.rounds }, (_, t) => marginStage({ ...common, round: t + 1 })),
  };
  planned.set(study, layout);
  return layout;
}

function prototypeStage(options: {
  readonly study: FelpAStudy;
  readonly columns: number;
  readonly classes: number;
  readonly radius: number;
  readonly kappaUnits: number;
}): SoundStage {
  const { study, columns, classes, radius, kappaUnits } = options;
  const unit = 2 ** felpGridExponent;
  return soundStage({
    id: felpAStages.prototypes,
    broadcasts: [],
    share: study.parameters.prototypeShare,
    query: { kind: "vector", parts: classes, length: columns + 1, limit: unit ** 2 + kappaUnits ** 2 },
    integersPerUnit: unit / radius,
    what: said("felp-a.prototypes", {
      label: nameOf(study.label.name),
      columns,
      length: Number(radius.toPrecision(4)),
    }),
  });
}

function marginStage(options: {
  readonly study: FelpAStudy;
  readonly columns: number;
  readonly classes: number;
  readonly round: number;
}): SoundStage {
  const { study, columns, classes, round } = options;
  const { prototypeShare, rounds, clip } = study.parameters;
  const unit = 2 ** felpGridExponent;
  const features = study.features.length;
  const broadcasts: BroadcastPlan[] = [
    { name: felpANames.prototypes, length: classes * columns },
    { name: felpANames.present, length: classes },
  ];
  if (round > 1) broadcasts.push({ name: felpANames.weights, length: features });
  return soundStage({
    id: felpAStages.margins(round),
    broadcasts,
    share: (1 - prototypeShare) / rounds,
    query: { kind: "vector", parts: 1, length: features, limit: unit ** 2 },
    integersPerUnit: unit / clip,
    what: said("felp-a.margins", { features, length: clip, weighed: round > 1 ? 1 : 0 }),
  });
}

function centreOf(study: FelpAStudy, most: Float64Array): Float64Array {
  const { centre } = study.parameters;
  if (centre === undefined) return middle(study.features);
  return most.map((top, j) => top * (typeof centre === "number" ? centre : (centre[j] ?? 0)));
}

/** [D] half of a number's range; for a category the middle of its levels, ½ spread over all of them. */
function middle(features: readonly Feature[]): Float64Array {
  const levels = levelCounts(features);
  return Float64Array.from(designColumns(features), (column) =>
    column.level === null ? 0.5 : levelUnit / levels.get(column.feature)!,
  );
}

/** Design columns per feature, by its index. */
function levelCounts(features: readonly Feature[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { feature } of designColumns(features)) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  return counts;
}

/**
 * R by default: the root mean square distance from the centre of a row whose features are independent and even over
 * their ranges, as dp-pca has it.
 */
function usualRadius(features: readonly Feature[], centre: Float64Array): number {
  const usual = middle(features);
  let squares = 0;
  designColumns(features).forEach((column, j) => {
    const variance = column.level === null ? 1 / 12 : usual[j]! * (levelUnit - usual[j]!);
    squares += variance + (usual[j]! - centre[j]!) ** 2;
  });
  return Math.sqrt(squares);
}

const stagesOf = ({ prototypes, margins }: FelpALayout): SoundStage[] => [prototypes, ...margins];

export function felpAIssues(study: FelpAStudy): MethodIssue[] {
  const first = selectIssues(study);
  if (first.length > 0) return first;
  const issues = soundIssues(study);
  const { centre } = study.parameters;
  const d = designWidth(study.features);
  if (Array.isArray(centre) && centre.length !== d) {
    issues.push([
      ["parameters", "centre"],
      said("felp-a.centre-length", { numbers: centre.length, columns: d }),
    ]);
  }
  if (issues.length > 0) return issues;
  const stages = stagesOf(felpALayout(study));
  const longest = Math.max(...stages.map((stage) => stage.length));
  if (longest > lengthMost) {
    issues.push([["features"], said("felp-a.long-stage", { numbers: longest, max: lengthMost })]);
  } else if (!fitsRing(study, stages)) issues.push(ringIssue);
  return issues;
}

const felpAProof = "docs/METHODS.md#felp-a-proof";

export function planFelpA(study: FelpAStudy): Plan {
  return planSoundSums(study, () => {
    const layout = felpALayout(study);
    return { stages: stagesOf(layout), proof: felpAProof, warnings: hopelessness(study, layout) };
  });
}

/**
 * What no table can bring about, however its rows lie. A record adds a length of at most C, so that q features that
 * matter alike have at most n·C/√q each, and that must exceed the largest of d noises, σ·√(2 ln d). Two prototypes are
 * at most 2R apart, and the noise between them has a length of σ·√(2D) over the rows of a class, n/L of them.
 */
function hopelessness(study: FelpAStudy, layout: FelpALayout): string[] {
  if (stageRho(study, 1) === null) return [];
  const { columns, classes, features, clip, radius, prototypes, margins } = layout;
  const q = selectedFeatures(study);
  const gradients = Math.sqrt(margins.length);
  const needs = {
    margins:
      (guaranteedStdDev(study, margins[0]!) * largestOfNormals(features) * Math.sqrt(q)) / (clip * gradients),
    prototypes: (classes * guaranteedStdDev(study, prototypes) * Math.sqrt(2 * columns)) / (2 * radius),
  };
  const needed = Math.max(needs.margins, needs.prototypes);
  if (rowsExpected(study) >= 4 * needed) return [];
  return [
    line("felp-a.few-rows", {
      subject:
        needs.margins >= needs.prototypes
          ? said("felp-a.features", { selected: q, of: features })
          : said("felp-a.classes", { classes, columns }),
      needed: roundUp(needed),
      units: unitsOf(study),
      expected: expectedSaid(study),
    }),
  ];
}
