import type { RingBits } from "@consilium/core/fixed-point/ringVector";
import type { StageId } from "@consilium/core/ids";
import { maxSites } from "@consilium/core/limits";
import type { MethodIssue } from "@consilium/core/method/method";
import type { EntryGroup } from "@consilium/core/privacy/events";
import { eventOf, shareVarianceFor } from "@consilium/core/privacy/shareVariance";
import { lines, nameOf, saidText, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { designColumns, designWidth } from "@consilium/core/study/design";
import type { Feature } from "@consilium/core/study/features";
import { noiseShares, studyOnRoster } from "@consilium/core/study/onRoster";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Disclosure, Plan, StageNoise, SumStage } from "@consilium/core/study/plan";
import {
  costOf,
  deltaWarnings,
  expectedSaid,
  fitsRing,
  flowStages,
  rowsExpected,
  rowsPerUnit,
  type SoundStage,
  sitesAtMost,
  soundClaim,
  soundIssues,
  soundSumStage,
  stageRho,
  unitEvent,
  weighed,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { type Query, sensitivitySquared } from "@consilium/gate/query";
import type { AnySaid } from "@consilium/words/said";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { ringIssue } from "../shared/plans/ringIssue.js";
import {
  type BallChoice,
  ballChoice,
  ballDecision,
  ballIssues,
  ballParameters,
  ballShare,
  ballStages,
  ballWarnings,
  type DpPcaBall,
  distanceCounts,
  radiusBroadcast,
} from "./ball.js";
import type { DpPcaSays } from "./says.js";

/**
 * Federated PCA with a proof: `method: dp-pca`, the sound variant. What it computes, why it is private and how far it
 * lies from PCA without noise: docs/methods/pca.md#dp-pca. This file fixes everything that is public before a run: the
 * form, the grid of integers, the ring, the noise and what it costs.
 */

const line = lines<StageSays & DpPcaSays & StudyFaultSays>();
const said = sentences<DpPcaSays & StudyFaultSays>();

const defaultKappa = 0.5;
const defaultIterations = 4;

const fraction = between(0, 1);

const parameters = z.strictObject({
  components: z.int().min(1).max(10_000).describe("k, the dimension that the data are reduced to."),
  centre: z
    .union([fraction, z.array(fraction).min(1)], line("fault.centre", {}))
    .optional()
    .describe(
      "c0, what every row is centred by: one number, or one for each design column, in units of the declared range (0 is `min`, 1 is `max`). Left out: the middle, 0.5 for a number and 1/levels for each level of a category. With `ball: private` what the choice begins from. Public: never the mean of anybody's table.",
    ),
  radius: z
    .number()
    .min(1e-6)
    .max(1e6)
    .optional()
    .describe(
      "R: rows further than this from the centre are moved onto the sphere; with `ball: private` the largest radius that may be chosen. In units of the declared ranges. Left out: the root mean square distance of a row whose columns are independent and even over their ranges.",
    ),
  ...ballParameters,
  kappa: between(0.05, 4)
    .default(defaultKappa)
    .describe("κ: the length of the extra coordinate that carries the number of rows and the mean."),
  form: z
    .enum(["auto", "one-round", "two-round", "iteration"])
    .default("auto")
    .describe("How the sums are asked for: `auto` picks by the number of columns and classes."),
  iterations: z.int().min(1).max(50).optional().describe("Rounds of `form: iteration`."),
});

/** The keys that `analysis: pca` adds to a study with `method: dp-pca`. */
export const dpPcaSection = {
  analysis: z.literal("pca"),
  method: z.literal("dp-pca").describe("Principal components, and synthetic rows in their coordinates."),
  variant: z.literal("sound", {
    error: line("fault.sound", {
      methods: [nameOf("dp-pca")],
      paper: ["elfed-pca", "dpdis-pca"].map(nameOf),
    }),
  }),
  parameters,
};

/** A study of dp-pca. */
export type DpPcaStudy = StudyWith<typeof dpPcaSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asDpPca(study: Study): DpPcaStudy {
  if (study.method === "dp-pca") return study as DpPcaStudy;
  throw new RangeError(`${study.analysis}, variant ${study.variant}, is not dp-pca`);
}

export const dpPcaStages = {
  /** Two rounds: the second moment of all rows together. */
  pooled: "pooled-moments" as StageId,
  /** The second moment of each class: of whole rows (one round), or of reduced ones. */
  classes: "class-moments" as StageId,
  iterate: (round: number) => `iterate-${round}` as StageId,
};

/** The name under which directions are broadcast. */
export const directionsName = "directions";

/** Directions are broadcast as multiples of 2^-24. */
export const directionExponent = 24;

/** No coordinate of a row is cut finer than 2^-20, which costs a row at most 2^-20 in each. */
const gridExponentMost = 20;
/** Coarser than 2^-8 the cut would show in the data. */
const gridExponentLeast = 8;

/** A vector longer than this is no longer sent in one stage: 1 GiB. */
const lengthMost = 2 ** 27;
/** `form: auto` changes to a form with shorter vectors beyond this length: 64 MiB. */
const comfortableLength = 2 ** 23;
/** Up to so many classes the sum over all class blocks is as good as a release of its own. */
const classesInOneRound = 3;

export type DpPcaForm = "one-round" | "two-round" | "iteration";

/** One stage of a study of dp-pca, by the shape of what a record adds. */
export interface DpPcaStage {
  readonly id: StageId;
  /**
   * `triangles`: upper triangles, one per class block, of aa'; a is the whole row, or the reduced one where directions
   * are broadcast. `rectangle`: ab' with a the whole row and b the reduced one. `sums`: a itself. `distances`: one 1, at how
   * far the row lies from the centre.
   */
  readonly shape: "triangles" | "rectangle" | "sums" | "distances";
  /** What the stage's rows are clipped by, or measured from: the declared ball, or what was chosen so far. */
  readonly about: "declared" | "chosen-centre" | "chosen";
  /** Class blocks of the vector. */
  readonly blocks: number;
  /** Entries of a, and of b; both with the extra coordinate. */
  readonly rows: number;
  readonly columns: number;
  /** Whether the stage broadcasts directions. */
  readonly directed: boolean;
  /** Entries of the vector. */
  readonly length: number;
}

/** Everything of a study of dp-pca that is public and fixed before it runs. */
export interface DpPcaLayout {
  readonly form: DpPcaForm;
  /** All stages in their order: the choice's first, where there is one. */
  readonly stages: readonly DpPcaStage[];
  /** The sums that choose centre and radius; null where the declared ones stay. */
  readonly choice: BallChoice | null;
  /** d, design columns. */
  readonly columns: number;
  /** k. */
  readonly components: number;
  /** L: levels of the label, 1 without one. */
  readonly classes: number;
  /** c0 and R as the study declares them: what rows are clipped by, or what a choice begins from. */
  readonly declared: DpPcaBall;
  /** h: coordinates are integers in units of 2^-h. */
  readonly gridExponent: number;
  /** K = trunc(2^h·κ): the extra coordinate of every record. */
  readonly kappaUnits: number;
  /** A = 4^h + K²: the most that the squared norm of a record's integers can be. Exact, below 2^45. */
  readonly squaredNormLimit: number;
  readonly ringBits: RingBits;
  /** Magnitude that an entry of a sum can have with honest sites, noise included, at 12 standard deviations. */
  readonly entryLimit: number;
  /** ρ of one stage of second moments for one record; null with `privacy: none`. */
  readonly stageRho: number | null;
}

/** Stages of a form's second moments, without regard to whether they are affordable. */
function momentStages(study: DpPcaStudy, form: DpPcaForm): DpPcaStage[] {
  const d = designWidth(study.features);
  const k = study.parameters.components;
  const classes = study.label?.levels.length ?? 1;
  const about = ballDecision(study, d).isPrivate ? "chosen" : "declared";
  const triangles = (id: StageId, blocks: number, order: number, directed: boolean): DpPcaStage => ({
    id,
    shape: "triangles",
    about,
    blocks,
    rows: order,
    columns: order,
    directed,
    length: (blocks * order * (order + 1)) / 2,
  });
  switch (form) {
    case "one-round":
      return [triangles(dpPcaStages.classes, classes, d + 1, false)];
    case "two-round":
      return [
        triangles(dpPcaStages.pooled, 1, d + 1, false),
        triangles(dpPcaStages.classes, classes, k + 1, true),
      ];
    case "iteration": {
      const rounds = study.parameters.iterations ?? defaultIterations;
      const iterates = Array.from(
        { length: rounds },
        (_, i): DpPcaStage => ({
          id: dpPcaStages.iterate(i + 1),
          shape: "rectangle",
          about,
          blocks: 1,
          rows: d + 1,
          columns: k + 1,
          directed: true,
          length: (d + 1) * (k + 1),
        }),
      );
      return [...iterates, triangles(dpPcaStages.classes, classes, k + 1, true)];
    }
  }
}

/**
 * The form of a study. `auto` takes one round up to three classes and 2^23 entries; two rounds while the second
 * moment of all rows is no longer than that, because with many classes the noise of all class blocks together
 * outgrows what the second round costs; and power iteration for more columns.
 */
export function dpPcaForm(study: DpPcaStudy): DpPcaForm {
  const { form } = study.parameters;
  if (form !== "auto") return form;
  const classes = study.label?.levels.length ?? 1;
  const longest = (one: DpPcaForm) => Math.max(...momentStages(study, one).map((stage) => stage.length));
  if (classes <= classesInOneRound && longest("one-round") <= comfortableLength) return "one-round";
  return longest("two-round") <= comfortableLength ? "two-round" : "iteration";
}

/** Middle of what a design column can be: half its range, or the centre of the simplex that a category's levels span. */
function middle(features: readonly Feature[]): Float64Array {
  const columns = designColumns(features);
  const levels = new Map<number, number>();
  for (const column of columns) levels.set(column.feature, (levels.get(column.feature) ?? 0) + 1);
  return Float64Array.from(columns, (column) =>
    column.level === null ? 0.5 : 1 / levels.get(column.feature)!,
  );
}

/** [d] c0 of a study, in units of the declared ranges. */
export function dpPcaCentre(study: DpPcaStudy): Float64Array {
  const { centre } = study.parameters;
  if (centre === undefined) return middle(study.features);
  if (typeof centre === "number") return new Float64Array(designWidth(study.features)).fill(centre);
  return Float64Array.from(centre);
}

/**
 * R of a study. By default the root mean square of |u - c0| for a row u whose features are independent, a number even
 * on [0, 1] (second moment 1/12 about its middle), a category with all levels alike. Real columns spread less between
 * bounds that have room, so most rows lie within.
 */
export function dpPcaRadius(study: DpPcaStudy): number {
  if (study.parameters.radius !== undefined) return study.parameters.radius;
  const centre = dpPcaCentre(study);
  const usual = middle(study.features);
  let squares = 0;
  designColumns(study.features).forEach((column, j) => {
    const variance = column.level === null ? 1 / 12 : usual[j]! * (1 - usual[j]!);
    squares += variance + (usual[j]! - centre[j]!) ** 2;
  });
  return Math.sqrt(squares);
}

interface Grid {
  readonly gridExponent: number;
  readonly kappaUnits: number;
  readonly squaredNormLimit: number;
  readonly ringBits: RingBits;
  readonly entryLimit: number;
}

function gridAt(study: DpPcaStudy, stageRho: number | null, gridExponent: number): Grid | null {
  const kappaUnits = Math.trunc(study.parameters.kappa * 2 ** gridExponent);
  const squaredNormLimit = 4 ** gridExponent + kappaUnits ** 2;
  const sites = sitesAtMost(study);
  // Noise of one site at weight 1; the variance that τ asks for beyond this is nothing here.
  const share = stageRho === null ? 0 : squaredNormLimit / Math.sqrt(2 * stageRho * noiseShares(study));
  const heaviest = 2;
  if (stageRho !== null && share < 2 * Math.sqrt(heaviest)) return null;
  const entryLimit =
    sites * study.participation.maxRowsPerSite * squaredNormLimit + 12 * share * Math.sqrt(sites);
  if (!(entryLimit < 2 ** 63)) return null;
  const ringBits = entryLimit < 2 ** 31 ? 32 : 64;
  return { gridExponent, kappaUnits, squaredNormLimit, ringBits, entryLimit };
}

/**
 * The grid: the coarsest on which cutting coordinates towards zero moves no entry of the sum by more than a tenth of
 * its noise, whatever the number of rows, but none finer than 2^-20; coarser where the ring would overflow.
 *
 * Cutting moves an entry y_i·y_j of one record by at most 2^-h·(|y_i| + |y_j|) ≤ 2^-h·√(2(1 + κ²)).
 * @returns null where no grid has both enough noise on it and room for the sum
 */
function gridFor(study: DpPcaStudy, stageRho: number | null): Grid | null {
  let wanted = gridExponentMost;
  if (stageRho !== null) {
    const lengthSquared = 1 + study.parameters.kappa ** 2;
    const least = lengthSquared / Math.sqrt(2 * stageRho) / Math.SQRT2;
    const records = sitesAtMost(study) * study.participation.maxRowsPerSite;
    const bias = records * Math.sqrt(2 * lengthSquared);
    wanted = Math.min(wanted, Math.max(gridExponentLeast, Math.ceil(Math.log2((10 * bias) / least))));
  }
  for (let exponent = wanted; exponent >= gridExponentLeast; exponent--) {
    const grid = gridAt(study, stageRho, exponent);
    if (grid !== null) return grid;
  }
  return null;
}

/** Every stage asks for its study's layout. */
const laidOut = new WeakMap<DpPcaStudy, DpPcaLayout>();

/**
 * All that is public of a study. The same object for the same study: it is not to be changed.
 * @throws RangeError where `dpPcaIssues` finds a fault
 */
export function dpPcaLayout(study: DpPcaStudy): DpPcaLayout {
  const before = laidOut.get(study);
  if (before !== undefined) return before;
  const layout = layOut(study);
  laidOut.set(study, layout);
  return layout;
}

function layOut(study: DpPcaStudy): DpPcaLayout {
  const form = dpPcaForm(study);
  const moments = momentStages(study, form);
  const columns = designWidth(study.features);
  const { isPrivate, reason } = ballDecision(study, columns);
  const rho = momentRho(study, moments.length, isPrivate);
  const grid = gridFor(study, rho);
  if (grid === null) throw new RangeError("no grid fits this study");
  return {
    form,
    stages: isPrivate ? [...choiceStages(columns), ...moments] : moments,
    choice: isPrivate ? ballChoice(study, { columns, reason, ...grid }) : null,
    columns,
    components: study.parameters.components,
    classes: study.label?.levels.length ?? 1,
    declared: { centre: dpPcaCentre(study), radius: dpPcaRadius(study) },
    stageRho: rho,
    ...grid,
  };
}

/** ρ of each of so many stages of second moments: equal parts of what a choice leaves. */
function momentRho(study: DpPcaStudy, stages: number, isPrivate: boolean): number | null {
  return stageRho(study, (isPrivate ? 1 - ballShare(study) : 1) / stages);
}

/** The stages of the choice: columns of numbers, of one block. */
function choiceStages(columns: number): DpPcaStage[] {
  const column = { blocks: 1, columns: 1, directed: false };
  return [
    {
      ...column,
      id: ballStages.centre,
      shape: "sums",
      about: "declared",
      rows: columns + 1,
      length: columns + 1,
    },
    {
      ...column,
      id: ballStages.radius,
      shape: "distances",
      about: "chosen-centre",
      rows: distanceCounts,
      length: distanceCounts,
    },
  ];
}

/** The stages after the choice: the second moments that components come from. */
export function dpPcaMomentStages(layout: DpPcaLayout): readonly DpPcaStage[] {
  return layout.stages.slice(layout.choice === null ? 0 : choiceStages(layout.columns).length);
}

/** Faults that only the whole study shows, as [path, message]. */
export function dpPcaIssues(study: DpPcaStudy): MethodIssue[] {
  const d = designWidth(study.features);
  const { components, centre, form, iterations } = study.parameters;
  const issues = [...soundIssues(study), ...ballIssues(study)];
  if (components > d) {
    issues.push([["parameters", "components"], said("fault.components", { components, columns: d })]);
  }
  if (Array.isArray(centre) && centre.length !== d) {
    issues.push([
      ["parameters", "centre"],
      said("dp-pca.centre-length", { numbers: centre.length, columns: d }),
    ]);
  }
  if (iterations !== undefined && form !== "iteration") {
    issues.push([["parameters", "iterations"], said("dp-pca.iterations", {})]);
  }
  if (issues.length > 0) return issues;
  const stages = momentStages(study, dpPcaForm(study));
  const longest = Math.max(...stages.map((stage) => stage.length));
  if (longest > lengthMost) {
    issues.push([["parameters", "form"], said("dp-pca.long-stage", { numbers: longest, max: lengthMost })]);
  } else if (!fits(study, stages.length)) issues.push(ringIssue);
  return issues;
}

/** Whether the noise and the sums of all stages fit 64-bit integers. */
function fits(study: DpPcaStudy, stages: number): boolean {
  const { isPrivate } = ballDecision(study, designWidth(study.features));
  const rho = momentRho(study, stages, isPrivate);
  // With the most sites shares of noise are the smallest, and the grid must still hold them.
  if ([study, studyOnRoster(study, sitesAtMost(study))].some((size) => gridFor(size, rho) === null))
    return false;
  const { choice } = dpPcaLayout(study);
  return choice === null || fitsRing(study, [choice.centre, choice.radius]);
}

/**
 * What a record adds to a stage of second moments: |a|² and |b|² ≤ A, so that Σ_j w_j·q_j² = |a|²·|b|² ≤ A². For triangles that is
 * Σ_i a_i⁴ + 2·Σ_{i<j} a_i²·a_j² = |a|⁴, for a rectangle the squared Frobenius norm of ab'.
 */
export function momentQuery(
  stage: Pick<DpPcaStage, "shape" | "blocks" | "rows" | "columns">,
  { squaredNormLimit: limit }: Pick<DpPcaLayout, "squaredNormLimit">,
): Query {
  return stage.shape === "rectangle"
    ? { kind: "product", rows: stage.rows, columns: stage.columns, limit }
    : { kind: "gram", parts: stage.blocks, order: stage.rows, limit };
}

/** The entries of a stage's vector by the weight that their noise has. */
function groupsOf(stage: DpPcaStage): EntryGroup[] {
  if (stage.shape === "rectangle") return [{ entries: stage.length, weight: 1 }];
  const diagonal = stage.blocks * stage.rows;
  return [
    { entries: diagonal, weight: 1 },
    { entries: stage.length - diagonal, weight: 2 },
  ];
}

/** The noise of a stage. */
function noiseOf(study: DpPcaStudy, layout: DpPcaLayout, stage: DpPcaStage): StageNoise | null {
  if (layout.stageRho === null) return null;
  const sum = {
    l2SensitivitySquared: sensitivitySquared(momentQuery(stage, layout)),
    groups: groupsOf(stage),
    sites: maxSites,
    noiseShares: noiseShares(study),
  };
  const event = eventOf(sum, shareVarianceFor({ ...sum, rho: layout.stageRho }));
  return {
    event,
    weights: stage.shape === "rectangle" ? { kind: "uniform" } : { kind: "triangles", order: stage.rows },
  };
}

/** Plans are read again and again, and the noise of one takes some 50 ms of exact arithmetic. */
const planned = new WeakMap<DpPcaStudy, Plan>();

export function planDpPca(study: DpPcaStudy): Plan {
  const before = planned.get(study);
  if (before !== undefined) return before;
  const layout = dpPcaLayout(study);
  // Stages of one shape have the same noise.
  const noises = new Map<string, StageNoise | null>();
  const moments = dpPcaMomentStages(layout).map((stage, index): SumStage => {
    const key = `${stage.shape} ${stage.blocks} ${stage.rows} ${stage.columns}`;
    if (!noises.has(key)) noises.set(key, noiseOf(study, layout, stage));
    const noise = noises.get(key)!;
    return {
      kind: "sum",
      id: stage.id,
      broadcasts: broadcastsOf(layout, stage, index),
      length: stage.length,
      ringBits: layout.ringBits,
      terms: { query: momentQuery(stage, layout), scale: 1 },
      noise,
      disclosure: disclosureOf(study, layout, stage, noise),
    };
  });
  const chosen: readonly SoundStage[] =
    layout.choice === null ? [] : [layout.choice.centre, layout.choice.radius];
  const stages = [...flowStages(study), ...chosen.map((stage) => soundSumStage(study, stage)), ...moments];
  const plan: Plan = {
    masking: "pairwise",
    setup: [],
    stages,
    claim: soundClaim(
      study,
      stages.map((stage) => stage.disclosure.event),
      dpPcaProof,
    ),
    warnings: warningsOf(study, layout),
  };
  planned.set(study, plan);
  return plan;
}

/** @param index - of the stage among those of second moments */
function broadcastsOf(layout: DpPcaLayout, stage: DpPcaStage, index: number): BroadcastPlan[] {
  return [
    ...(layout.choice !== null && index === 0 ? [radiusBroadcast] : []),
    ...(stage.directed ? [{ name: directionsName, length: layout.components * layout.columns }] : []),
  ];
}

function disclosureOf(
  study: DpPcaStudy,
  layout: DpPcaLayout,
  stage: DpPcaStage,
  noise: StageNoise | null,
): Disclosure {
  const event = unitEvent(study, noise);
  const lengthSquared = 1 + study.parameters.kappa ** 2;
  const nothing = noise === null;
  return {
    what: saidText(ballKept(study, layout, stage)),
    form: "masked sum",
    learns: line("learns.sum", { noise: nothing ? 0 : 1 }),
    mechanism: nothing
      ? line("noise.none", {})
      : line("dp-pca.noise", {
          deviation: Number(deviationOf(layout, noise).toPrecision(4)),
          exponent: layout.gridExponent,
        }),
    normBound: lengthSquared,
    sensitivity: nothing ? null : lengthSquared * rowsPerUnit(study),
    cost: costOf(study, event),
    event,
  };
}

function whatLeaves(study: DpPcaStudy, layout: DpPcaLayout, stage: DpPcaStage): AnySaid {
  const { columns, components: directions } = layout;
  const rows = said("dp-pca.rows", { chosen: layout.choice === null ? 0 : 1 });
  if (stage.shape === "rectangle") return said("dp-pca.rectangle", { columns, directions, rows });
  const byLabel = study.label === undefined ? null : nameOf(study.label.name);
  return stage.directed
    ? said("dp-pca.reduced", { directions, label: byLabel, rows })
    : said("dp-pca.square", { columns, label: stage.id === dpPcaStages.pooled ? null : byLabel, rows });
}

/** What is sent, with the first stage why `ball: auto` keeps the declared ball. */
function ballKept(study: DpPcaStudy, layout: DpPcaLayout, stage: DpPcaStage): AnySaid {
  const what = weighed(study, whatLeaves(study, layout, stage));
  const { isPrivate, reason } = ballDecision(study, layout.columns);
  if (isPrivate || reason === null || stage !== layout.stages[0]) return what;
  return said("dp-pca.declared", { what, reason });
}

/** The guaranteed standard deviation of entries of weight 1, in units of the rows. */
function deviationOf(layout: DpPcaLayout, noise: StageNoise): number {
  return Math.sqrt(noise.event.shareVariance * noise.event.noiseShares) / 4 ** layout.gridExponent;
}

/** Guaranteed σ at weight 1 of a study's second moments, in units of the clipped rows; 0 with `privacy: none`. */
export function dpPcaStdDev(study: DpPcaStudy): number {
  const layout = dpPcaLayout(study);
  const { id } = dpPcaMomentStages(layout)[0]!;
  const stage = planDpPca(study).stages.find((one) => one.id === id);
  if (stage?.kind !== "sum" || stage.noise === null) return 0;
  return deviationOf(layout, stage.noise);
}

const dpPcaProof = "docs/METHODS.md#dp-pca-proof";

function warningsOf(study: DpPcaStudy, layout: DpPcaLayout): string[] {
  if (study.privacy === "none" || layout.stageRho === null) return [];
  const warnings: string[] = [];
  const rows = rowsExpected(study);
  const needed = rowsToStandOut(study, layout, layout.stageRho);
  if (rows < 4 * needed) {
    warnings.push(
      line("dp-pca.few-rows", {
        components: layout.components,
        needed: roundUp(needed),
        units: unitsOf(study),
        expected: expectedSaid(study),
      }),
    );
  }
  warnings.push(...ballWarnings(study, layout.columns, rows), ...deltaWarnings(study));
  return warnings;
}

/** Rows below which not even a table that varies along a single line stands out of the noise; 0 without noise. */
export function leastRowsToStandOut(study: DpPcaStudy): number {
  const layout = dpPcaLayout(study);
  if (study.privacy === "none" || layout.stageRho === null) return 0;
  return rowsToStandOut(study, layout, layout.stageRho) / layout.components;
}

/**
 * Rows at which the largest eigenvalue of the noise equals n·λ_k at its best, λ_k = 1/k: a symmetric matrix of order
 * d with variance σ²/2 off the diagonal has norm about σ√(2d), a d × k one of variance σ² about σ(√d + √k).
 */
function rowsToStandOut(study: DpPcaStudy, layout: DpPcaLayout, stageRho: number): number {
  const { columns: d, components: k, form } = layout;
  const blocks = form === "one-round" ? layout.classes : 1;
  const sigma = (1 + study.parameters.kappa ** 2) * Math.sqrt(blocks / (2 * stageRho));
  return k * sigma * (form === "iteration" ? Math.sqrt(d) + Math.sqrt(k) : Math.sqrt(2 * d));
}

/** To two digits, upwards. */
function roundUp(x: number): number {
  const unit = Number(`1e${Math.max(0, Math.floor(Math.log10(x)) - 1)}`);
  return Math.ceil(x / unit) * unit;
}
