import type { CorrelationTree } from "@consilium/core/learning/correlationTree/correlationTree";
import { dpPccConversation } from "@consilium/core/learning/correlationTree/dpPccConversation";
import { dpPccSConversation } from "@consilium/core/learning/correlationTree/dpPccSConversation";
import { pearsonConversation } from "@consilium/core/learning/correlationTree/pearsonConversation";
import {
  correlationTreeCard,
  correlationTreeCaution,
  correlationTreeFigures,
  correlationTreeModel,
  predictorOf,
  treeWarnings,
} from "@consilium/core/learning/correlationTree/release";
import { assertNever } from "@consilium/core/result";
import { asCorrelationTree, type CorrelationTreeStudy } from "@consilium/core/study/correlationTree";
import { osRandom } from "@consilium/runtime/random";
import type { AggregatorAnalysis, AnalysisResult, Conversation } from "./analysis.js";
import { plausible } from "./plausible.js";

/** A correlation tree, aggregator side: its splits, a level or a node at a time, then its leaves. */
export const correlationTree: AggregatorAnalysis = async (conversation): Promise<AnalysisResult> => {
  const study = asCorrelationTree(conversation.study);
  const tree = await grown(study, conversation);
  return {
    model: correlationTreeModel(study, tree),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: factsOf(study, tree),
    notes: notesOf(study, tree),
    predictor: predictorOf(study, tree),
    figures: correlationTreeFigures(study, tree),
    caution: correlationTreeCaution(tree),
    card: correlationTreeCard(study, tree, conversation.survivors),
  };
};

function grown(study: CorrelationTreeStudy, conversation: Conversation): Promise<CorrelationTree> {
  switch (study.method) {
    case "dp-pcc":
      return dpPccConversation({ study, conversation, check: plausible });
    case "dp-pcc-s":
      return dpPccSConversation({ study, conversation, check: plausible });
    case "pearson-tree":
      return pearsonConversation({ study, conversation, random: osRandom, check: plausible });
    default:
      return assertNever(study);
  }
}

function factsOf(study: CorrelationTreeStudy, tree: CorrelationTree): AnalysisResult["facts"] {
  return {
    masking: "pairwise",
    depth: study.parameters.depth,
    noise: noiseOf(study),
    splits: tree.ensemble.trees[0]!.nodes.filter(({ kind }) => kind === "split").length,
    noisyRows: tree.rows,
  };
}

function noiseOf(study: CorrelationTreeStudy): string {
  if (study.privacy === "none") return "none";
  return study.variant === "paper"
    ? "Laplace in the leaves, drawn by the aggregator"
    : "discrete Gaussian, a share from every site";
}

function notesOf(study: CorrelationTreeStudy, tree: CorrelationTree): string[] {
  return [
    "To predict a row: begin at the first node; go left where the value is below edges[cut], for a category where its level is the cut's, else right; a leaf's largest value is the class.",
    gainNotes[study.method],
    numbersNote(study),
    ...treeWarnings(study, tree),
  ];
}

function numbersNote(study: CorrelationTreeStudy): string {
  if (study.privacy === "none") return "No noise was added anywhere.";
  return study.variant === "paper"
    ? "Only the counts in the leaves carry noise. Cuts are values of records, or means of a few of them, as the method publishes them."
    : "All numbers are computed from noisy sums.";
}

const gainNotes: Readonly<Record<CorrelationTreeStudy["method"], string>> = {
  "dp-pcc":
    "A split's gain is |φ|, the correlation of its cut with the class, and importance that of each feature's best cut of all rows.",
  "dp-pcc-s":
    "A split's gain is |φ|, the correlation of its cut with the class, by the counts in the leaves below it; importance is the mean of the blocks' largest |φ|.",
  "pearson-tree":
    "A split's gain is |φ|, the correlation of its cut with the class, by the counts in the leaves below it; importance that of the features asked.",
};
