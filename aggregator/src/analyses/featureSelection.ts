import { type FelpAResult, felpAConversation } from "@consilium/core/learning/felp/anchorConversation";
import { felpSConversation } from "@consilium/core/learning/felp/blocks";
import {
  type FeatureSelectionModel,
  type FeatureSelectionResult,
  featureSelectionCaution,
  featureSelectionModel,
  importanceFigure,
  noisyRows,
} from "@consilium/core/learning/felp/model";
import { paperFelpConversation } from "@consilium/core/learning/felp/paper";
import { asFeatureSelection, type FeatureSelectionStudy } from "@consilium/core/study/featureSelection";
import { namesText } from "@consilium/core/words";
import { osRandom } from "@consilium/runtime/random";
import type { AggregatorAnalysis, AnalysisResult, Conversation } from "./analysis.js";
import { plausible } from "./plausible.js";

/** feature-selection, aggregator side: one or a few sums, a ranking, and how far it can be trusted. */
export const featureSelection: AggregatorAnalysis = async (conversation): Promise<AnalysisResult> => {
  const study = asFeatureSelection(conversation.study);
  const result = await resultOf(study, conversation);
  // Public, and drawn once: a replay comes to the same shares.
  const seed = conversation.draw("public-seed", () => Buffer.from(osRandom.bytes(16)).toString("hex"));
  const model = featureSelectionModel(study, result, seed);
  return {
    model,
    table: null,
    // Of the sound methods the number of rows is known with noise only, or not at all.
    rowsUsed: study.variant === "paper" ? result.rows : null,
    facts: factsOf(study, result, model),
    notes: notesOf(study, model),
    caution: featureSelectionCaution(result),
    figures: [importanceFigure(model)],
  };
};

async function resultOf(
  study: FeatureSelectionStudy,
  conversation: Conversation,
): Promise<FeatureSelectionResult> {
  switch (study.method) {
    case "felp-a":
      return anchored(await felpAConversation(study, conversation, plausible));
    case "felp-s": {
      const { weights, noise } = await felpSConversation(study, conversation, plausible);
      return { weights, noise, classes: null, rows: null };
    }
    default:
      return { ...(await paperFelpConversation(study, conversation, osRandom, plausible)), classes: null };
  }
}

function anchored({ weights, noise, classes }: FelpAResult): FeatureSelectionResult {
  return { weights, noise, classes, rows: noisyRows(classes) };
}

function factsOf(
  study: FeatureSelectionStudy,
  result: FeatureSelectionResult,
  model: FeatureSelectionModel,
): AnalysisResult["facts"] {
  return {
    masking: "pairwise, in the ring of integers modulo 2^64",
    selected: model.selected.length,
    features: model.features.length,
    lambda: study.parameters.lambda,
    noise: noiseWords(study),
    weightStdDev: result.noise?.stdDev.reduce((most, one) => Math.max(most, one)) ?? 0,
    ...(result.rows === null ? {} : { [study.variant === "paper" ? "rows" : "noisyRows"]: result.rows }),
  };
}

function noiseWords(study: FeatureSelectionStudy): string {
  if (study.privacy === "none") return "none";
  switch (study.method) {
    case "felp-a":
    case "felp-s":
      return "discrete Gaussian, a share from every site";
    case "fple":
      return "each site's own, of density falling with its length";
    default:
      return "the aggregator's, of density falling with its length";
  }
}

function notesOf(study: FeatureSelectionStudy, model: FeatureSelectionModel): string[] {
  const notes = [
    `Selected: ${namesText(model.selected)}.`,
    `A weight is ${model.weightMeaning}. model.json has the weights of all features, largest first.`,
  ];
  if (model.features[0]!.stdDev !== null) {
    notes.push(
      "Every weight carries noise of the standard deviation beside it; low and high hold the weight without noise with probability 0.95. topShare says how often a feature is among the selected when as much noise is added once more.",
    );
  }
  if (study.variant === "paper" && study.privacy !== "none") {
    notes.push("Choosing these features for records, and training on them, is another look at the records.");
  }
  return [...notes, ...model.warnings.map((warning) => `Beware: ${warning}.`)];
}
