import { sumOf } from "../../linalg/phi.js";
import type { Broadcast } from "../../study/broadcast.js";
import type { SoundTreeStudy } from "../../study/correlationTree.js";
import {
  type DpPccLayout,
  type DpPccLevel,
  type DpPccStudy,
  dpPccLayout,
  guardRows,
  splitsName,
  valuesName,
} from "../../study/dpPcc.js";
import { evaluationForm } from "../../study/evaluation.js";
import { noiseStdDev, type SoundStage } from "../../study/soundSums.js";
import { evaluationResult } from "../evaluationResult.js";
import { cutsBroadcast } from "../scoreScale.js";
import { type SumConversation, unscaledSum } from "../sums.js";
import { binsOf } from "../trees/histograms.js";
import { encodeSplits, type LevelSplits } from "../trees/levels.js";
import type { Split } from "../trees/tree.js";
import { bestCut, type Cut } from "./bestCut.js";
import {
  type CorrelationTree,
  correlationTree,
  ensembleOfLeaves,
  noisyLeafValues,
  type Worth,
} from "./correlationTree.js";
import { type Importance, importanceOf } from "./importance.js";
import { askedAbove } from "./treeSoFar.js";

/** Runs what judges a sum, and may turn its RangeError into an error of its own. */
export type Check = <T>(judge: () => T) => T;

/**
 * dp-pcc, aggregator side: from each level's noisy counts the cut with the largest |φ| of every node, then the
 * leaves.
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function dpPccConversation(options: {
  readonly study: DpPccStudy;
  readonly conversation: SumConversation;
  readonly check?: Check;
}): Promise<CorrelationTree> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const layout = dpPccLayout(study);
  const levels: LevelSplits[] = [];
  const worths: Worth[][] = [];
  let importance: Importance[] = [];
  for (const level of layout.levels) {
    const told = broadcastOf(levels);
    const sum = await conversation.sum(level.stage.id, told);
    const counts = check(() => unscaledSum(study, level.stage, sum));
    const sites = conversation.survivors;
    if (levels.length === 0) importance = rootImportance(study, layout, counts, sites);
    const chosen = (_: unknown, node: number) =>
      chooseSplit({ study, layout, level, counts, node, levels, sites });
    const found = Array.from({ length: level.histogram.nodeFeatures.length }, chosen);
    worths.push(found.map((one) => one?.worth ?? { gain: 0, cover: 0 }));
    levels.push(found.map((one) => one?.split ?? null));
  }
  const ended = await askLeaves({ study, layout, conversation, check, levels });
  return correlationTree({ features: layout.features, levels, worths, importance, ...ended });
}

/** What is told before the next level, or the leaves. */
export function broadcastOf(levels: readonly LevelSplits[]): Broadcast {
  const last = levels.at(-1);
  return last === undefined ? {} : { [splitsName]: encodeSplits(last) };
}

/** The last stages of both sound methods: the leaves, and how well the tree predicts. */
export async function askLeaves(options: {
  readonly study: SoundTreeStudy;
  readonly layout: Pick<DpPccLayout, "classes" | "leaves" | "evaluation">;
  readonly conversation: SumConversation;
  readonly check: Check;
  readonly levels: readonly LevelSplits[];
}): Promise<Pick<Parameters<typeof correlationTree>[0], "counts" | "values" | "evaluation">> {
  const { study, conversation, check, levels } = options;
  const { classes, leaves, evaluation } = options.layout;
  const ask = async (stage: SoundStage, broadcast: Broadcast) => {
    const sum = await conversation.sum(stage.id, broadcast);
    const counts = check(() => unscaledSum(study, stage, sum));
    return { counts, stdDev: noiseStdDev(study, stage, conversation.survivors) };
  };
  const { counts, stdDev } = await ask(leaves, broadcastOf(levels));
  const values = noisyLeafValues(counts, classes, stdDev);
  if (evaluation === null) return { counts, values, evaluation: null };
  const form = evaluationForm(classes);
  const ensemble = ensembleOfLeaves({ levels, counts, values });
  const held = await ask(evaluation, { [valuesName]: values, ...cutsBroadcast(form, ensemble) });
  return { counts, values, evaluation: evaluationResult(form, held.counts, held.stdDev, ensemble) };
}

/** The best cut of a node over the attributes that its path has not asked; of equal ones the first. */
function chooseSplit(options: {
  readonly study: DpPccStudy;
  readonly layout: DpPccLayout;
  readonly level: DpPccLevel;
  readonly counts: Float64Array;
  readonly node: number;
  /** Of the levels above. */
  readonly levels: readonly LevelSplits[];
  readonly sites: number;
}): { readonly split: Split; readonly worth: Worth } | null {
  const { layout, node, levels } = options;
  const asked = new Set(askedAbove(levels, levels.length, node));
  let best: { readonly split: Split; readonly worth: Worth } | null = null;
  for (let feature = 0; feature < layout.features.length; feature++) {
    if (asked.has(feature)) continue;
    const cut = cutOf({ ...options, feature });
    if (cut === null || cut.correlation <= (best?.worth.gain ?? 0)) continue;
    best = {
      split: { feature, cut: cut.cut },
      worth: { gain: cut.correlation, cover: sumOf(cut.left) + sumOf(cut.right) },
    };
  }
  return best;
}

function cutOf(options: {
  readonly study: DpPccStudy;
  readonly layout: DpPccLayout;
  readonly level: DpPccLevel;
  readonly counts: Float64Array;
  readonly node: number;
  readonly feature: number;
  readonly sites: number;
}): Cut | null {
  const { study, layout, level, counts, node, feature, sites } = options;
  const { kind, bins } = layout.features[feature]!;
  const least = guardRows(study, level, bins, sites);
  return bestCut(binsOf(counts, level.histogram, node, feature), kind, layout.classes, least);
}

/** |φ| of every attribute's best cut of all rows. */
function rootImportance(
  study: DpPccStudy,
  layout: DpPccLayout,
  counts: Float64Array,
  sites: number,
): Importance[] {
  const level = layout.levels[0]!;
  const stdDev = noiseStdDev(study, level.stage, sites);
  return layout.features.map((feature, f) => {
    const cut = cutOf({ study, layout, level, counts, node: 0, feature: f, sites });
    return importanceOf(feature, cut, stdDev);
  });
}
