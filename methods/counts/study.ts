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
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { expectedPrecision, withPrecision } from "../shared/counts/precision.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import type { CountsSays } from "./says.js";

/**
 * How many records meet each of a few conditions, `method: counts`: whether a study is feasible, at a small ε. What it computes and why
 * it is private: docs/methods/describe.md#counts.
 */

const line = lines<CountsSays & StudyFaultSays>();
const fault = sentences<CountsSays & PlanSays & StudyFaultSays>();

const bound = z.number().min(-1e100).max(1e100);
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
        message: line("counts.criterion-bound", {}),
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
  line("counts.criterion-form", {}),
);

/** Names of conditions and groups stand in the cells of released tables. */
const name = z
  .string()
  .max(80)
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]*$/, line("counts.name", {}))
  .describe("What the release calls it.");

const condition = z.strictObject({
  name,
  all: z
    .array(criterion)
    .max(50)
    .describe("What a record must meet, all of it; an empty list is met by every record."),
});

/** With two sites the sum of a group would show each one the other's part, but for the noise. */
export const groupSitesLeast = 3;

const siteGroup = z.strictObject({
  name,
  sites: z
    .array(siteIdText)
    .min(groupSitesLeast, line("fault.sites-three", {}))
    .describe("The ids of the group's sites."),
});

const parameters = z
  .strictObject({
    conditions: z
      .array(condition)
      .min(1, line("counts.condition-needed", {}))
      .max(100)
      .default([{ name: "all records", all: [] }])
      .describe(
        "What to count: conditions with a name each, such as { name: adults, all: [{ column: age, atLeast: 18 }] }. Left out: all records.",
      ),
    siteGroups: z
      .array(siteGroup)
      .min(2, line("counts.groups-needed", {}))
      .max(100)
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
  variant: z.literal("sound", {
    error: line("fault.sound-alone", { methods: ["describe", "counts"].map(nameOf) }),
  }),
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
    what: fault("counts.sent", {
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
      before === undefined ? [] : [[[...path, "name"], fault("counts.name-taken", { condition: before })]];
    return [
      ...doubled,
      ...own.all.flatMap((one, j): MethodIssue[] => {
        const found = criterionFault(one, declared.get(one.column));
        return found === null ? [] : [[[...path, "all", j], found]];
      }),
    ];
  });
}

/** What is wrong with a criterion; null where nothing is. */
function criterionFault(one: Criterion, feature: Feature | undefined): AnySaid | null {
  const column = nameOf(one.column);
  if (feature === undefined) return fault("fault.undeclared", { column });
  if ("missing" in one) return countsMissing(feature) ? null : fault("counts.missing-uncounted", { column });
  if ("in" in one) {
    if (feature.type === "numeric") return fault("counts.number", { column });
    if (new Set(one.in).size < one.in.length) return fault("counts.level-twice", {});
    const undeclared = one.in.find((level) => !feature.levels.includes(level));
    return undeclared === undefined
      ? null
      : fault("counts.level-undeclared", { level: nameOf(undeclared), column });
  }
  if (feature.type === "categorical") return fault("counts.category", { column });
  const { min, max } = feature;
  const { atLeast, below } = one;
  if (atLeast !== undefined && below !== undefined && atLeast >= below)
    return fault("counts.no-number", { atLeast, below });
  // Values outside the bounds count as the nearer bound.
  const outside = [atLeast, below].find((value) => value !== undefined && !(value > min && value <= max));
  return outside === undefined ? null : fault("counts.outside", { value: outside, min, max, column });
}

function groupIssues({ parameters, participation }: CountsStudy): MethodIssue[] {
  const { siteGroups } = parameters;
  if (siteGroups === undefined) return [];
  const path = ["parameters", "siteGroups"];
  if (participation.sites === undefined) return [[path, fault("counts.groups-sites", {})]];
  const names = siteGroups.map((group) => group.name.toLowerCase());
  if (new Set(names).size < names.length) return [[path, fault("counts.groups-name", {})]];
  const grouped = siteGroups.flatMap(({ sites }) => sites);
  const twice = grouped.find((site, i) => grouped.indexOf(site) !== i);
  if (twice !== undefined) return [[path, fault("counts.site-twice", { site: twice })]];
  const unknown = grouped.find((site) => !participation.sites!.includes(site));
  if (unknown !== undefined) return [[path, fault("counts.site-unknown", { site: unknown })]];
  const without = participation.sites.find((site) => !grouped.includes(site));
  if (without !== undefined) return [[path, fault("counts.site-without", { site: without })]];
  const few = fewOfGroup({ participation, parameters }, participation.sites);
  return few === null ? [] : [[path, fault("plan.group-few", few)]];
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
    line("counts.few", {
      expected: expectedSaid(study),
      needed: Math.ceil(within),
      units: unitsOf(study),
      grouped: groups === 1 ? 0 : 1,
      percent: within >= rows ? null : Math.ceil((100 * within) / rows),
      factor: Math.ceil(within / (shareAsked * rows)),
    }),
  ];
}
