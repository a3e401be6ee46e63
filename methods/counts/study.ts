import type { SiteId, StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { fewOfGroup } from "@consilium/core/study/apart";
import { countsMissing, type Feature } from "@consilium/core/study/features";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  expectedSaid,
  fitsRing,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  soundIssues,
} from "@consilium/core/study/soundSums";
import { type Study, type StudyWith, siteIdText } from "@consilium/core/study/study";
import { firstNames } from "@consilium/core/words";
import type { PlanSays } from "@consilium/words/says/plans";
import { z } from "zod";
import { expectedPrecision, withPrecision } from "../shared/counts/precision.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import type { CountsSays } from "./says.js";

/**
 * How many records meet each of a few conditions, `method: counts`: whether a study is feasible, at a small ε. What it computes and why
 * it is private: docs/methods/describe.md#counts.
 */

const line = lines<PlanSays>();

const bound = z.number().min(-1e100, "at least -1e100").max(1e100, "at most 1e100");
const column = z.string().min(1).max(128).describe("A feature or the label.");

const criterion = z.union(
  [
    z
      .strictObject({
        column,
        atLeast: bound.optional().describe("Met by values from this number on."),
        below: bound.optional().describe("Met by values below this number."),
      })
      .refine(({ atLeast, below }) => atLeast !== undefined || below !== undefined, {
        path: ["atLeast"],
        message: "write atLeast, below or both for a number, in for a category, or missing",
      }),
    z.strictObject({
      column,
      in: z.array(z.string().min(1).max(128)).min(1).max(4096).describe("Met by these levels."),
    }),
    z.strictObject({
      column,
      missing: z.boolean().describe("`true`: met where the value is missing; `false`: where it is there."),
    }),
  ],
  "a column with `atLeast`, `below` or both; with `in` and a list of levels; or with `missing: true` or `false`",
);

/** Names of conditions and groups stand in the cells of released tables. */
const name = z
  .string()
  .max(80, "at most 80 characters")
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/,
    "letters, digits, spaces, dots, hyphens and underscores, the first a letter or digit",
  )
  .describe("What the release calls it.");

const condition = z.strictObject({
  name,
  all: z
    .array(criterion)
    .max(50, "at most 50")
    .describe("What a record must meet, all of it; an empty list is met by every record."),
});

/** With two sites the sum of a group would show each one the other's part, but for the noise. */
export const groupSitesLeast = 3;

const siteGroup = z.strictObject({
  name,
  sites: z
    .array(siteIdText)
    .min(groupSitesLeast, `at least ${groupSitesLeast}: with two sites a sum shows each one the other's part`)
    .describe("The ids of the group's sites."),
});

const parameters = z
  .strictObject({
    conditions: z
      .array(condition)
      .min(1, "declare at least one condition")
      .max(100, "at most 100")
      .default([{ name: "all records", all: [] }])
      .describe(
        "What to count: conditions with a name each, such as { name: adults, all: [{ column: age, atLeast: 18 }] }. Left out: all records.",
      ),
    siteGroups: z
      .array(siteGroup)
      .min(2, "declare two groups or more")
      .max(100, "at most 100")
      .optional()
      .describe(
        "Counts by group of sites, such as countries: each named site of participation.sites is in one group. A group has at least three sites and tolerateColluding + 2, also among those that take part and that are left at the end of each step.",
      ),
  })
  .prefault({});

/** The keys that `analysis: describe` adds to a study with `method: counts`. */
export const countsSection = {
  analysis: z.literal("describe"),
  method: z.literal("counts").describe("How many records meet each of a few conditions, at a small epsilon."),
  variant: z.literal("sound", { error: "describe and counts are `sound`: nobody published another variant" }),
  parameters,
};

export type CountsStudy = StudyWith<typeof countsSection>;
export type Condition = z.output<typeof condition>;
export type Criterion = z.output<typeof criterion>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asCounts(study: Study): CountsStudy {
  if (study.method === "counts") return study as CountsStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not counts`);
}

export interface CountsLayout {
  /** Groups of sites; 1 without any. */
  readonly groups: number;
  /** [conditions × groups] */
  readonly stage: SoundStage;
}

export const countsStageId = "counts" as StageId;

const layouts = new WeakMap<CountsStudy, CountsLayout>();

export function countsLayout(study: CountsStudy): CountsLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { conditions, siteGroups } = study.parameters;
  const groups = siteGroups?.length ?? 1;
  const { shown, more } = firstNames(
    conditions.map((one) => one.name),
    600,
  );
  const stage = soundStage({
    id: countsStageId,
    broadcasts: [],
    share: 1,
    query: {
      kind: "histogram",
      cells: conditions.length * groups,
      touches: conditions.length,
      channels: [{ least: 0, most: 1 }],
      // A site is in one group.
      sections: conditions.map(() => ({ cells: groups, most: 1 })),
    },
    integersPerUnit: 1,
    what: sentences<CountsSays>()("counts.sent", {
      units: unitsOf(study),
      conditions: conditions.length,
      named: shown.map(nameOf),
      more,
      groups,
    }),
  });
  const layout = { groups, stage: withPrecision(study, stage, [1]) };
  layouts.set(study, layout);
  return layout;
}

/** The group that a site counts for; null for a site of none. */
export function groupOf({ parameters }: CountsStudy, site: SiteId): number | null {
  if (parameters.siteGroups === undefined) return 0;
  const group = parameters.siteGroups.findIndex(({ sites }) => sites.includes(site));
  return group === -1 ? null : group;
}

/** Faults that only the whole study shows, as [path, message]. */
export function countsIssues(study: CountsStudy): MethodIssue[] {
  const issues = [...soundIssues(study), ...conditionIssues(study), ...groupIssues(study)];
  if (issues.length > 0) return issues;
  return fitsRing(study, [countsLayout(study).stage]) ? [] : [ringIssue];
}

function conditionIssues({ features, parameters }: CountsStudy): MethodIssue[] {
  const declared = new Map(features.map((feature) => [feature.name, feature]));
  const seen = new Map<string, number>();
  return parameters.conditions.flatMap((own, i) => {
    const path = ["parameters", "conditions", i];
    const before = seen.get(own.name.toLowerCase());
    seen.set(own.name.toLowerCase(), i);
    const doubled: MethodIssue[] =
      before === undefined
        ? []
        : [[[...path, "name"], `parameters.conditions[${before}] has this name already`]];
    return [
      ...doubled,
      ...own.all.flatMap((one, j): MethodIssue[] => {
        const fault = criterionFault(one, declared.get(one.column));
        return fault === null ? [] : [[[...path, "all", j], fault]];
      }),
    ];
  });
}

/** What is wrong with a criterion; null where nothing is. */
function criterionFault(one: Criterion, feature: Feature | undefined): string | null {
  if (feature === undefined)
    return `column "${one.column}" is not declared in features; declare it, or correct its name`;
  if ("missing" in one)
    return countsMissing(feature)
      ? null
      : `column "${one.column}" does not count missing values; write missing: own-level there`;
  if ("in" in one) {
    if (feature.type === "numeric") return `column "${one.column}" is a number: write atLeast or below`;
    if (new Set(one.in).size < one.in.length) return "a level is listed twice; list each once";
    const undeclared = one.in.find((level) => !feature.levels.includes(level));
    return undeclared === undefined ? null : `"${undeclared}" is not a declared level of "${one.column}"`;
  }
  if (feature.type === "categorical")
    return `column "${one.column}" is a category: write in and a list of levels`;
  const { min, max } = feature;
  const { atLeast, below } = one;
  if (atLeast !== undefined && below !== undefined && atLeast >= below)
    return `no number is at least ${atLeast} and below ${below}`;
  // Values outside the bounds count as the nearer bound.
  const outside = [atLeast, below].find((value) => value !== undefined && !(value > min && value <= max));
  return outside === undefined
    ? null
    : `${outside} is not above min (${min}) and at most max (${max}) of "${one.column}": every number, or none, would meet it`;
}

function groupIssues({ parameters, participation }: CountsStudy): MethodIssue[] {
  const { siteGroups } = parameters;
  if (siteGroups === undefined) return [];
  const path = ["parameters", "siteGroups"];
  if (participation.sites === undefined)
    return [[path, "groups need the sites of the study; name them in participation.sites"]];
  const names = siteGroups.map((group) => group.name.toLowerCase());
  if (new Set(names).size < names.length) return [[path, "two groups have one name"]];
  const grouped = siteGroups.flatMap(({ sites }) => sites);
  const twice = grouped.find((site, i) => grouped.indexOf(site) !== i);
  if (twice !== undefined) return [[path, `site "${twice}" is listed twice; list each site in one group`]];
  const unknown = grouped.find((site) => !participation.sites!.includes(site));
  if (unknown !== undefined) return [[path, `site "${unknown}" is not in participation.sites`]];
  const without = participation.sites.find((site) => !grouped.includes(site));
  if (without !== undefined) return [[path, `site "${without}" of participation.sites is in no group`]];
  const few = fewOfGroup({ participation, parameters }, participation.sites);
  return few === null ? [] : [[path, line("plan.group-few", few)]];
}

const countsProof = "docs/METHODS.md#counts-proof";

export function planCounts(study: CountsStudy): Plan {
  return planSoundSums(study, () => ({
    stages: [countsLayout(study).stage],
    proof: countsProof,
    warnings: warningsOf(study),
  }));
}

/** A study that a tenth of the records could enter is one that people ask about. */
const shareAsked = 0.1;

/** A count differs from 0 at 95 % where it is larger than what the noise puts it within. */
function warningsOf(study: CountsStudy): string[] {
  if (study.privacy === "none") return [];
  const { groups, stage } = countsLayout(study);
  const within = expectedPrecision(study, stage, 1);
  const rows = rowsExpected(study) / groups;
  if (within <= shareAsked * rows) return [];
  return [
    lines<CountsSays>()("counts.few", {
      expected: expectedSaid(study),
      needed: Math.ceil(within),
      units: unitsOf(study),
      grouped: groups === 1 ? 0 : 1,
      percent: within >= rows ? null : Math.ceil((100 * within) / rows),
      factor: Math.ceil(within / (shareAsked * rows)),
    }),
  ];
}
