import { signedNumbers } from "@consilium/core/learning/exactSums";
import type { SumConversation } from "@consilium/core/learning/sums";
import type { RandomSource } from "@consilium/core/random";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { SumStage } from "@consilium/core/study/plan";
import type { Check } from "@consilium/methods/shared/correlation-tree/askLeaves";
import {
  type CorrelationTree,
  correlationTree,
  ensembleOfLeaves,
  leafValues,
} from "@consilium/methods/shared/correlation-tree/correlationTree";
import { splitWorths, usedFeatures } from "@consilium/methods/shared/correlation-tree/splitWorths";
import { splitsName, valuesName } from "@consilium/methods/shared/correlation-tree/treeStudy";
import { drawnUniforms, laplaceAt } from "@consilium/methods/shared/draws/drawnUniforms";
import { evaluationResult } from "@consilium/methods/shared/evaluation/evaluationResult";
import { cutsBroadcast } from "@consilium/methods/shared/evaluation/scoreScale";
import { DepthFirstRun } from "./depthFirst.js";
import {
  askedAttributes,
  binnedTree,
  encodePearson,
  isClosed,
  type PearsonLevel,
  type PearsonSplit,
} from "./splits.js";
import {
  correlationUnit,
  cutUnit,
  type PearsonLayout,
  type PearsonTreeStudy,
  pearsonBudget,
  pearsonLayout,
  subsetsOf,
} from "./study.js";

/**
 * The published tree, aggregator side: sums are exact, and what noise there is the aggregator draws.
 * @param options.random - the operating system's; every draw is stored with the conversation before it is used
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function pearsonConversation(options: {
  readonly study: PearsonTreeStudy;
  readonly conversation: SumConversation;
  readonly random: RandomSource;
  readonly check?: Check;
}): Promise<CorrelationTree> {
  const { study, conversation, random } = options;
  const check: Check = options.check ?? ((judge) => judge());
  const layout = pearsonLayout(study);
  const { classes } = layout;
  const ask: Ask = async (stage, broadcast) => {
    const sum = signedNumbers(await conversation.sum(stage.id, broadcast));
    const subsets = conversation.survivors * subsetsOf(study);
    check(() => checkSum(study, layout, stage, sum, conversation.survivors));
    return { sum, subsets };
  };
  const growing = { study, conversation, random, ask };
  const { levels, last } =
    study.parameters.order === "depth-first" ? await depthFirst(growing) : await breadthFirst(growing);
  const exact = (await ask(layout.leaves, told(last))).sum;
  const { counts, stdDev } = noisyLeaves({ study, conversation, random, exact });
  const values = leafValues(counts, classes, stdDev);
  const tree = binnedTree(study, levels);
  const form = evaluationForm(classes);
  const ensemble = ensembleOfLeaves({ levels: tree.levels, counts, values });
  const about = { [valuesName]: values, ...cutsBroadcast(form, ensemble) };
  const held = layout.evaluation === null ? null : await ask(layout.evaluation, about);
  const worths = splitWorths(tree.levels, counts, classes);
  return correlationTree({
    ...tree,
    counts,
    values,
    worths,
    importance: usedFeatures(tree.features, tree.levels, worths),
    evaluation:
      held === null
        ? null
        : conversation.part("evaluation", () => evaluationResult(form, held.sum, 0, ensemble)),
  });
}

/** Asks the sites for a stage. @returns their sum, and of how many subsets it is */
type Ask = (
  stage: SumStage,
  broadcast: Broadcast,
) => Promise<{ readonly sum: Float64Array; readonly subsets: number }>;

interface Growing {
  readonly study: PearsonTreeStudy;
  readonly conversation: SumConversation;
  readonly random: RandomSource;
  readonly ask: Ask;
}

interface Grown {
  readonly levels: readonly PearsonLevel[];
  /** The splits that no site has been told of yet. */
  readonly last: PearsonLevel;
}

/** As published: a node at a time, all that is below its left branch before its right one. */
async function depthFirst({ study, conversation, random, ask }: Growing): Promise<Grown> {
  const layout = pearsonLayout(study);
  const run = new DepthFirstRun(study.parameters.depth, layout.attributes.length);
  let last: PearsonLevel = [];
  for (let visit = 0; run.next !== null; visit++) {
    const { sum, subsets } = await ask(layout.splitting[visit]!, told(last));
    const name = `selection-node-${visit + 1}`;
    const pick = picker({ study, conversation, random, name, nodes: 1, subsets });
    const split = chosenSplit(layout, sum, run.asked, (candidates) => pick(0, candidates));
    run.visited(split);
    last = [split];
  }
  return { levels: run.levels, last };
}

/** The nodes of a level from left to right: each takes an attribute that none before it took. */
async function breadthFirst({ study, conversation, random, ask }: Growing): Promise<Grown> {
  const layout = pearsonLayout(study);
  const levels: PearsonLevel[] = [];
  for (const [depth, stage] of layout.splitting.entries()) {
    const { sum, subsets } = await ask(stage, told(levels.at(-1) ?? []));
    const nodes = 2 ** depth;
    const pick = picker({ study, conversation, random, name: `selection-${depth + 1}`, nodes, subsets });
    const asked = askedAttributes(levels);
    levels.push(
      Array.from({ length: nodes }, (_, node): PearsonSplit | null => {
        if (isClosed(levels, depth, node)) return null;
        const own = sum.subarray(node * layout.nodeLength, (node + 1) * layout.nodeLength);
        const split = chosenSplit(layout, own, asked, (candidates) => pick(node, candidates));
        if (split !== null) asked.add(split.attribute);
        return split;
      }),
    );
  }
  return { levels, last: levels.at(-1)! };
}

function told(last: PearsonLevel): Broadcast {
  return last.length === 0 ? {} : { [splitsName]: encodePearson(last) };
}

/** An attribute that could split a node. */
interface Candidate extends PearsonSplit {
  /** q, the mean over the subsets with rows of their largest |φ|. */
  readonly score: number;
}

type Picker = (node: number, candidates: readonly Candidate[]) => Candidate;

/**
 * A node's split; null, a leaf, where it has one class or no rows, no attribute is left, or no cut has a correlation in any
 * subset.
 * @param own - the node's sums
 */
function chosenSplit(
  layout: PearsonLayout,
  own: Float64Array,
  asked: ReadonlySet<number>,
  pick: (candidates: readonly Candidate[]) => Candidate,
): PearsonSplit | null {
  if (own.subarray(0, layout.classes).filter((rows) => rows > 0).length < 2) return null;
  const candidates = candidatesOf(layout, own, asked);
  if (candidates.length === 0) return null;
  const { attribute, threshold } = pick(candidates);
  return { attribute, threshold };
}

function candidatesOf(layout: PearsonLayout, own: Float64Array, asked: ReadonlySet<number>): Candidate[] {
  const { attributes, classes } = layout;
  const subsets = own[classes]!;
  return attributes.flatMap(({ level, min, max }, attribute): Candidate[] => {
    const [correlations, cuts, proposals] = own.subarray(classes + 1 + 3 * attribute);
    if (asked.has(attribute) || proposals === 0) return [];
    const threshold = level === null ? min + (max - min) * (cuts! / proposals! / cutUnit) : 0;
    return [{ attribute, threshold, score: correlations! / correlationUnit / subsets }];
  });
}

/**
 * How an attribute is selected: the largest score, of equal ones the first; or drawn by the exponential mechanism.
 * @param options.name - of the draw
 * @param options.nodes - that one draw serves
 */
function picker(options: {
  readonly study: PearsonTreeStudy;
  readonly conversation: SumConversation;
  readonly random: RandomSource;
  readonly name: string;
  readonly nodes: number;
  readonly subsets: number;
}): Picker {
  const { study, conversation, random, name, nodes, subsets } = options;
  const { selection, scoreSensitivity } = study.parameters;
  const budget = pearsonBudget(study);
  if (selection === "argmax" || budget === null)
    return (_, candidates) => candidates.reduce((best, one) => (one.score > best.score ? one : best));
  const rate = budget.selection / (2 * (scoreSensitivity ?? 1 / subsets));
  const uniforms = drawnUniforms(conversation, { name, count: nodes, random });
  return (node, candidates) => {
    const best = Math.max(...candidates.map(({ score }) => score));
    const weights = candidates.map(({ score }) => Math.exp(rate * (score - best)));
    let rest = uniforms[node]! * weights.reduce((sum, weight) => sum + weight, 0);
    for (const [i, candidate] of candidates.entries()) {
      rest -= weights[i]!;
      if (rest < 0) return candidate;
    }
    return candidates.at(-1)!;
  };
}

/** Counts in the leaves with Lap(1/ε2), drawn once. */
function noisyLeaves(options: {
  readonly study: PearsonTreeStudy;
  readonly conversation: SumConversation;
  readonly random: RandomSource;
  readonly exact: Float64Array;
}): { readonly counts: Float64Array; readonly stdDev: number } {
  const { study, conversation, random, exact } = options;
  const budget = pearsonBudget(study);
  if (budget === null) return { counts: exact, stdDev: 0 };
  const scale = 1 / budget.leaves;
  const uniforms = drawnUniforms(conversation, { name: "leaf-noise", count: exact.length, random });
  return {
    counts: exact.map((count, i) => count + laplaceAt(scale, uniforms[i]!)),
    stdDev: Math.SQRT2 * scale,
  };
}

/** @throws RangeError where a sum is larger than so many sites can make it, or negative */
function checkSum(
  study: PearsonTreeStudy,
  layout: PearsonLayout,
  stage: SumStage,
  sum: Float64Array,
  sites: number,
): void {
  if (sum.length !== stage.length) throw new RangeError("a sum does not have the stage's length");
  const rows = sites * study.participation.maxRowsPerSite;
  const subsets = sites * subsetsOf(study);
  const isSplitting = layout.splitting.includes(stage);
  const most = (entry: number) => {
    const own = entry % layout.nodeLength;
    if (!isSplitting || own < layout.classes) return rows;
    if (own === layout.classes) return subsets;
    return subsets * [correlationUnit, cutUnit + 1, 1][(own - layout.classes - 1) % 3]!;
  };
  if (!sum.every((value, entry) => value >= 0 && value <= most(entry)))
    throw new RangeError("the sum is larger than the study's sites can make it");
}
