import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import type { NumericFeature } from "@consilium/core/study/features";
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
import type { Study, StudyWith } from "@consilium/core/study/study";
import { firstNames } from "@consilium/core/words";
import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import {
  binsParameter,
  type CountedFeature,
  cellNames,
  countedFeatures,
  edgeIssues,
} from "../shared/columns/counted.js";
import { nameIssues } from "../shared/columns/names.js";
import { expectedPrecision, roundedWidth, withPrecision } from "../shared/counts/precision.js";
import { type CountSection, placedSections, sectionsQuery, weightsOf } from "../shared/counts/sections.js";
import { binsLeast } from "../shared/plans/noiseDefaults.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import type { SyntheticTableSays } from "./says.js";
import { columnValues } from "./values.js";

/**
 * Rows to publish, `method: synthetic-table`: coarse two-way tables of all pairs of columns in one noisy sum, a tree of columns chosen
 * from them, the tables along the tree in another, and rows drawn from what both say: docs/methods/synthetic-table.md.
 */

/** A sum of so many counts is 2 MiB for each site. */
export const cellsMost = 2 ** 18;
/** Cells of a column in the first sum: 32 × 32 is as much as a table of dependence is ever worth. */
export const coarseMost = 32;
const coarseUsually = 8;
/** The first sum's part of ρ. */
export const pairsShare = 0.3;

const said = sentences<SyntheticTableSays & StudyFaultSays>();
const line = lines<SyntheticTableSays & StudyFaultSays>();

const columnName = z.string().min(1).max(128);

const parameters = z
  .strictObject({
    rows: z
      .int()
      .min(1)
      .max(syntheticRowsMost)
      .optional()
      .describe("Rows to draw. Left out: as many as the noisy counts say that there are records."),
    bins: binsParameter,
    coarse: z
      .int()
      .min(binsLeast)
      .max(coarseMost)
      .default(coarseUsually)
      .describe(
        "Cells of a column at most in the first sum, which chooses the tree: neighbouring intervals and levels are counted together. Left out of a new study that says how many rows it expects: by the noise.",
      ),
    decimals: z
      .array(z.tuple([columnName, z.int().min(0).max(9)]))
      .max(10_000)
      .default([])
      .describe(
        "How many decimals a numeric column's values are drawn with, such as [[age, 0], [temperature, 1]]. Left out: any number of the interval.",
      ),
  })
  .prefault({});

/** The keys that `analysis: synthetic-table` adds to a study. */
export const syntheticTableSection = {
  analysis: z.literal("synthetic-table"),
  method: z
    .literal("synthetic-table")
    .describe("Synthetic rows that follow the columns' distributions and their strongest pairs."),
  variant: z.literal("sound", {
    error: line("fault.sound-alone", { methods: [nameOf("synthetic-table")] }),
  }),
  parameters,
};

export type SyntheticTableStudy = StudyWith<typeof syntheticTableSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asSyntheticTable(study: Study): SyntheticTableStudy {
  if (study.method === "synthetic-table") return study as SyntheticTableStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not synthetic-table`);
}

/** A column with the cells that it has in the first sum. */
export interface SyntheticColumn extends CountedFeature {
  readonly coarse: number;
  /** [cells] of each cell, its coarse one. */
  readonly coarseOf: Uint16Array;
}

/** A coarse two-way table: [first's coarse cells × second's]. */
export interface PairTable extends CountSection {
  readonly columns: readonly [number, number];
}

/** The first sum. */
interface Pairs {
  readonly stage: SoundStage;
  readonly tables: readonly PairTable[];
}

export interface SyntheticTableLayout {
  readonly columns: readonly SyntheticColumn[];
  /** The column that trees begin at: the first one of those with the most cells. */
  readonly root: number;
  /** Null for two columns: there is one tree of them. */
  readonly pairs: Pairs | null;
  readonly stage: SoundStage;
  /** Of each column, its one-way table in the second sum. */
  readonly margins: readonly CountSection[];
  /**
   * Of each column its table with its parent, [parent's cells × own], with room for that of the root; null of the root. Which column is
   * the parent the tree says, so how many of the cells are used is not known before it.
   */
  readonly joints: readonly (CountSection | null)[];
}

export const pairsStageId = "pairs" as StageId;
export const tablesStageId = "tables" as StageId;
/** The name under which the tree is broadcast: [columns] each one's parent, -1 of the root. */
export const treeName = "tree";

/** All pairs of so many columns, the first one below the second. */
export function pairsOf(columns: number): [number, number][] {
  return Array.from({ length: columns }, (_, i) => i).flatMap((i) =>
    Array.from({ length: columns - i - 1 }, (__, j): [number, number] => [i, i + 1 + j]),
  );
}

const layouts = new WeakMap<SyntheticTableStudy, SyntheticTableLayout>();

/** Of a study without a fault. */
export function syntheticTableLayout(study: SyntheticTableStudy): SyntheticTableLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const columns = syntheticColumns(study);
  const root = rootOf(columns);
  const pairs = columns.length > 2 ? firstSum(study, columns) : null;
  const second = secondSum(study, columns, root, pairs === null);
  const layout = { columns, root, pairs, ...second };
  layouts.set(study, layout);
  return layout;
}

function syntheticColumns(study: SyntheticTableStudy): SyntheticColumn[] {
  return countedFeatures(study).map((counted) => {
    const coarseOf = coarseCells(counted, study.parameters.coarse);
    return { ...counted, coarseOf, coarse: coarseOf.at(-1)! + 1 };
  });
}

/** Neighbouring cells together, as even as can be; missing values stay by themselves. */
function coarseCells({ cells, missing }: CountedFeature, most: number): Uint16Array {
  if (cells <= most) return Uint16Array.from({ length: cells }, (_, cell) => cell);
  const [own, groups] = missing === null ? [cells, most] : [cells - 1, most - 1];
  return Uint16Array.from({ length: cells }, (_, cell) => Math.floor((cell * groups) / own));
}

function rootOf(columns: readonly CountedFeature[]): number {
  const most = Math.max(...columns.map(({ cells }) => cells));
  return columns.findIndex(({ cells }) => cells === most);
}

function firstSum(study: SyntheticTableStudy, columns: readonly SyntheticColumn[]): Pairs {
  const pairs = pairsOf(columns.length);
  const cells = pairs.map(([i, j]) => columns[i]!.coarse * columns[j]!.coarse);
  const weights = weightsOf(cells);
  const tables = placedSections(
    pairs.map((pair, p) => ({ columns: pair, cells: cells[p]!, weight: weights[p]! })),
  );
  const { coarse } = study.parameters;
  const what = said("synthetic-table.sent-pairs", { units: unitsOf(study), coarse, ...namesOf(study) });
  const declared = { id: pairsStageId, broadcasts: [], share: pairsShare, what };
  return { stage: sumOf(study, declared, tables), tables };
}

function secondSum(
  study: SyntheticTableStudy,
  columns: readonly SyntheticColumn[],
  root: number,
  isOnly: boolean,
): Pick<SyntheticTableLayout, "stage" | "margins" | "joints"> {
  // Both tables of a column have the weight of its cells: how many its parent has, the tree says later.
  const weights = weightsOf(columns.map(({ cells }) => cells));
  const margins = columns.map(({ cells }, c) => ({ cells, weight: weights[c]!, column: c, isMargin: true }));
  const room = columns[root]!.cells;
  const joints = margins
    .filter(({ column }) => column !== root)
    .map((margin) => ({ ...margin, cells: margin.cells * room, isMargin: false }));
  const sections = placedSections([...margins, ...joints]);
  const chosen = isOnly ? 0 : 1;
  const what = said("synthetic-table.sent-tables", { units: unitsOf(study), ...namesOf(study), chosen });
  const broadcasts = isOnly ? [] : [{ name: treeName, length: columns.length }];
  const declared = { id: tablesStageId, broadcasts, share: isOnly ? 1 : 1 - pairsShare, what };
  const jointOf = (c: number) => sections.find(({ column, isMargin }) => column === c && !isMargin) ?? null;
  return {
    stage: sumOf(study, declared, sections),
    margins: sections.slice(0, columns.length),
    joints: columns.map((_, c) => jointOf(c)),
  };
}

function sumOf(
  study: SyntheticTableStudy,
  declared: Pick<SoundStage, "id" | "broadcasts" | "share" | "what">,
  sections: readonly CountSection[],
): SoundStage {
  const weights = sections.map(({ weight }) => weight);
  const stage = soundStage({
    ...declared,
    query: sectionsQuery(sections),
    integersPerUnit: Math.min(...weights),
  });
  return withPrecision(study, stage, weights);
}

function namesOf({ features }: SyntheticTableStudy) {
  const { shown, more } = firstNames(
    features.map(({ name }) => name),
    300,
  );
  return { columns: shown.map(nameOf), more };
}

/** Faults that only the whole study shows, as [path, message]. */
export function syntheticTableIssues(study: SyntheticTableStudy): MethodIssue[] {
  const issues = [...soundIssues(study), ...columnIssues(study), ...decimalIssues(study)];
  if (issues.length > 0) return issues;
  const counts = cellsOf(study);
  const more = Math.max(counts.pairs, counts.tables);
  if (more > cellsMost) {
    const params = { counts: more, max: cellsMost, pairs: counts.pairs > counts.tables ? 1 : 0 };
    return [[["features"], said("synthetic-table.many-counts", params)]];
  }
  const { pairs, stage } = syntheticTableLayout(study);
  return fitsRing(study, pairs === null ? [stage] : [pairs.stage, stage]) ? [] : [ringIssue];
}

function columnIssues(study: SyntheticTableStudy): MethodIssue[] {
  const { features, label } = study;
  const issues: MethodIssue[] = [...edgeIssues(study), ...nameIssues(features)];
  if (features.length < 2) issues.push([["features"], said("synthetic-table.one-column", {})]);
  if (label !== undefined)
    issues.push([["label"], said("synthetic-table.label", { label: nameOf(label.name) })]);
  return issues;
}

function decimalIssues(study: SyntheticTableStudy): MethodIssue[] {
  const { features, parameters } = study;
  const seen = new Set<string>();
  return parameters.decimals.flatMap(([name, decimals], i): MethodIssue[] => {
    const column = nameOf(name);
    const fault = (found: AnySaid): MethodIssue[] => [[["parameters", "decimals", i], found]];
    const at = features.findIndex((feature) => feature.name === name);
    if (at === -1) return fault(said("fault.undeclared", { column }));
    const feature = features[at]!;
    if (feature.type !== "numeric") return fault(said("synthetic-table.no-decimals", { column }));
    if (seen.has(name)) return fault(said("synthetic-table.listed", { column }));
    seen.add(name);
    if (edgeIssues(study).length > 0) return [];
    return gridFaults(study, feature, decimals).flatMap(fault);
  });
}

/** Intervals in which no number has so few decimals. */
function gridFaults(study: SyntheticTableStudy, feature: NumericFeature, decimals: number): AnySaid[] {
  const column = nameOf(feature.name);
  const { min, max } = feature;
  if (!Number.isSafeInteger(Math.ceil(Math.max(-min, max) * Number(`1e${decimals}`))))
    return [said("synthetic-table.bounds", { column, decimals })];
  const counted = countedFeatures(study)[study.features.indexOf(feature)]!;
  const values = columnValues(feature, counted, decimals);
  const empty = values.findIndex((value) => value?.kind === "grid" && value.last < value.first);
  if (empty === -1) return [];
  const interval = nameOf(cellNames(feature, counted)[empty]!);
  return [said("synthetic-table.no-number", { decimals, interval, column })];
}

/** Counts of both sums, before they are laid out. */
function cellsOf(study: SyntheticTableStudy): { readonly pairs: number; readonly tables: number } {
  const columns = syntheticColumns(study);
  const sum = (of: (column: SyntheticColumn) => number) =>
    columns.reduce((total, column) => total + of(column), 0);
  const [coarse, squares, all] = [
    sum((column) => column.coarse),
    sum((column) => column.coarse ** 2),
    sum(({ cells }) => cells),
  ];
  const room = columns[rootOf(columns)]!.cells;
  return { pairs: columns.length > 2 ? (coarse ** 2 - squares) / 2 : 0, tables: all + room * (all - room) };
}

const proof = "docs/METHODS.md#synthetic-table-proof";

export function planSyntheticTable(study: SyntheticTableStudy): Plan {
  return planSoundSums(study, () => {
    const { pairs, stage } = syntheticTableLayout(study);
    return { stages: pairs === null ? [stage] : [pairs.stage, stage], proof, warnings: warningsOf(study) };
  });
}

/** Columns that a warning names. */
const namedMost = 3;

/** A table is lost whose average count is less than what the noise puts a count within. */
function warningsOf(study: SyntheticTableStudy): string[] {
  if (study.privacy === "none") return [];
  return [...treeWarnings(study), ...tableWarnings(study)];
}

/** By how much the noise of a count exceeds the average count of a table. */
const lostBy = (within: number, cells: number, rows: number) => (within * cells) / rows;

function treeWarnings(study: SyntheticTableStudy): string[] {
  const { pairs } = syntheticTableLayout(study);
  if (pairs === null) return [];
  const rows = rowsExpected(study);
  const factors = pairs.tables
    .map(({ cells, weight }) => lostBy(expectedPrecision(study, pairs.stage, weight), cells, rows))
    .sort((a, b) => a - b);
  const typical = factors[Math.floor(factors.length / 2)]!;
  if (typical <= 1) return [];
  return [
    line("synthetic-table.lost-pairs", {
      expected: expectedSaid(study),
      tables: factors.length,
      factor: Math.ceil(typical),
    }),
  ];
}

function tableWarnings(study: SyntheticTableStudy): string[] {
  const { columns, joints, stage } = syntheticTableLayout(study);
  const rows = rowsExpected(study);
  const lost = joints
    .flatMap((joint, c) => {
      if (joint === null) return [];
      const others = columns.flatMap(({ cells }, o) => (o === c ? [] : [cells])).sort((a, b) => a - b);
      const cells = columns[c]!.cells * others[Math.floor((others.length - 1) / 2)]!;
      const within = expectedPrecision(study, stage, joint.weight);
      return [{ name: study.features[c]!.name, cells, within, factor: lostBy(within, cells, rows) }];
    })
    .filter(({ factor }) => factor > 1)
    .sort((a, b) => b.factor - a.factor);
  if (lost.length === 0) return [];
  const tables = lost.slice(0, namedMost).map(({ name, cells, within }) =>
    said("synthetic-table.lost-table", {
      column: nameOf(name),
      counts: cells,
      each: Number((rows / cells).toPrecision(2)),
      units: unitsOf(study),
      within: roundedWidth(within),
    }),
  );
  const [more, factor] = [Math.max(0, lost.length - namedMost), Math.ceil(lost[0]!.factor)];
  return [line("synthetic-table.lost", { expected: expectedSaid(study), tables, more, factor })];
}
