import { type InputColumn, inputColumn, type Predictor } from "@consilium/core/release/predictor";
import { z } from "zod";
import { fileNames } from "./files.js";

/** Tables of more columns are read from a file in the example. */
export const columnsShown = 40;

/** What a release's model takes, as far as an example needs it. Stands in datapackage.json beside model.onnx. */
export const modelInputsSchema = z.object({
  kind: z.enum(["trees", "linear-map", "regression"]),
  /** How many columns it takes. */
  count: z.int().min(1),
  /** The first of them, without the edges of trees. */
  inputs: z.array(inputColumn).max(columnsShown),
});

export type ModelInputs = z.output<typeof modelInputsSchema>;

/** Levels of one column that an example needs. */
const levelsMost = 1_000;

export function modelInputs({ kind, inputs }: Predictor): ModelInputs {
  const isShort = inputs.every((input) => input.type === "numeric" || input.levels.length <= levelsMost);
  const shown = inputs.length > columnsShown || !isShort ? [] : inputs;
  return {
    kind,
    count: inputs.length,
    inputs: shown.map((input) => (input.type === "numeric" ? { ...input, edges: [] } : input)),
  };
}

/** What a session answers, by name. */
const outputsOf = {
  trees: "labels, probabilities",
  "linear-map": "coordinates,",
  regression: "predictions,",
} as const;

/** Runs model.onnx beside the code, on a row that any study of these columns may have. */
export function modelSnippet({ kind, inputs }: ModelInputs): string {
  const outputs = outputsOf[kind];
  // JSON's texts and numbers are Python's too.
  const example = inputs.map((input) => `    ${asciiJson(input.name)}: [${asciiJson(exampleOf(input))}],`);
  const table =
    inputs.length === 0
      ? ['table = pd.read_csv("rows.csv")  # rows of your own']
      : ["table = pd.DataFrame({  # rows of your own", ...example, "})"];
  return [
    "import onnxruntime",
    "import pandas as pd",
    "",
    ...table,
    `session = onnxruntime.InferenceSession("${fileNames.onnx}")`,
    "inputs = {}",
    "for column in session.get_inputs():",
    "    values = table[[column.name]]",
    '    if column.type == "tensor(string)":',
    '        inputs[column.name] = values.fillna("").astype(str).to_numpy(object)',
    "    else:",
    '        inputs[column.name] = values.to_numpy("float64")',
    `${outputs} = session.run(None, inputs)`,
    `print(${outputs.replace(/,$/, "")})`,
  ].join("\n");
}

/** The middle of the bounds, or the first level that stands for a value. */
function exampleOf(input: InputColumn): number | string {
  if (input.type === "numeric") return (input.min + input.max) / 2;
  return input.levels.find((_, i) => i !== input.missing) ?? "";
}

/** Runs model.xgb.json beside the code, on the same row as `modelSnippet`. */
export function xgboostSnippet({ inputs }: ModelInputs): string {
  const row = inputs.flatMap((input) =>
    input.type === "numeric"
      ? [asciiJson(exampleOf(input))]
      : input.levels.map((level) => (level === exampleOf(input) ? "1" : "0")),
  );
  const rows =
    row.length === 0
      ? ['rows = np.loadtxt("rows.csv", delimiter=",", ndmin=2)  # rows of your own, in that order']
      : [`rows = np.array([[${row.join(", ")}]], dtype=float)  # rows of your own, in that order`];
  return [
    "import numpy as np",
    "import xgboost",
    "",
    `model = xgboost.Booster(model_file="${fileNames.xgboost}")`,
    "print(model.feature_names)  # numbers, and a column of 0 and 1 for each level",
    ...rows,
    "probabilities = model.predict(xgboost.DMatrix(rows, feature_names=model.feature_names))",
    "print(probabilities)",
  ].join("\n");
}

/** In ASCII alone, so that no character in a name ends a line or a code block. */
function asciiJson(value: string | number): string {
  return JSON.stringify(value).replace(/[^ -_a-~]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}
