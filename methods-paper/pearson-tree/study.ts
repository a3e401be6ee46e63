import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { type DesignColumn, designColumns } from "@consilium/core/study/design";
import {
  evaluationForm,
  evaluationParameter,
  unprovedEvaluationStage,
} from "@consilium/core/study/evaluation";
import { labelSchema, levelsOf } from "@consilium/core/study/features";
import type { BroadcastPlan, Disclosure, Plan, SumStage } from "@consilium/core/study/plan";
import { authorsClaim, sitesAtMost, unprovedEvent } from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import {
  depthMost,
  lengthMost,
  splitsBefore,
  splitsName,
  treeStages,
  valuesName,
} from "@consilium/methods/shared/correlation-tree/treeStudy";
import { stagesMost } from "@consilium/methods/shared/plans/stageCount";
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { PearsonTreeSays } from "./says.js";

/**
 * The decision tree by Pearson's correlation [MLW18], private as published: `method: pearson-tree`. The sites, or `partitions`
 * parts of each, or the levels of a feature, are its map tasks. What it computes, how we read the text, and why its claim does not hold:
 * docs/methods/correlation-tree.md#pearson-tree.
 */

const line = lines<PearsonTreeSays & PlanSays & StudyFaultSays>();
const said = sentences<PearsonTreeSays>();

const parameters = z
  .strictObject({
    depth: z.int().min(1).max(depthMost).default(3).describe("h, levels of splits."),
    order: z
      .enum(["depth-first", "breadth-first"])
      .default("depth-first")
      .describe(
        "In which order nodes choose among the attributes that are left. `depth-first`, as published: a node, all that is below its left branch, then its right branch; one sum for each node. `breadth-first`, not as published: level by level, one sum for each level. The trees of both can differ from depth 3 on.",
      ),
    partitions: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .describe(
        "p: each site's rows are dealt in turn to so many subsets, the method's map tasks. The site works on them in parallel.",
      ),
    mapTasks: z
      .string()
      .max(200)
      .optional()
      .describe(
        "A categorical feature whose levels are the map tasks in place of `partitions`: the task of a row is its level. The tree does not split by it. So the tasks are the same wherever and in whatever order rows are read, and a site may compute them on a cluster. Left out: rows are dealt in turn.",
      ),
    selection: z
      .enum(["argmax", "sample"])
      .default("argmax")
      .describe(
        "`argmax`: the attribute with the largest score, as printed. `sample`: by the exponential mechanism, as it requires.",
      ),
    scoreSensitivity: z
      .number()
      .positive()
      .max(1)
      .optional()
      .describe(
        "δq of the exponential mechanism. Left out: 1 over the number of subsets, what one record can move the mean by.",
      ),
    leafShare: between(0.05, 0.95)
      .default(0.5)
      .describe("The part of ε that the counts in the leaves get, ε2; ε1 is the rest."),
    evaluation: evaluationParameter,
    seed: z
      .string()
      .min(1)
      .max(100)
      .default("consilium")
      .describe("Public: what decides which rows are held out."),
  })
  .prefault({});

/** The keys that `analysis: correlation-tree` adds to a study with `method: pearson-tree`. */
export const pearsonTreeSection = {
  analysis: z.literal("correlation-tree"),
  method: z.literal("pearson-tree").describe("A tree of cuts by Pearson correlation as published."),
  variant: z.literal("paper", {
    error: line("fault.paper", { methods: [nameOf("pearson-tree")], proven: nameOf("dp-pcc") }),
  }),
  /** The class that the tree predicts. */
  label: labelSchema,
  parameters,
};

export type PearsonTreeStudy = StudyWith<typeof pearsonTreeSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asPearsonTree(study: Study): PearsonTreeStudy {
  if (study.method === "pearson-tree") return study as PearsonTreeStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not pearson-tree`);
}

/** |φ| is summed in units of 2^-30, a cut in units of 2^-40 of its column's range. */
export const correlationUnit = 2 ** 30;
export const cutUnit = 2 ** 40;

/** A site sorts its table in memory, which takes so many numbers at most: 1 GiB. */
const tableMost = 2 ** 27;
const tasksMost = 1000;

/** Stages that split nodes depth-first; breadth-first has those of `treeStages`. */
export const pearsonStages = {
  /** @param visit - from 0, in the order in which nodes are visited */
  node: (visit: number) => `node-${visit + 1}` as StageId,
};

/** What a node's part of a vector holds: L counts, subsets with rows, then three numbers for each attribute. */
export interface PearsonLayout {
  /** A number, or whether a category has one level: what is asked, removed once asked, and never asked again. */
  readonly attributes: readonly DesignColumn[];
  readonly classes: number;
  /** Entries of one node. */
  readonly nodeLength: number;
  /**
   * Before the leaves. Depth-first one stage for each node that can be visited, of which a run may need fewer; breadth-first
   * one for each level.
   */
  readonly splitting: readonly SumStage[];
  readonly leaves: SumStage;
  readonly evaluation: SumStage | null;
}

/** The feature whose levels are the map tasks: its index and how many there are; null where rows are dealt in turn. */
export function mapTasksOf({ features, parameters: { mapTasks } }: PearsonTreeStudy) {
  const feature = features.findIndex(({ name }) => name === mapTasks);
  const own = features[feature];
  return own?.type === "categorical" ? { feature, tasks: levelsOf(own).length } : null;
}

/** Subsets of each site's rows. */
export const subsetsOf = (study: PearsonTreeStudy): number =>
  mapTasksOf(study)?.tasks ?? study.parameters.partitions;

function attributesOf(study: PearsonTreeStudy): DesignColumn[] {
  const tasks = mapTasksOf(study)?.feature;
  return designColumns(study.features).filter(({ feature }) => feature !== tasks);
}

const layouts = new WeakMap<PearsonTreeStudy, PearsonLayout>();

export function pearsonLayout(study: PearsonTreeStudy): PearsonLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { depth, evaluation } = study.parameters;
  const attributes = attributesOf(study);
  const classes = study.label.levels.length;
  const nodeLength = nodeLengthOf(study);
  const leafLength = 2 ** depth * classes;
  const layout: PearsonLayout = {
    attributes,
    classes,
    nodeLength,
    splitting: study.parameters.order === "depth-first" ? nodeStages(study) : levelStages(study),
    leaves: sumStage(study, {
      id: treeStages.leaves,
      broadcasts: study.parameters.order === "depth-first" ? [lastSplit] : splitsBefore(depth),
      length: leafLength,
      what: sentences<StageSays>()("sent.leaves", { leaves: 2 ** depth, label: nameOf(study.label.name) }),
      learns: line("pearson-tree.learns-leaves", { noise: study.privacy === "none" ? 0 : 1 }),
    }),
    evaluation: unprovedEvaluationStage(study, evaluation, evaluationForm(classes), [
      { name: valuesName, length: leafLength },
    ]),
  };
  layouts.set(study, layout);
  return layout;
}

/** What a stage is told depth-first: the split of the node visited before. */
const lastSplit: BroadcastPlan = { name: splitsName, length: 2 };

function nodeStages(study: PearsonTreeStudy): SumStage[] {
  return Array.from({ length: visitsMost(study) }, (_, visit) => ({
    ...sumStage(study, {
      id: pearsonStages.node(visit),
      broadcasts: visit === 0 ? [] : [lastSplit],
      length: nodeLengthOf(study),
      what: said("pearson-tree.node", {
        label: nameOf(study.label.name),
        attributes: attributesOf(study).length,
      }),
      learns: learnsOfSplits,
    }),
    // Below a leaf no node is visited, and the run ends with the last attribute.
    ...(visit === 0 ? {} : { mayBeSkipped: true as const }),
  }));
}

/**
 * Nodes that a depth-first run visits at most: those above the leaves, 2^h - 1; or 2A - 1 with A attributes, since before the
 * last visit at most A - 1 nodes were split, and so many branches of theirs at most were not.
 */
function visitsMost(study: PearsonTreeStudy): number {
  return Math.min(2 ** study.parameters.depth - 1, 2 * attributesOf(study).length - 1);
}

function levelStages(study: PearsonTreeStudy): SumStage[] {
  return Array.from({ length: study.parameters.depth }, (_, level) =>
    sumStage(study, {
      id: treeStages.level(level),
      broadcasts: splitsBefore(level),
      length: 2 ** level * nodeLengthOf(study),
      what: said("pearson-tree.level", {
        level: level + 1,
        label: nameOf(study.label.name),
        attributes: attributesOf(study).length,
      }),
      learns: learnsOfSplits,
    }),
  );
}

const ofStages = lines<StageSays>();
const learnsOfSplits = line("pearson-tree.learns-splits", {});

function nodeLengthOf(study: PearsonTreeStudy): number {
  return study.label.levels.length + 1 + 3 * attributesOf(study).length;
}

function sumStage(
  study: PearsonTreeStudy,
  stage: Pick<SumStage, "id" | "broadcasts" | "length"> & Pick<Disclosure, "learns"> & { what: AnySaid },
): SumStage {
  const { id, broadcasts, length, what, learns } = stage;
  const isLeaves = id === treeStages.leaves;
  const noisy = study.privacy !== "none" && isLeaves;
  return {
    kind: "sum",
    id,
    broadcasts,
    length,
    ringBits: 64,
    noise: null,
    disclosure: {
      what: ofStages("sent.summed", { what }),
      form: "masked sum",
      learns,
      mechanism: noisy ? line("pearson-tree.noise", {}) : ofStages("noise.none", {}),
      normBound: isLeaves ? 1 : null,
      sensitivity: noisy ? 1 : null,
      cost: costOf(study, id),
      event: unprovedEvent(study),
    },
  };
}

function costOf(study: PearsonTreeStudy, id: StageId): Disclosure["cost"] {
  const budget = pearsonBudget(study);
  if (study.privacy === "none" || budget === null) return null;
  const epsilon = id === treeStages.leaves ? budget.leaves : budget.selection;
  return { epsilon, delta: study.privacy.delta };
}

/** ε1, which every split on a record's path spends again, and ε2; null without privacy. */
export function pearsonBudget(
  study: PearsonTreeStudy,
): { readonly selection: number; readonly leaves: number } | null {
  if (study.privacy === "none") return null;
  const { epsilon } = study.privacy;
  const { leafShare } = study.parameters;
  return { selection: epsilon * (1 - leafShare), leaves: epsilon * leafShare };
}

/** Faults that only the whole study shows, as [path, message]. */
export function pearsonIssues(study: PearsonTreeStudy): MethodIssue[] {
  const { depth } = study.parameters;
  const attributes = attributesOf(study).length;
  const cells = study.participation.maxRowsPerSite * (study.features.length + 1);
  const isDepthFirst = study.parameters.order === "depth-first";
  const longest = (isDepthFirst ? 1 : 2 ** (depth - 1)) * nodeLengthOf(study);
  const issues = mapTasksIssues(study);
  if (depth > attributes) {
    issues.push([["parameters", "depth"], said("pearson-tree.depth", { depth, attributes })]);
  }
  if (longest > lengthMost) {
    const params = { numbers: longest, max: lengthMost };
    issues.push([["parameters", "depth"], said("pearson-tree.long-stage", params)]);
  }
  if (isDepthFirst && visitsMost(study) > stagesMost) {
    const params = { depth, attributes, nodes: visitsMost(study), max: stagesMost };
    issues.push([["parameters", "depth"], said("pearson-tree.many-nodes", params)]);
  }
  if (cells > tableMost) {
    const rows = study.participation.maxRowsPerSite;
    const params = { rows, features: study.features.length, max: tableMost };
    issues.push([["participation", "maxRowsPerSite"], said("pearson-tree.large-table", params)]);
  }
  return issues;
}

function mapTasksIssues({ features, parameters }: PearsonTreeStudy): MethodIssue[] {
  const { mapTasks, partitions } = parameters;
  if (mapTasks === undefined) return [];
  const feature = features.find(({ name }) => name === mapTasks);
  const column = nameOf(mapTasks);
  const issue = (found: AnySaid): MethodIssue[] => [[["parameters", "mapTasks"], found]];
  if (feature?.type !== "categorical") return issue(said("pearson-tree.tasks-category", { column }));
  if (feature.map !== undefined) return issue(said("pearson-tree.tasks-map", { column }));
  if (features.length === 1) return issue(said("pearson-tree.tasks-alone", {}));
  const levels = levelsOf(feature).length;
  if (levels > tasksMost) return issue(said("pearson-tree.many-tasks", { column, levels, max: tasksMost }));
  return partitions === 1 ? [] : issue(said("pearson-tree.tasks-partitions", {}));
}

const reasons = (
  [
    "pearson-tree.cuts",
    "pearson-tree.sensitivity",
    "pearson-tree.argmax",
    "pearson-tree.levels-again",
    "pearson-tree.one-class",
    "pearson-tree.removed",
  ] as const
).map((code) => line(code, {}));

const plans = new WeakMap<PearsonTreeStudy, Plan>();

export function planPearsonTree(study: PearsonTreeStudy): Plan {
  const known = plans.get(study);
  if (known !== undefined) return known;
  const { splitting, leaves, evaluation } = pearsonLayout(study);
  const plan: Plan = {
    masking: "pairwise",
    setup: [],
    stages: [...splitting, leaves, ...(evaluation === null ? [] : [evaluation])],
    claim: authorsClaim(study, reasons),
    warnings: warningsOf(study),
  };
  plans.set(study, plan);
  return plan;
}

/** More sums than this before the leaves are worth a warning. */
const roundsMany = 31;

function warningsOf(study: PearsonTreeStudy): string[] {
  const { order, depth, selection } = study.parameters;
  const partitions = subsetsOf(study);
  const { maxRowsPerSite } = study.participation;
  const warnings = [line("plan.exact-sums", {})];
  if (order === "depth-first" && visitsMost(study) > roundsMany) {
    warnings.push(line("pearson-tree.many-sums", { nodes: visitsMost(study), depth }));
  }
  const least = 10;
  if (maxRowsPerSite < least * partitions) {
    warnings.push(
      line("pearson-tree.small-subsets", { subsets: partitions, rows: maxRowsPerSite, min: least }),
    );
  }
  if (study.privacy === "none") return warnings;
  if (selection === "argmax" && study.parameters.scoreSensitivity !== undefined)
    warnings.push(line("pearson-tree.no-effect", {}));
  const subsets = sitesAtMost(study) * partitions;
  const score = pearsonBudget(study)!.selection / (2 * (study.parameters.scoreSensitivity ?? 1 / subsets));
  if (selection === "sample" && score < 3) {
    warnings.push(line("pearson-tree.any-drawn", { subsets, times: Number(Math.exp(score).toPrecision(2)) }));
  }
  return warnings;
}
