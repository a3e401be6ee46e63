import type { StageId } from "@consilium/core/ids";
import { z95 } from "@consilium/core/linalg/z95";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { labelSchema, levelsOf } from "@consilium/core/study/features";
import type { Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { HistogramQuery } from "@consilium/gate/query";
import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import { Root } from "../shared/counts/root.js";
import { atRiskNoise, riskDeviations } from "./counts.js";
import type { SurvivalSays } from "./says.js";
import { Slope } from "./streams.js";

/**
 * Survival by groups, `analysis: survival`: one noisy sum of events and censorings by interval. What it computes and why
 * it is private: docs/methods/survival.md. This file fixes everything that is public before a run.
 */

/** A figure's line has at most 2000 points, and nobody tells more curves apart. */
const intervalsMost = 1000;
const groupsMost = 12;
const competingMost = 8;
/** Entries of the matrix that factors the sum have so many bits. */
const rootBits = 8;

const line = lines<SurvivalSays & StudyFaultSays>();
const said = sentences<SurvivalSays & StudyFaultSays>();

const parameters = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(128)
    .describe(
      "The level of the status column that is the event, such as `dead`. Rows of every other level are censored at their time, but those of `competing`.",
    ),
  competing: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(competingMost)
    .refine((all) => new Set(all).size === all.length, line("fault.levels-differ", {}))
    .optional()
    .describe(
      "Levels of the status column that rule the event out for good, such as a death of another cause: the release then has the cumulative incidence of each. Left out: none.",
    ),
  intervals: z
    .int()
    .min(2)
    .max(intervalsMost)
    .default(100)
    .describe(
      "Intervals of equal width from 0 to the horizon, where the time column declares no edges. Few of them blur curves and test; more cost little.",
    ),
});

/** The keys that `analysis: survival` adds to a study. */
export const survivalSection = {
  analysis: z.literal("survival"),
  method: z.literal("survival").describe("Survival by group with 95 % intervals, and the log-rank test."),
  variant: z.literal("sound", { error: line("survival.variant", {}) }),
  label: labelSchema.describe("The status at the end of follow-up: the event, and why others were censored."),
  parameters,
};

export type SurvivalStudy = StudyWith<typeof survivalSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asSurvival(study: Study): SurvivalStudy {
  if (study.method === "survival") return study as SurvivalStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not survival`);
}

export interface SurvivalLayout {
  /** The time's place among the features, and its intervals. */
  readonly timeAt: number;
  readonly time: BinnedFeature;
  readonly unit: string | null;
  /** [B + 1] ascending, from 0 to the horizon: interval b holds edges[b] < t ≤ edges[b + 1], the first one 0 too, the last one not the horizon. */
  readonly edges: readonly number[];
  /** The group's place among the features; null where all records are one group. */
  readonly groupAt: number | null;
  /** Null where all records are one group. */
  readonly groupName: string | null;
  /** One text where all records are one group. */
  readonly groups: readonly string[];
  /** Stream of each level of the label: 0 censored, 1 the event, from 2 on competing causes. */
  readonly streams: readonly number[];
  /** The event, then competing causes. */
  readonly causes: readonly string[];
  /** Cells of a run, B + 1: one run of each stream of each group. */
  readonly root: Root;
  /** The only stage: group by group, stream by stream, a run of cells each. */
  readonly stage: SoundStage;
}

/** One count of a record in one of these cells, which are summed in factored runs. */
const runsQuery = (runs: number, run: number): HistogramQuery => ({
  kind: "histogram",
  cells: runs * run,
  touches: 1,
  channels: [{ least: 0, most: 1 }],
  sections: [{ cells: runs * run, most: 1, root: { run, exponent: rootBits } }],
});

const layouts = new WeakMap<SurvivalStudy, SurvivalLayout>();

/** @param study - without a fault of `survivalIssues` */
export function survivalLayout(study: SurvivalStudy): SurvivalLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { features, label, parameters } = study;
  const binned = binnedFeatures(features, parameters.intervals);
  const timeAt = features.findIndex(({ type }) => type === "numeric");
  const declared = features[timeAt];
  if (declared?.type !== "numeric") throw new RangeError("the study declares no time");
  const group = features.find((feature) => feature.type === "categorical");
  const groups = group === undefined ? ["all"] : levelsOf(group);
  const edges = [0, ...binned[timeAt]!.edges, declared.max];
  const causes = [parameters.event, ...(parameters.competing ?? [])];
  const layout: SurvivalLayout = {
    timeAt,
    time: binned[timeAt]!,
    unit: declared.unit ?? null,
    edges,
    groupAt: group === undefined ? null : features.indexOf(group),
    groupName: group?.name ?? null,
    groups,
    streams: label.levels.map((one) => 1 + causes.indexOf(one)),
    causes,
    root: new Root(edges.length, rootBits),
    stage: soundStage({
      id: "counts" as StageId,
      broadcasts: [],
      share: 1,
      query: runsQuery(groups.length * (1 + causes.length), edges.length),
      integersPerUnit: 2 ** rootBits,
      what: said("survival.sent", {
        time: nameOf(declared.name),
        status: nameOf(label.name),
        events: causes.map(nameOf),
        group: group === undefined ? null : nameOf(group.name),
      }),
    }),
  };
  const precise = withPrecision(study, layout);
  layouts.set(study, precise);
  return precise;
}

/** Precision to expect where none is censored, so that nobody must compute it from a sensitivity: docs/methods/survival.md#too-few. */
function withPrecision(study: SurvivalStudy, layout: SurvivalLayout): SurvivalLayout {
  const { groups, stage } = layout;
  if (study.privacy === "none" || !fitsRing(study, [stage])) return layout;
  const what = said("survival.precise", {
    what: stage.what,
    rows: Math.floor(rowsExpected(study) / groups.length),
    groups: groups.length,
    within: Number(curveHalfWidth(study, layout).toPrecision(2)),
  });
  return { ...layout, stage: { ...stage, what } };
}

/**
 * Half-width at 95 %, by the noise alone, of the number of records times survival, where half have had the event at half of the horizon and none is
 * censored before the horizon: docs/methods/survival.md#too-few.
 * @param stdDev - of the noise in each number of the sum
 */
export function halfWidthOfCount(root: Root, causes: number, stdDev: number): number {
  const slope = new Slope(root, 1 + causes);
  slope.addFrom(0, -1 / 2);
  slope.addFrom(Math.ceil((root.run - 1) / 2), 1);
  return z95 * stdDev * slope.noise;
}

/** Half-width at 95 %, by the noise alone, of a curve where half of the expected rows of a group survive; at most 1. */
export function curveHalfWidth(
  study: SurvivalStudy,
  { causes, groups, root, stage }: SurvivalLayout,
): number {
  const stdDev = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const rows = rowsExpected(study) / groups.length;
  return Math.min(1, halfWidthOfCount(root, causes.length, stdDev) / rows);
}

/** Faults that only the whole study shows, as [path, message]. */
export function survivalIssues(study: SurvivalStudy): MethodIssue[] {
  const issues = columnIssues(study);
  const { event } = study.parameters;
  const label = { column: nameOf(study.label.name), levels: study.label.levels.map(nameOf) };
  if (!study.label.levels.includes(event))
    issues.push([["parameters", "event"], said("fault.no-level", { level: nameOf(event), ...label })]);
  for (const one of study.parameters.competing ?? []) {
    if (one === event)
      issues.push([["parameters", "competing"], said("survival.competing-event", { level: nameOf(one) })]);
    else if (!study.label.levels.includes(one))
      issues.push([["parameters", "competing"], said("survival.no-level", { level: nameOf(one), ...label })]);
  }
  if ((study.patient?.maxRows ?? 1) > 1)
    issues.push([["patient", "maxRows"], said("fault.patient-one-row", {})]);
  issues.push(...soundIssues(study));
  if (issues.length > 0) return issues;
  const layout = survivalLayout(study);
  if (!fitsRing(study, [layout.stage])) return [[["privacy", "epsilon"], said("survival.ring", {})]];
  const noisy = noiseIssue(study, layout);
  return noisy === null ? [] : [[["privacy"], noisy]];
}

/** Where the number of records in a group of average size would not stand out of its noise, so that no curve would begin. */
function noiseIssue(study: SurvivalStudy, { causes, groups, root, stage }: SurvivalLayout): AnySaid | null {
  if (study.privacy === "none") return null;
  const stdDev = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const needed = riskDeviations * stdDev * atRiskNoise(root, 1 + causes.length)[0]!;
  const rows = rowsExpected(study);
  if (rows / groups.length > needed) return null;
  return said("survival.noise-as-large", {
    rows,
    groups: groups.length,
    needed: Math.floor(groups.length * needed) + 1,
  });
}

function columnIssues({ features }: SurvivalStudy): MethodIssue[] {
  const times = features.filter(({ type }) => type === "numeric");
  const groups = features.filter(({ type }) => type === "categorical");
  if (times.length !== 1) return [[["features"], said("survival.one-time", { columns: times.length })]];
  if (groups.length > 1) return [[["features"], said("survival.one-group", { columns: groups.length })]];
  const issues: MethodIssue[] = [];
  features.forEach((feature, index) => {
    const at = (key: string) => ["features", index, key];
    if (feature.type === "categorical") {
      const { length } = levelsOf(feature);
      if (length > groupsMost)
        issues.push([at("levels"), said("survival.many-groups", { groups: length, max: groupsMost })]);
      return;
    }
    const { min, max, edges = [], missing, below } = feature;
    if (min !== 0) issues.push([at("min"), said("survival.time-zero", {})]);
    if (below === undefined) issues.push([at("below"), said("survival.time-below", {})]);
    if (missing !== "reject-row") issues.push([at("missing"), said("survival.time-missing", {})]);
    if (edges.length >= intervalsMost) {
      const params = { edges: edges.length, max: intervalsMost - 1 };
      issues.push([at("edges"), said("fault.follow-up-edges", params)]);
    }
    if (edges.at(-1) === max) issues.push([at("edges"), said("fault.horizon-edge", {})]);
  });
  return issues;
}

/** In a new study, negative times are refused row by row. */
export function withTimesRefused(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { features } = raw;
  if (!Array.isArray(features)) return raw;
  const refusing = (feature: unknown) =>
    typeof feature === "object" && feature !== null && "type" in feature && feature.type === "numeric"
      ? { below: "reject-row", ...feature }
      : feature;
  return { ...raw, features: features.map(refusing) };
}

export function planSurvival(study: SurvivalStudy): Plan {
  return planSoundSums(study, () => ({
    stages: [survivalLayout(study).stage],
    proof: "docs/METHODS.md#survival-proof",
    warnings: warningsOf(study),
  }));
}

/** Half of the 95 % interval that noise alone gives a curve at its middle, at most. */
const halfWidthMost = 0.1;

/**
 * Records of a group below which its curve is not worth reading: docs/methods/survival.md#too-few.
 * @param stdDev - of the noise in each number of the sum
 */
export const recordsNeeded = ({ causes, root }: Pick<SurvivalLayout, "causes" | "root">, stdDev: number) =>
  halfWidthOfCount(root, causes.length, stdDev) / halfWidthMost;

/** From so many intervals on, the test's two rules do not err together: docs/methods/survival.md#log-rank. */
const intervalsLeast = 10;

function warningsOf(study: SurvivalStudy): string[] {
  const { groups, edges } = survivalLayout(study);
  const intervals = edges.length - 1;
  return [
    ...(study.privacy === "none" ? [] : rowsWarnings(study)),
    ...(groups.length > 1 && intervals < intervalsLeast
      ? [line("survival.few-intervals", { intervals })]
      : []),
  ];
}

function rowsWarnings(study: SurvivalStudy): string[] {
  const layout = survivalLayout(study);
  const { groups, stage } = layout;
  const needed =
    groups.length * recordsNeeded(layout, noiseStdDev(asExpected(study), stage, sitesAtLeast(study)));
  const rows = rowsExpected(study);
  if (rows >= needed) return [];
  return [
    line("survival.too-few-rows", {
      rows,
      groups: groups.length,
      needed: Math.ceil(needed),
      declared: study.participation.expectedRows === undefined ? 0 : 1,
    }),
  ];
}
