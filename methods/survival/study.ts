import type { StageId } from "@consilium/core/ids";
import { labelSchema, levelsOf } from "@consilium/core/study/features";
import type { Plan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  rowsExpectedText,
  type SoundStage,
  sitesAtLeast,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import { z95 } from "../shared/evaluation/normal.js";

/**
 * Survival curves by groups, `analysis: survival`: one noisy sum of events and censorings by interval. What it computes and why
 * it is private: docs/methods/survival.md. This file fixes everything that is public before a run.
 */

/** A figure's line has at most 2000 points, and nobody tells more curves apart. */
const intervalsMost = 1000;
const groupsMost = 12;

const parameters = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(128)
    .describe(
      "The level of the status column that is the event, such as `dead`. Rows of every other level are censored at their time.",
    ),
  intervals: z
    .int("a whole number")
    .min(2, "at least 2")
    .max(intervalsMost, `at most ${intervalsMost}`)
    .default(20)
    .describe(
      "Intervals of equal width from 0 to the horizon, where the time column declares no edges. More show finer steps and need more rows.",
    ),
});

/** The keys that `analysis: survival` adds to a study. */
export const survivalSection = {
  analysis: z.literal("survival"),
  method: z.literal("survival").describe("Survival curves by group with bands, and the log-rank test."),
  variant: z.literal("sound", { error: "survival is `sound`; it has no other variant" }),
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
  /** [B + 1] ascending, from 0 to the horizon: interval b holds edges[b] ≤ t < edges[b + 1]. */
  readonly edges: readonly number[];
  /** The group's place among the features; null where all records are one group. */
  readonly groupAt: number | null;
  /** Null where all records are one group. */
  readonly groupName: string | null;
  /** One text where all records are one group. */
  readonly groups: readonly string[];
  /** The event's place among the label's levels. */
  readonly event: number;
  /** The only stage: of each group `groupCells` cells. */
  readonly stage: SoundStage;
}

/** Cells of a group: of each interval those censored and those with the event, then those still followed at the horizon. */
export const groupCells = (intervals: number) => 2 * intervals + 1;

const layouts = new WeakMap<SurvivalStudy, SurvivalLayout>();

/** @param study - without a fault of `survivalIssues` */
export function survivalLayout(study: SurvivalStudy): SurvivalLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { features, label } = study;
  const binned = binnedFeatures(features, study.parameters.intervals);
  const timeAt = features.findIndex(({ type }) => type === "numeric");
  const declared = features[timeAt];
  if (declared?.type !== "numeric") throw new RangeError("the study declares no time");
  const group = features.find((feature) => feature.type === "categorical");
  const groups = group === undefined ? ["all"] : levelsOf(group);
  const edges = [0, ...binned[timeAt]!.edges, declared.max];
  const cells = groups.length * groupCells(edges.length - 1);
  const by = group === undefined ? "" : ` and by ${group.name}`;
  const layout: SurvivalLayout = {
    timeAt,
    time: binned[timeAt]!,
    unit: declared.unit ?? null,
    edges,
    groupAt: group === undefined ? null : features.indexOf(group),
    groupName: group?.name ?? null,
    groups,
    event: label.levels.indexOf(study.parameters.event),
    stage: soundStage({
      id: "counts" as StageId,
      broadcasts: [],
      share: 1,
      query: countQuery(cells),
      integersPerUnit: 1,
      what: `counts of rows by the interval of ${declared.name}, by whether ${label.name} is ${study.parameters.event}${by}: each row in one count`,
    }),
  };
  const precise = withPrecision(study, layout);
  layouts.set(study, precise);
  return precise;
}

/** What to expect where none is censored, so that nobody must compute it from a sensitivity: docs/methods/survival.md#too-few. */
function withPrecision(study: SurvivalStudy, layout: SurvivalLayout): SurvivalLayout {
  const { groups, stage } = layout;
  if (study.privacy === "none" || !fitsRing(study, [stage])) return layout;
  const rows = rowsExpected(study) / groups.length;
  const halfWidth = curveHalfWidth(study, layout);
  const each = groups.length === 1 ? "" : ` in each of ${groups.length} groups`;
  const told = `where half of ${Math.floor(rows)} rows${each} survive, noise puts a curve within ±${Number(halfWidth.toPrecision(2))} at 95 %`;
  return { ...layout, stage: { ...stage, what: `${stage.what} (${told})` } };
}

/** What the noise puts a curve within, at 95 %, where half of the expected rows of a group survive; at most 1. */
export function curveHalfWidth(study: SurvivalStudy, { edges, groups, stage }: SurvivalLayout): number {
  const stdDev = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const rows = rowsExpected(study) / groups.length;
  return Math.min(1, (z95 * stdDev * Math.sqrt(groupCells(edges.length - 1))) / (2 * rows));
}

type Issue = [path: PropertyKey[], message: string];

/** Faults that only the whole study shows, as [path, message]. */
export function survivalIssues(study: SurvivalStudy): Issue[] {
  const issues = columnIssues(study);
  const { event } = study.parameters;
  if (!study.label.levels.includes(event))
    issues.push([
      ["parameters", "event"],
      `"${event}" is not a level of ${study.label.name}; take one of: ${study.label.levels.join(", ")}`,
    ]);
  if ((study.patient?.maxRows ?? 1) > 1)
    issues.push([["patient", "maxRows"], "1: a patient has one time of follow-up, so one row"]);
  issues.push(...soundIssues(study));
  if (issues.length > 0 || fitsRing(study, [survivalLayout(study).stage])) return issues;
  return [
    [
      ["privacy", "epsilon"],
      "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite",
    ],
  ];
}

function columnIssues({ features }: SurvivalStudy): Issue[] {
  const times = features.filter(({ type }) => type === "numeric");
  const groups = features.filter(({ type }) => type === "categorical");
  if (times.length !== 1)
    return [[["features"], `${times.length} numeric columns; declare one, the time of follow-up`]];
  if (groups.length > 1)
    return [[["features"], `${groups.length} categorical columns; declare at most one, the group`]];
  const issues: Issue[] = [];
  features.forEach((feature, index) => {
    const at = (key: string) => ["features", index, key];
    if (feature.type === "categorical") {
      const { length } = levelsOf(feature);
      if (length > groupsMost) issues.push([at("levels"), `${length} groups; at most ${groupsMost}`]);
      return;
    }
    const { min, max, edges = [], missing, below } = feature;
    if (min !== 0)
      issues.push([
        at("min"),
        "0: follow-up begins there; max is the horizon, where those still followed are censored",
      ]);
    if (below === undefined)
      issues.push([at("below"), "reject-row: a negative time is an error in the record, and is not used"]);
    if (missing !== "reject-row")
      issues.push([at("missing"), "reject-row: no constant stands for a time that was not recorded"]);
    if (edges.length >= intervalsMost)
      issues.push([at("edges"), `${edges.length} edges; at most ${intervalsMost - 1}`]);
    if (edges.at(-1) === max)
      issues.push([
        at("edges"),
        "the last edge is the horizon, which ends the last interval anyway; remove it",
      ]);
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
/** By so many standard deviations of its noise a count of average size must be above 0. */
const cellDeviations = 2;

/**
 * Records of a group below which its curve is not worth reading: docs/methods/survival.md#too-few. Where half of the records
 * survive, the noise of a curve has the standard deviation σ√c/(2n) for c cells; and setting counts below 0 to 0 moves the
 * curve as a whole unless n/c is some σ.
 * @param stdDev - σ, of the noise in one count
 */
export function recordsNeeded(stdDev: number, intervals: number): number {
  const cells = groupCells(intervals);
  return stdDev * Math.max(cellDeviations * cells, (z95 * Math.sqrt(cells)) / (2 * halfWidthMost));
}

/** Intervals that are worth asking for at all. */
const intervalsLeast = 4;

function warningsOf(study: SurvivalStudy): string[] {
  if (study.privacy === "none") return [];
  const { edges, groups, stage } = survivalLayout(study);
  const intervals = edges.length - 1;
  const stdDev = noiseStdDev(asExpected(study), stage, sitesAtLeast(study));
  const rows = rowsExpected(study) / groups.length;
  if (rows >= recordsNeeded(stdDev, intervals)) return [];
  let fewer = intervals - 1;
  while (fewer >= intervalsLeast && rows < recordsNeeded(stdDev, fewer)) fewer--;
  const needed = Math.ceil(groups.length * recordsNeeded(stdDev, intervals));
  const remedy = fewer >= intervalsLeast ? `ask at most ${fewer} intervals, or ` : "";
  const each = groups.length === 1 ? "" : ` in each of ${groups.length} groups of equal size`;
  return [
    `${rowsExpectedText(study)} counts are too few for ${intervals} intervals${each}: it takes about ${needed} rows for the curves to stand out of the noise; ${remedy}raise epsilon`,
  ];
}
