import { signedNumbers } from "@consilium/core/learning/exactSums";
import type { SumConversation } from "@consilium/core/learning/sums";
import type { Tree, TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { RandomSource } from "@consilium/core/random";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { BinnedFeature } from "@consilium/methods/shared/columns/binning";
import { drawnUniforms, laplaceAt } from "@consilium/methods/shared/draws/drawnUniforms";
import {
  type EvaluationResult,
  evaluationResult,
} from "@consilium/methods/shared/evaluation/evaluationResult";
import { cutsBroadcast } from "@consilium/methods/shared/evaluation/scoreScale";
import { binsOf } from "@consilium/methods/shared/trees/histograms";
import { type LevelSplits, treeOfLevels } from "@consilium/methods/shared/trees/levels";
import { encodeSetSplits } from "@consilium/methods/shared/trees/setSplits";
import {
  added,
  bestSubset,
  type Candidate,
  type Counts,
  exponentialCut,
  giniAfter,
  giniCount,
  intervalWidths,
  leastGini,
  oneLevelCandidates,
  orderedCandidates,
} from "./choices.js";
import { prunedLeaves } from "./prune.js";
import {
  type CartAdaboostStage,
  type CartAdaboostStudy,
  cartAdaboostEvaluationForm,
  cartAdaboostLayout,
  cartAdaboostNames,
  classes,
  weightCells,
  weightExponent,
} from "./study.js";
import { largestWeightIn } from "./vector.js";

/** What is told of a tree that the ensemble keeps. */
export interface BoostedTree {
  readonly tree: Tree;
  /** α_t. */
  readonly alpha: number;
  /** τ_t, the weighted training error. */
  readonly error: number;
  /** ε_c that the tree was grown with; null without privacy. */
  readonly epsilon: number | null;
}

export interface CartAdaboostResult {
  readonly ensemble: TreeEnsemble;
  readonly trees: readonly BoostedTree[];
  /** Rows that are not held out, over all sites. */
  readonly rows: number;
  /** Why there are no more trees. */
  readonly ended:
    | "all trees are grown"
    | "a tree erred on half of the weight"
    | "the budget is used up"
    | "there are no rows";
  /** Per feature, the Gini decrease of its splits times their share of the rows, times α, added up. */
  readonly importance: Float64Array;
  /** How well the model does on rows that training never saw; null where the study asks for no evaluation. */
  readonly evaluation: EvaluationResult | null;
}

/** α is broadcast as a multiple of 2^-24. */
const alphaUnit = 2 ** -24;
/** A tree with no more than this errs on half of the weight, to rounding. */
export const alphaLeast = 2 ** -20;

/**
 * CART-DPsAdaBoost, aggregator side, in the place of the authors' data owner: sums are exact, and the published
 * noise is added here (docs/methods/boosted-trees.md#cart-dps-adaboost).
 * @param random - the operating system's generator
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function cartAdaboostConversation(
  study: CartAdaboostStudy,
  conversation: SumConversation,
  random: RandomSource,
): Promise<CartAdaboostResult> {
  const { trees: most } = study.parameters;
  const kept: BoostedTree[] = [];
  const importance = new Float64Array(study.features.length);
  let about: Broadcast = {};
  let [scale, rows] = [1, 0];
  let labels: Float64Array = new Float64Array(2 ** study.parameters.depth).fill(-1);
  let ended: CartAdaboostResult["ended"] = "all trees are grown";
  for (let number = 1; number <= most; number++) {
    const epsilon = treeBudget(study, kept);
    if (epsilon !== null && !(epsilon > 0)) {
      ended = "the budget is used up";
      break;
    }
    const grower = new TreeGrower({ study, conversation, random, number, epsilon, scale, kept });
    const grown = await grower.grow(about);
    const weight = grown.right + grown.wrong;
    if (number === 1) rows = weight;
    if (rows === 0) {
      ended = "there are no rows";
      break;
    }
    const error = grown.wrong / weight;
    const alpha = alphaOf(error, rows);
    // The tree before errs on half of the new weights but for α's rounding: grown again, it is no better than a coin.
    if (!(alpha > alphaLeast)) {
      ended = "a tree erred on half of the weight";
      break;
    }
    kept.push({ tree: grown.tree(alpha), alpha, error, epsilon });
    grown.importance.forEach((value, f) => {
      importance[f]! += alpha * value;
    });
    labels = grown.labels;
    scale *= rows / (grown.right * Math.exp(-alpha) + grown.wrong * Math.exp(alpha));
    about = {
      [cartAdaboostNames.labels]: grown.labels,
      [cartAdaboostNames.alpha]: Float64Array.of(alpha),
      [cartAdaboostNames.scale]: Float64Array.of(scale),
    };
  }
  const ensemble: TreeEnsemble = { trees: kept.map(({ tree }) => tree), base: [0], link: "margin" };
  const last = { labels, alpha: kept.at(-1)?.alpha ?? 0, trees: kept.length };
  const evaluation = await evaluated(study, conversation, last, ensemble);
  return { ensemble, trees: kept, rows, ended, importance, evaluation };
}

/** Asks for the held-out rows by score and class. */
async function evaluated(
  study: CartAdaboostStudy,
  conversation: SumConversation,
  last: { readonly labels: Float64Array; readonly alpha: number; readonly trees: number },
  ensemble: TreeEnsemble,
): Promise<EvaluationResult | null> {
  const { evaluation } = cartAdaboostLayout(study);
  if (evaluation === null) return null;
  const names = cartAdaboostNames;
  const sum = await conversation.sum(evaluation.id, {
    [names.labels]: last.labels,
    [names.alpha]: Float64Array.of(last.alpha),
    [names.trees]: Float64Array.of(last.trees),
    ...cutsBroadcast(cartAdaboostEvaluationForm, ensemble),
  });
  return conversation.part("evaluation", () =>
    evaluationResult(cartAdaboostEvaluationForm, signedNumbers(sum), 0, ensemble),
  );
}

/**
 * ε_c of the next tree, at most what the trees before have left of ε; null without privacy. Not positive: the budget is used up.
 */
export function treeBudget(
  study: CartAdaboostStudy,
  before: readonly Pick<BoostedTree, "alpha" | "epsilon">[],
): number | null {
  if (study.privacy === "none") return null;
  const { trees, budget } = study.parameters;
  const equal = study.privacy.epsilon / trees;
  const last = before.at(-1);
  if (budget === "equal" || last === undefined) return equal;
  const left = before.reduce((rest, { epsilon }) => rest - epsilon!, study.privacy.epsilon);
  return Math.min(equal - Math.log(last.alpha), left);
}

/** α = ½ ln((1-τ)/τ), to 2^-24. A tree without an error is taken to err on half a row. */
export function alphaOf(error: number, rows: number): number {
  const tau = Math.max(error, 1 / (2 * rows));
  return Math.round((0.5 * Math.log((1 - tau) / tau)) / alphaUnit) * alphaUnit;
}

interface GrownTree {
  /** Weight of the rows that the pruned tree gets right, and wrong. */
  readonly right: number;
  readonly wrong: number;
  readonly labels: Float64Array;
  readonly importance: Float64Array;
  readonly tree: (alpha: number) => Tree;
}

/** What is known of a split that was made. */
interface MadeSplit {
  readonly gain: number;
  readonly cover: number;
}

/** Grows and prunes one tree. */
class TreeGrower {
  readonly #study: CartAdaboostStudy;
  readonly #conversation: SumConversation;
  readonly #random: RandomSource;
  readonly #number: number;
  /** ε' of a level; null without privacy. */
  readonly #levelEpsilon: number | null;
  readonly #scale: number;
  readonly #marginRange: number;
  readonly #features: readonly BinnedFeature[];
  readonly #made = new Map<string, MadeSplit>();

  constructor(options: {
    readonly study: CartAdaboostStudy;
    readonly conversation: SumConversation;
    readonly random: RandomSource;
    readonly number: number;
    readonly epsilon: number | null;
    readonly scale: number;
    readonly kept: readonly BoostedTree[];
  }) {
    const { study, epsilon } = options;
    this.#study = study;
    this.#features = cartAdaboostLayout(study).features;
    this.#conversation = options.conversation;
    this.#random = options.random;
    this.#number = options.number;
    this.#levelEpsilon = epsilon === null ? null : epsilon / (study.parameters.depth + 1);
    this.#scale = options.scale;
    this.#marginRange = options.kept.reduce((sum, { alpha }) => sum + alpha, 0);
  }

  async grow(about: Broadcast): Promise<GrownTree> {
    const stages = cartAdaboostLayout(this.#study).stages.filter(({ tree }) => tree === this.#number);
    const levels: LevelSplits[] = [];
    let broadcast = about;
    let open: readonly boolean[] = [true];
    let weightMost = 1;
    for (const stage of stages.slice(0, -1)) {
      const sums = await this.#sum(stage, broadcast);
      if (stage.level === 0) weightMost = this.#largestWeight(sums.subarray(stage.histogram!.length));
      const splits = this.#splits(stage, sums, open, weightMost);
      levels.push(splits);
      // A node that is not split stays a leaf.
      open = splits.flatMap((split) => [split !== null, split !== null]);
      broadcast = { [cartAdaboostNames.splits]: encodeSetSplits(splits, this.#features) };
    }
    const leaves = await this.#sum(stages.at(-1)!, broadcast);
    return this.#settled(levels, leaves, weightMost);
  }

  async #sum(stage: CartAdaboostStage, broadcast: Broadcast): Promise<Float64Array> {
    const sum = signedNumbers(await this.#conversation.sum(stage.id, broadcast));
    if (!sum.every((value) => value >= 0)) throw new RangeError(`a count of stage ${stage.id} is negative`);
    return sum;
  }

  /** max n·D, from above: to 1/256 of the range of logarithms. */
  #largestWeight(cells: Float64Array): number {
    if (cells.length !== weightCells) throw new RangeError("the weights are counted in other steps");
    const first = cells.findIndex((count) => count > 0);
    return first === -1 ? 1 : largestWeightIn(first, this.#marginRange) * this.#scale;
  }

  #splits(
    stage: CartAdaboostStage,
    sums: Float64Array,
    open: readonly boolean[],
    weightMost: number,
  ): LevelSplits {
    const histogram = stage.histogram!;
    const perNode = 1 + Math.max(...histogram.nodeFeatures.map((asked) => asked.length));
    const uniforms = this.#uniforms(stage.id, open.length * perNode);
    return histogram.nodeFeatures.map((asked, node) => {
      if (!open[node]) return null;
      const own = uniforms.subarray(node * perNode, (node + 1) * perNode);
      const bins = asked.map((_, position) => binsOf(sums, histogram, node, position));
      const counts = countsOf(bins[0]!);
      const cover = counts[0] + counts[1] + this.#laplace(weightMost, this.#halfOfLevel, own[0]!);
      // A noisy count that is not above 0 says that no row is in the node.
      if (!(cover > 0) || counts[0] === 0 || counts[1] === 0) return null;
      const offers = asked.map((feature, p) => this.#offer(feature, asked, bins[p]!, own[1 + p]!));
      const best = leastGini(offers.filter((offer) => offer !== null));
      if (best === null) return null;
      const gain = giniCount(counts) / (counts[0] + counts[1]) - giniAfter(best.left, best.right);
      this.#made.set(`${stage.level} ${node}`, { gain, cover });
      return { feature: best.feature, cut: best.cut };
    });
  }

  /** The cut that a feature offers a node. */
  #offer(feature: number, asked: readonly number[], bins: Float64Array, uniform: number): Candidate | null {
    const declared = this.#study.features[feature]!;
    if (declared.type === "categorical") {
      const isSubset = this.#study.parameters.categoryCuts === "subset";
      return isSubset ? bestSubset(feature, bins) : leastGini(oneLevelCandidates(feature, bins));
    }
    const candidates = orderedCandidates(feature, bins);
    if (this.#levelEpsilon === null) return leastGini(candidates);
    const continuous = asked.filter((one) => this.#features[one]!.kind === "ordered").length;
    return exponentialCut(candidates, {
      widths: intervalWidths(this.#features[feature]!, declared.min),
      epsilon: this.#levelEpsilon / (2 * (continuous + 1)),
      gini: this.#study.parameters.gini,
      uniform,
    });
  }

  #settled(levels: readonly LevelSplits[], leaves: Float64Array, weightMost: number): GrownTree {
    const places = 2 ** levels.length;
    const table = (part: number): Counts[] =>
      Array.from({ length: places }, (_, place) => {
        const at = (part * places + place) * classes;
        return [leaves[at]!, leaves[at + 1]!];
      });
    const [sample, heldOut] = [table(0), table(1)];
    const weights = table(2).map((pair): Counts => [pair[0] * weightUnit, pair[1] * weightUnit]);
    const uniforms = this.#uniforms(`tree-${this.#number}-leaves`, 4 * places);
    let next = 0;
    const pruned = prunedLeaves({
      levels,
      sample,
      heldOut,
      isPruning: this.#study.parameters.holdOut > 0,
      votes: (counts, height) => {
        // A pruned subtree gives its budget to the leaf; half of a level's is for the count of rows.
        const epsilon = this.#levelEpsilon === null ? null : ((1 + height) * this.#levelEpsilon) / 2;
        const noisy = (count: number) => count + this.#laplace(weightMost, epsilon, uniforms[next++]!);
        return [noisy(counts[0]), noisy(counts[1])];
      },
    });
    const mass = (label: number, isRight: boolean) =>
      pruned.labels.reduce(
        (sum, own, place) => sum + (own === label ? weights[place]![(label === 1) === isRight ? 1 : 0]! : 0),
        0,
      );
    return {
      right: mass(1, true) + mass(-1, true),
      wrong: mass(1, false) + mass(-1, false),
      labels: pruned.labels,
      importance: this.#importance(pruned.levels, sample),
      tree: (alpha) =>
        treeOfLevels(
          pruned.levels,
          (level, node) => this.#made.get(`${level} ${node}`)!,
          (place) => ({
            values: [alpha * pruned.labels[place]!],
            cover: sample[place]![0] + sample[place]![1],
          }),
        ),
    };
  }

  #importance(levels: readonly LevelSplits[], sample: readonly Counts[]): Float64Array {
    const [negative, positive] = sample.reduce(added, [0, 0]);
    const rows = Math.max(1, negative + positive);
    const importance = new Float64Array(this.#study.features.length);
    levels.forEach((splits, level) => {
      splits.forEach((split, node) => {
        if (split === null) return;
        const { gain, cover } = this.#made.get(`${level} ${node}`)!;
        importance[split.feature]! += (gain * Math.max(0, cover)) / rows;
      });
    });
    return importance;
  }

  /** What a node's count of rows takes of its level: half; the other half is for its cuts, or for its classes in a leaf. */
  get #halfOfLevel(): number | null {
    return this.#levelEpsilon === null ? null : this.#levelEpsilon / 2;
  }

  /** One draw per stage, taken with privacy alone. */
  #uniforms(name: string, count: number): Float64Array {
    if (this.#levelEpsilon === null) return new Float64Array(count).fill(0.5);
    return drawnUniforms(this.#conversation, { name, count, random: this.#random });
  }

  #laplace(sensitivity: number, epsilon: number | null, uniform: number): number {
    return epsilon === null ? 0 : laplaceAt(sensitivity / epsilon, uniform);
  }
}

const weightUnit = 2 ** -weightExponent;

function countsOf(bins: Float64Array): Counts {
  let [negative, positive] = [0, 0];
  for (let i = 0; i < bins.length; i += classes) {
    negative += bins[i]!;
    positive += bins[i + 1]!;
  }
  return [negative, positive];
}
