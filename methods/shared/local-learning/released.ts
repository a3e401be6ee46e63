import { hexOf } from "@consilium/core/bytes";
import type { Conversation, MethodResult } from "@consilium/core/method/aggregatorSide";
import { namesText } from "@consilium/core/words";
import {
  type FeatureSelectionModel,
  type FeatureSelectionResult,
  featureSelectionFinding,
  featureSelectionModel,
  importanceFigure,
  type SelectionStudy,
} from "./model.js";
import { weightsTable } from "./weightsTable.js";

/** What a method says of its weights. */
export interface WeightWords {
  readonly weightMeaning: string;
  /** Where there is noise: whose. */
  readonly noise: string;
  /** What the number of rows is called in the certificate: exact, or with noise. */
  readonly rows: "rows" | "noisyRows";
  /** Beside what is said of every selection. */
  readonly notes?: readonly string[];
}

/** Everything that is released of a selection: a ranking, and how far it can be trusted. */
export function releasedSelection(
  study: SelectionStudy,
  conversation: Pick<Conversation, "draw" | "random" | "part">,
  result: FeatureSelectionResult,
  words: WeightWords,
): MethodResult {
  // Public, and drawn once: a replay comes to the same shares.
  const seed = conversation.draw("public-seed", () => hexOf(conversation.random.bytes(16)));
  const model = featureSelectionModel(study, result, words.weightMeaning, seed);
  return {
    model,
    table: null,
    // Of the sound methods the number of rows is known with noise only, or not at all.
    rowsUsed: words.rows === "rows" ? result.rows : null,
    facts: {
      masking: "pairwise, in the ring of integers modulo 2^64",
      selected: model.selected.length,
      features: model.features.length,
      lambda: study.parameters.lambda,
      noise: study.privacy === "none" ? "none" : words.noise,
      weightStdDev: result.noise?.stdDev.reduce((most, one) => Math.max(most, one)) ?? 0,
      ...(result.rows === null ? {} : { [words.rows]: result.rows }),
    },
    notes: notesOf(model, words.notes ?? []),
    finding: featureSelectionFinding(study, result, model),
    figures: conversation.part("figures", () => [importanceFigure(model)]),
    tables: conversation.part("tables", () => [weightsTable(model)]),
  };
}

function notesOf(model: FeatureSelectionModel, own: readonly string[]): string[] {
  const notes = [
    `Selected: ${namesText(model.selected)}.`,
    `A weight is ${model.weightMeaning}. model.json has the weights of all features, largest first.`,
  ];
  if (model.features[0]!.stdDev !== null) {
    notes.push(
      "Every weight carries noise of the standard deviation beside it; low and high hold the weight without noise with probability 0.95. topShare says how often a feature is among the selected when as much noise is added once more.",
    );
  }
  return [...notes, ...own, ...model.warnings.map((warning) => `Beware: ${warning}.`)];
}
