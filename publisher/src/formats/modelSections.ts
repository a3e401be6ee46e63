import { isOneOutput } from "@consilium/core/learning/trees/tree";
import type { Figure } from "@consilium/core/release/figures";
import type { Measure, ModelCard } from "@consilium/core/release/modelCard";
import type { InputColumn, Predictor, TreePredictor } from "@consilium/core/release/predictor";
import { english } from "@consilium/runtime/http/spoken";
import { markdownTable, markdownText } from "./escape.js";
import { fileNames, plotFile } from "./files.js";
import { columnsShown, modelInputs, modelSnippet } from "./modelSnippets.js";

/** Sections on a release's model and figures. */

/** What a reader must know of a model before using it. */
export function cardSection({ predicts, trainedOn, evaluation, limits }: ModelCard): string {
  const rows = [
    ["Predicts", markdownText(predicts)],
    ["Trained on", markdownText(trainedOn)],
    ...(evaluation === null ? [] : [["Evaluation", markdownText(evaluation.method)]]),
  ];
  const measured =
    evaluation === null
      ? []
      : [
          markdownTable(
            ["measure", "value", "95 % interval"],
            [
              ...evaluation.measures.map(measureRow),
              ...(evaluation.majority === null
                ? []
                : [["always the most frequent class", decimal(evaluation.majority), ""]]),
              ["held-out rows", String(Math.round(evaluation.rows)), ""],
            ],
          ),
        ];
  return [
    "## Model card",
    markdownTable(["", ""], rows),
    ...measured,
    "Limits of the model:",
    limits.map((limit) => `- ${markdownText(english(limit))}`).join("\n"),
  ].join("\n\n");
}

const decimal = (value: number) => value.toFixed(3);

function measureRow({ name, value, low, high }: Measure): string[] {
  const interval = low === null || high === null ? "" : `${decimal(low)} to ${decimal(high)}`;
  return [markdownText(name), value === null ? "too imprecise to interpret" : decimal(value), interval];
}

/** Code that runs the model on rows of one's own, ready to paste beside the release's files. */
export function runSection(predictor: Predictor): string {
  const xgboost =
    predictor.kind === "trees" && predictor.isXgboost
      ? [
          `\`${fileNames.xgboost}\` holds the same trees for XGBoost: \`xgboost.Booster(model_file="${fileNames.xgboost}")\`. Its rows have a column ` +
            "of 0 and 1 for each level, in the order of its `feature_names`. XGBoost compares in float32, so a number that " +
            `differs from an edge by less than that shows may go the other way there; \`${fileNames.onnx}\` is exact.`,
        ]
      : [];
  return [
    "## Run the model",
    `\`${fileNames.onnx}\` takes rows as the study declares them, one input for each column, and does all preprocessing itself. ` +
      "Python, beside the downloaded file, with `pip install onnxruntime pandas`:",
    `\`\`\`python\n${modelSnippet(modelInputs(predictor))}\n\`\`\``,
    answers(predictor),
    inputsTable(predictor.inputs),
    "A number outside its bounds counts as the nearer bound. For a level that is not listed, or a value missing where none may be, " +
      "the model also gives an answer, but it is meaningless: the study had no such rows.",
    ...xgboost,
  ].join("\n\n");
}

const levelsShown = 12;

function answers(predictor: Predictor): string {
  if (predictor.kind === "linear-map")
    return `It answers each row's ${predictor.outputs.length} coordinates.`;
  if (predictor.kind === "regression") return `It answers of each row ${markdownText(predictor.output)}.`;
  const { name, levels } = predictor.label;
  const shown = levels.slice(0, levelsShown).map(markdownText).join(", ");
  const more = levels.length > levelsShown ? `, and ${levels.length - levelsShown} more` : "";
  return [
    `It answers each row's ${markdownText(name)}, and the probability of each level in this order: ${shown}${more}.`,
    probabilityText(predictor),
  ].join("\n\n");
}

/** How a probability comes about, and where that is derived. */
function probabilityText({ link, probability: { derivation, calibration } }: TreePredictor): string {
  const loss = `How the probabilities come about: ${markdownText(derivation)}`;
  if (calibration === null && !isOneOutput(link)) return loss;
  if (calibration === null)
    return `${loss} They are not calibrated to held-out rows, but what the loss implies: use them to rank rows, and check them on your own rows before reading them as risks.`;
  const { intercept, slope } = calibration;
  const rounded = (x: number) => String(Number(x.toPrecision(6)));
  return (
    `${loss} Counts of held-out rows then calibrated them (docs/methods/evaluation.md#calibration): ` +
    `log-odds = ${rounded(intercept)} + ${rounded(slope)} × those that the loss implies. \`${fileNames.onnx}\` answers the calibrated ones. ` +
    "The label that it answers is the model's own vote, which may differ from the level with the larger probability."
  );
}

function inputsTable(inputs: readonly InputColumn[]): string {
  const shown = inputs.slice(0, columnsShown).map((input) => {
    const { name } = input;
    if (input.type === "numeric") {
      const missing = input.missing === null ? "not expected" : `NaN counts as ${input.missing}`;
      return [markdownText(name), `float64, ${input.min} to ${input.max}`, missing];
    }
    const levels = input.levels.filter((_, i) => i !== input.missing);
    const some = levels.slice(0, levelsShown).map(markdownText).join(", ");
    const all =
      levels.length > levelsShown
        ? `${some}, and ${levels.length - levelsShown} more in \`${fileNames.model}\``
        : some;
    return [markdownText(name), `text: ${all}`, input.missing === null ? "not expected" : "an empty text"];
  });
  const more = inputs.length - shown.length;
  const table = markdownTable(["input", "accepted values", "a missing value"], shown);
  return more > 0 ? `${table}\n\nand ${more} more, in \`${fileNames.model}\`.` : table;
}

export const figureLine = ({ name, title }: Figure) => `![${markdownText(title)}](${plotFile(name)})`;
