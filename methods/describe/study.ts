import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { unitOfStudy, unitsOf } from "@consilium/core/study/patientWeights";
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
import type { Study, StudyWith } from "@consilium/core/study/study";
import { firstNames } from "@consilium/core/words";
import { type HistogramQuery, sensitivitySquared } from "@consilium/gate/query";
import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import {
  binsParameter,
  type CountedFeature,
  countedFeatures,
  edgeIssues,
} from "../shared/columns/counted.js";
import { expectedPrecision, roundedWidth, withPrecision } from "../shared/counts/precision.js";
import { Root } from "../shared/counts/root.js";
import { type CountSection, placedSections, weightsOf } from "../shared/counts/sections.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import {
  type NumberSections,
  partsOf,
  rootBits,
  sectionsOf,
  smallCells,
  smallCellsLeast,
} from "./numbers.js";
import type { DescribeSays } from "./says.js";

/**
 * Descriptive statistics, `method: describe`: of each column a histogram, by group where the study has a label, of numbers moments
 * and counts of small cells, and chosen two-way tables, all in one noisy sum. What follows from it and why it is private: docs/methods/describe.md.
 */

/** Every count is a line of a released table. */
export const cellsMost = 65_536;
/** Numbers of the sum, those of small cells among them: 4 MiB from a site. */
const numbersMost = 2 ** 19;
/** Of a number: the root of a run of small cells has at most 4,096. */
const edgesMost = 1_500;

const line = lines<DescribeSays & StudyFaultSays>();
const fault = sentences<DescribeSays & StudyFaultSays>();

const columnName = z.string().min(1).max(128);

const parameters = z
  .strictObject({
    bins: binsParameter,
    tables: z
      .array(z.tuple([columnName, columnName]))
      .max(500)
      .default([])
      .describe("Two-way tables: pairs of columns, such as [[age, sex], [sex, smoker]]."),
  })
  .prefault({});

/** The keys that `analysis: describe` adds to a study with `method: describe`. */
export const describeSection = {
  analysis: z.literal("describe"),
  method: z
    .literal("describe")
    .describe("Counts, shares, means and quartiles of each column, and tables of two columns."),
  variant: z.literal("sound", {
    error: line("fault.sound-alone", { methods: ["describe", "counts"].map(nameOf) }),
  }),
  parameters,
};

export type DescribeStudy = StudyWith<typeof describeSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asDescribe(study: Study): DescribeStudy {
  if (study.method === "describe") return study as DescribeStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not describe`);
}

/** A table of counts of one column by group, [groups × cells], or of two columns, [first's cells × second's]. */
export interface Marginal extends CountSection {
  /** Of one column or two, by their place in the study. */
  readonly features: readonly [number] | readonly [number, number];
}

export interface DescribeLayout {
  readonly features: readonly CountedFeature[];
  /** Levels of the label; 1 without one. */
  readonly groups: number;
  /** First one for each feature, then the two-way tables. */
  readonly marginals: readonly Marginal[];
  /** Of each feature; null of a category. */
  readonly numbers: readonly (NumberSections | null)[];
  readonly stage: SoundStage;
}

export const describeStageId = "tables" as StageId;

const layouts = new WeakMap<DescribeStudy, DescribeLayout>();

/** Of a study without a fault. */
export function describeLayout(study: DescribeStudy): DescribeLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const features = countedFeatures(study);
  const groups = study.label?.levels.length ?? 1;
  const { marginals, numbers, query } = weightedSections(study, features, groups);
  const stage = soundStage({
    id: describeStageId,
    broadcasts: [],
    share: 1,
    query,
    integersPerUnit: Math.min(...marginals.map(({ weight }) => weight)),
    what: whatLeaves(study),
  });
  const weights = marginals.map(({ weight }) => weight);
  const layout = { features, groups, marginals, numbers, stage: withPrecision(study, stage, weights) };
  layouts.set(study, layout);
  return layout;
}

/** A two-way table's columns by their place; -1 for a name that is no column. */
function pairsOf({ features, parameters }: DescribeStudy): [number, number][] {
  const at = new Map(features.map(({ name }, f) => [name, f]));
  return parameters.tables.map(([first, second]) => [at.get(first) ?? -1, at.get(second) ?? -1]);
}

/** Each table by its weight, and beside a number's counts its moments and small cells. */
function weightedSections(study: DescribeStudy, features: readonly CountedFeature[], groups: number) {
  const tables: readonly Pick<Marginal, "features" | "cells">[] = [
    ...features.map(({ cells }, f) => ({ features: [f] as const, cells: groups * cells })),
    ...pairsOf(study).map((pair) => ({
      features: pair,
      cells: features[pair[0]]!.cells * features[pair[1]]!.cells,
    })),
  ];
  const weights = weightsOf(tables.map(({ cells }) => cells));
  const roots = new Map<number, Root>();
  const smalls = study.features.map((feature, f) => {
    if (feature.type !== "numeric") return null;
    const cells = smallCells(feature, features[f]!.binned);
    const run = cells.binned.bins;
    const root = roots.get(run) ?? new Root(run, rootBits);
    roots.set(run, root);
    return { min: feature.min, max: feature.max, cells, root };
  });
  const sectionsFor = (times: number) => {
    const units = weights.map((weight) => times * weight);
    const marginals: Marginal[] = placedSections(
      tables.map((table, i) => ({ ...table, weight: partsOf(units[i]!).count })),
    );
    const { offset, cells } = marginals.at(-1)!;
    let end = offset + cells;
    const numbers = smalls.map((small, f): NumberSections | null => {
      if (small === null) return null;
      const [sumsAt, squaresAt, cellsAt] = [end, end + groups, end + 2 * groups];
      end = cellsAt + groups * small.root.run;
      return { ...small, unit: units[f]!, sumsAt, squaresAt, cellsAt };
    });
    return { marginals, numbers, query: queryOf(marginals, numbers, groups) };
  };
  const most = Math.floor(Math.sqrt(sensitivityMost / sensitivitySquared(sectionsFor(1).query)));
  return sectionsFor(timesFor(study, weights, most));
}

/** Squares that the gate adds up exactly. */
const sensitivityMost = 2 ** 52;
/** Values are summed in steps of 2^-15 of the range, or finer. */
const unitLeast = 2 ** 8;

/**
 * What weights are multiplied with, so that integers are fine: rows of up to 8 of a patient are divided exactly, those of more to a
 * part in 64, unless the study has so many columns that the integers would be too large.
 */
function timesFor(study: DescribeStudy, weights: readonly number[], most: number): number {
  const unit = unitOfStudy(study);
  const times = unit * Math.ceil(unitLeast / (unit * Math.min(...weights)));
  if (times <= most) return times;
  return most >= unit ? most - (most % unit) : Math.max(1, most);
}

function queryOf(
  marginals: readonly Marginal[],
  numbers: readonly (NumberSections | null)[],
  groups: number,
): HistogramQuery {
  const sections = [
    ...marginals.map(({ cells, weight }) => ({ cells, most: weight })),
    ...numbers.flatMap((one) => (one === null ? [] : sectionsOf(one, groups))),
  ];
  const bound = (of: (section: (typeof sections)[number]) => number) =>
    sections.reduce((most, section) => Math.max(most, of(section)), 0);
  return {
    kind: "histogram",
    cells: sections.reduce((sum, { cells }) => sum + cells, 0),
    touches: sections.length,
    channels: [
      {
        least: -bound((section) => ("least" in section ? -section.least! : 0)),
        most: bound(({ most }) => most),
      },
    ],
    sections,
    divisible: true,
  };
}

function whatLeaves({ features, label, parameters: { tables }, ...study }: DescribeStudy) {
  const said = sentences<DescribeSays>();
  const columns = firstNames(
    features.map(({ name }) => name),
    300,
  );
  const pairs = firstNames(
    tables.map(([first, second]) => `${first} with ${second}`),
    300,
  );
  return said("describe.sent", {
    units: unitsOf(study),
    columns: columns.shown.map(nameOf),
    more: columns.more,
    label: label === undefined ? null : nameOf(label.name),
    numbers: features.some(({ type }) => type === "numeric") ? 1 : 0,
    tables: tables
      .slice(0, pairs.shown.length)
      .map(([first, second]) => said("describe.pair", { first: nameOf(first), second: nameOf(second) })),
    moreTables: pairs.more,
  });
}

/** Faults that only the whole study shows, as [path, message]. */
export function describeIssues(study: DescribeStudy): MethodIssue[] {
  const issues = [...soundIssues(study), ...edgeIssues(study), ...manyEdges(study), ...tableIssues(study)];
  if (issues.length > 0) return issues;
  const features = countedFeatures(study);
  const groups = study.label?.levels.length ?? 1;
  const cells =
    groups * features.reduce((sum, feature) => sum + feature.cells, 0) +
    pairsOf(study).reduce((sum, [a, b]) => sum + features[a]!.cells * features[b]!.cells, 0);
  if (cells > cellsMost) {
    return [[["parameters"], fault("describe.many-counts", { counts: cells, max: cellsMost })]];
  }
  const many = (numbers: number): MethodIssue[] =>
    numbers > numbersMost
      ? [[["parameters"], fault("describe.many-numbers", { numbers, most: numbersMost })]]
      : [];
  const columns = study.features.filter(({ type }) => type === "numeric").length;
  // Before any column is cut into cells: of ten thousands that takes seconds.
  const issue = many(cells + groups * columns * (2 + smallCellsLeast));
  if (issue.length > 0) return issue;
  const { stage } = describeLayout(study);
  if (stage.length > numbersMost) return many(stage.length);
  return fitsRing(study, [stage]) ? [] : [ringIssue];
}

function manyEdges({ features }: DescribeStudy): MethodIssue[] {
  return features.flatMap((feature, f): MethodIssue[] => {
    const edges = feature.type === "numeric" ? (feature.edges?.length ?? 0) : 0;
    if (edges <= edgesMost) return [];
    const params = { column: nameOf(feature.name), edges, most: edgesMost };
    return [[["features", f, "edges"], fault("describe.many-edges", params)]];
  });
}

function tableIssues(study: DescribeStudy): MethodIssue[] {
  const { label, parameters } = study;
  const seen = new Map<string, number>();
  return pairsOf(study).flatMap((pair, i) => {
    const at = (found: AnySaid): MethodIssue[] => [[["parameters", "tables", i], found]];
    const unknown = parameters.tables[i]!.find((_, side) => pair[side] === -1);
    if (unknown !== undefined && unknown === label?.name)
      return at(fault("describe.label-counted", { column: nameOf(unknown) }));
    if (unknown !== undefined) return at(fault("fault.undeclared", { column: nameOf(unknown) }));
    if (pair[0] === pair[1]) return at(fault("describe.one-column", {}));
    const key = [...pair].sort((a, b) => a - b).join();
    const before = seen.get(key);
    seen.set(key, i);
    return before === undefined ? [] : at(fault("describe.table-twice", { table: before }));
  });
}

const describeProof = "docs/METHODS.md#describe-proof";

export function planDescribe(study: DescribeStudy): Plan {
  return planSoundSums(study, () => ({
    stages: [describeLayout(study).stage],
    proof: describeProof,
    warnings: warningsOf(study),
  }));
}

/** Tables that a warning names. */
const namedMost = 3;

/** A cell is lost whose records, were all cells alike, are fewer than what the noise puts a count within. */
function warningsOf(study: DescribeStudy): string[] {
  if (study.privacy === "none") return [];
  const { marginals, stage } = describeLayout(study);
  const rows = rowsExpected(study);
  const lost = marginals
    .map((marginal) => {
      const within = expectedPrecision(study, stage, marginal.weight);
      return { marginal, within, factor: (within * marginal.cells) / rows };
    })
    .filter(({ factor }) => factor > 1)
    .sort((a, b) => b.factor - a.factor);
  if (lost.length === 0) return [];
  const tables = lost.slice(0, namedMost).map(({ marginal, within }) =>
    sentences<DescribeSays>()("describe.lost-table", {
      columns: marginal.features.map((f) => nameOf(study.features[f]!.name)),
      counts: marginal.cells,
      each: Number((rows / marginal.cells).toPrecision(2)),
      units: unitsOf(study),
      within: roundedWidth(within),
    }),
  );
  const [more, factor] = [Math.max(0, lost.length - namedMost), Math.ceil(lost[0]!.factor)];
  return [line("describe.lost", { expected: expectedSaid(study), tables, more, factor })];
}
