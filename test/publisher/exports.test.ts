/** What a release lets others run says the same as our own predictor, on every row, edges and missing values included. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOneOutput } from "@consilium/core/learning/trees/tree";
import type { Figure } from "@consilium/core/release/figures";
import type { InputColumn, TreePredictor } from "@consilium/core/release/predictor";
import {
  mapRow,
  predictRow,
  type RawRow,
  type TreePrediction,
} from "@consilium/core/testing/release/predict";
import { onnxModel } from "@consilium/publisher/formats/onnx/model";
import { renderRelease } from "@consilium/publisher/formats/render";
import { xgboostColumns, xgboostJson } from "@consilium/publisher/formats/xgboostJson";
import {
  sampleInputs,
  sampleMap,
  sampleRowsOf,
  sampleTrees,
} from "@consilium/publisher/testing/formats/predictors";
import { sampleContent } from "@consilium/publisher/testing/release";
import { afterAll, describe, expect, type TestContext, test } from "vitest";
import { requirePython, systemPython } from "../support/python.js";

const folder = await mkdtemp(join(tmpdir(), "consilium-exports-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** More levels than a runtime's word has bits. */
const wideInput: InputColumn = {
  name: "ward",
  type: "categorical",
  levels: Array.from({ length: 150 }, (_, level) => `ward ${level}`),
  missing: null,
};
const allInputs = [...sampleInputs, wideInput];

const rows = [
  ...sampleRowsOf(allInputs, 3_000),
  // Beyond the bounds.
  { age: -5, 'height, "cm"': 7, sex: "male", label: "a", ward: "ward 0" },
  { age: 1e9, 'height, "cm"': -7, sex: null, label: "größe", ward: "ward 149" },
];

/** Rows as JSON has them: a missing number is null, a missing level an empty text. */
function columnsOf(inputs: readonly InputColumn[], all: readonly RawRow[]): Record<string, unknown[]> {
  return Object.fromEntries(
    inputs.map((input) => [
      input.name,
      all.map((row) => row[input.name] ?? (input.type === "categorical" ? "" : null)),
    ]),
  );
}

/** Runs each model.onnx of a folder on the same rows, and prints all outputs by the model's name. */
const onnxScript = `
import json, sys, os
import numpy as np
import onnx, onnxruntime
folder, rows = sys.argv[1:]
columns = json.load(open(rows))
found = {}
for name in os.listdir(folder):
    model = os.path.join(folder, name)
    onnx.checker.check_model(onnx.load(model), full_check=True)
    session = onnxruntime.InferenceSession(model)
    inputs = {
        i.name: np.array(columns[i.name], dtype=object if i.type == "tensor(string)" else np.float64).reshape(-1, 1)
        for i in session.get_inputs()
    }
    found[name] = [o.tolist() for o in session.run(None, inputs)]
print(json.dumps(found))
`;

type Outputs = unknown[][][];

const calibration = { intercept: -1.25, slope: 1.75 };
const two = (predictor: TreePredictor): TreePredictor => ({
  ...predictor,
  label: { ...predictor.label, levels: predictor.label.levels.slice(0, 2) },
  base: predictor.base.slice(0, 2),
  trees: predictor.trees.map(({ nodes }) => ({
    nodes: nodes.map((node) =>
      // Frequencies, as correlation trees have them: above 0.
      node.kind === "leaf" ? { ...node, values: node.values.slice(0, 2).map((v) => 0.01 + v ** 2) } : node,
    ),
  })),
});
const treeModels: Readonly<Record<string, TreePredictor>> = {
  logistic: sampleTrees("logistic"),
  margin: sampleTrees("margin"),
  classes: sampleTrees("classes"),
  "sets of levels": sampleTrees("margin", { hasSets: true }),
  "sets of 150 levels": sampleTrees("margin", { hasSets: true, inputs: [wideInput, ...sampleInputs] }),
  softmax: sampleTrees("softmax"),
  "softmax, every tree of all classes": sampleTrees("softmax", { isDense: true }),
  "logistic, calibrated": sampleTrees("logistic", { calibration }),
  "margin, calibrated": sampleTrees("margin", { calibration }),
  "two classes, calibrated": two(sampleTrees("classes", { calibration })),
};
const norms = ["none", "unit", "at-most-one"] as const;
let ran: Promise<Record<string, Outputs>> | undefined;

/** What onnxruntime says of all rows: one process for all models. */
async function outputsOf(context: Pick<TestContext, "skip">, name: string): Promise<Outputs> {
  const python = requirePython(context, ["onnx", "onnxruntime", "numpy"]);
  ran ??= (async () => {
    const models = await mkdtemp(join(folder, "models-"));
    for (const [name, predictor] of Object.entries(treeModels))
      await writeFile(join(models, name), onnxModel(predictor, "a test"));
    for (const norm of norms) await writeFile(join(models, norm), onnxModel(sampleMap(norm), "a test"));
    const data = join(folder, "rows.json");
    await writeFile(data, JSON.stringify(columnsOf(allInputs, rows)));
    return JSON.parse(await python.run(onnxScript, [models, data])) as Record<string, Outputs>;
  })();
  return (await ran)[name]!;
}

describe("model.onnx in onnxruntime", () => {
  test.for(Object.keys(treeModels))("predicts as our trees do: %s", async (name, context) => {
    const predictor = treeModels[name]!;
    const [labels, probabilities] = await outputsOf(context, name);
    const wrong = rows.filter((row, r) => {
      const ours = predictRow(predictor, row);
      const isFar = ours.probabilities.some(
        (p, c) => !(Math.abs((probabilities![r]![c] as number) - p) < 1e-12),
      );
      return isFar || labels![r]![0] !== predictor.label.levels[ours.predicted];
    });
    expect(labels).toHaveLength(rows.length);
    expect(wrong).toEqual([]);
  });

  test.for(norms)("maps as ours does, norm %s", async (norm, context) => {
    const predictor = sampleMap(norm);
    const [coordinates] = await outputsOf(context, norm);
    const wrong = rows.filter((row, r) =>
      mapRow(predictor, row).some((value, i) => !(Math.abs((coordinates![r]![i] as number) - value) < 1e-10)),
    );
    expect(coordinates).toHaveLength(rows.length);
    expect(wrong).toEqual([]);
  });
});

/** Loads each model.xgb.json, and prints its probabilities of every row. */
const xgboostScript = `
import json, sys
import numpy as np, xgboost
table = json.load(open(sys.argv[1]))
matrix = xgboost.DMatrix(np.array(table["rows"], dtype=np.float64), feature_names=table["columns"])
print(json.dumps([xgboost.Booster(model_file=model).predict(matrix).tolist() for model in sys.argv[2:]]))
`;

/** The columns that XGBoost sees: a 0 or 1 for each level. */
function designOf(inputs: readonly InputColumn[], row: RawRow): (number | null)[] {
  return inputs.flatMap((input) => {
    const value = row[input.name] ?? null;
    if (input.type === "numeric") return [value as number | null];
    return input.levels.map((level, i) => Number(value === null ? i === input.missing : level === value));
  });
}

interface XgboostTree {
  left_children: number[];
  right_children: number[];
  split_indices: number[];
  split_conditions: number[];
  default_left: number[];
}

/** What XGBoost's documentation says that the file means, in float32 as it computes. */
function walked(tree: XgboostTree, design: readonly (number | null)[]): number {
  let at = 0;
  while (tree.left_children[at] !== -1) {
    const value = design[tree.split_indices[at]!]!;
    const isLeft =
      value === null
        ? tree.default_left[at] === 1
        : Math.fround(value) < Math.fround(tree.split_conditions[at]!);
    at = isLeft ? tree.left_children[at]! : tree.right_children[at]!;
  }
  return tree.split_conditions[at]!;
}

describe("model.xgb.json", () => {
  // Data that float32 tells from the edges, as XGBoost needs them.
  const plain = rows.filter((row) =>
    sampleInputs.every((input) => {
      const value = row[input.name];
      return (
        input.type === "categorical" ||
        typeof value !== "number" ||
        input.edges.every((edge) => value === edge || Math.fround(value) !== Math.fround(edge))
      );
    }),
  );

  // One score: the probability of two classes' frequencies, calibrated, is no sum of trees. XGBoost splits by no sets here.
  const written = Object.keys(treeModels).filter(
    (name) => name !== "two classes, calibrated" && !name.startsWith("sets of"),
  );

  test.for(written.filter((name) => isOneOutput(treeModels[name]!.link)))(
    "means what our trees say: %s",
    (name) => {
      const predictor = treeModels[name]!;
      const { learner } = JSON.parse(xgboostJson(predictor));
      // XGBoost takes the right child to be the one after the left.
      for (const tree of learner.gradient_booster.model.trees as XgboostTree[])
        expect(tree.right_children).toEqual(tree.left_children.map((left) => (left < 0 ? left : left + 1)));
      const base = Number(learner.learner_model_param.base_score);
      for (const row of plain) {
        const design = designOf(sampleInputs, row);
        const sum = (learner.gradient_booster.model.trees as XgboostTree[])
          .map((tree) => walked(tree, design))
          .reduce((a, b) => a + b, Math.log(base / (1 - base)));
        const ours = predictRow(predictor, row).probabilities[1]!;
        expect(Math.abs(1 / (1 + Math.exp(-sum)) - ours)).toBeLessThan(1e-5);
      }
    },
  );

  test("predicts so in XGBoost, whatever the link", async () => {
    expect(plain.length).toBeGreaterThan(1_000);
    // Where the system has no XGBoost the test above is what there is.
    const python = systemPython(["xgboost", "numpy"]);
    if (python === null) return;
    const data = join(folder, "design.json");
    const design = plain.map((row) => designOf(sampleInputs, row));
    await writeFile(data, JSON.stringify({ columns: xgboostColumns(sampleInputs), rows: design }));
    const models = written.map((name) => join(folder, `${name}.xgb.json`));
    for (const [i, name] of written.entries()) await writeFile(models[i]!, xgboostJson(treeModels[name]!));
    const found = JSON.parse(await python.run(xgboostScript, [data, ...models])) as (number | number[])[][];
    written.forEach((name, i) => {
      const predictor = treeModels[name]!;
      const wrong = plain.filter((row, r) => !agrees(found[i]![r]!, predictRow(predictor, row)));
      expect([name, found[i]!.length, wrong]).toEqual([name, plain.length, []]);
    });
  });
});

/** Whether XGBoost's probabilities are ours: of several classes its own, the softmax of the outputs. */
function agrees(theirs: number | number[], { outputs, probabilities }: TreePrediction): boolean {
  if (typeof theirs === "number") return Math.abs(theirs - probabilities[1]!) < 1e-5;
  const weights = Array.from(outputs, Math.exp);
  const total = weights.reduce((a, b) => a + b);
  return theirs.every((p, c) => Math.abs(p - weights[c]! / total) < 1e-5);
}

describe("a rendered release", () => {
  const predictor = sampleTrees("classes");
  const figures: Figure[] = [
    { kind: "tree", name: "tree", title: "A tree & more", tree: 0 },
    {
      kind: "bars",
      name: "bars",
      title: "Bars",
      valueLabel: "gain",
      bars: Array.from({ length: 70 }, (_, i) => ({
        label: `feature <${i}>\u0001 🫀`,
        value: 70 - i,
        low: 60 - i,
        high: 80 - i,
      })),
    },
  ];
  const content = sampleContent({ columns: [], rows: 0, predictor, figures });

  async function rendered(): Promise<string> {
    const release = await mkdtemp(join(folder, "release-"));
    const dataPath = join(folder, "no-rows");
    await writeFile(dataPath, "");
    const scratch = join(folder, "scratch");
    await renderRelease({
      content,
      dataPath,
      folder: release,
      scratch,
      baseUrl: "https://example.org/r/",
    });
    return release;
  }

  test("has code in its dictionary that runs as it stands", async (context) => {
    const python = requirePython(context, ["onnxruntime", "pandas"]);
    const release = await rendered();
    const readme = await readFile(join(release, "DICTIONARY.md"), "utf8");
    const code = /## Run the model[\s\S]*?```python\n([\s\S]*?)\n```/.exec(readme)![1]!;
    const script = `import os, sys\nos.chdir(sys.argv[1])\n${code}\nprint(labels[0][0], probabilities.shape)`;
    const row = Object.fromEntries(
      sampleInputs.map((input) => [
        input.name,
        input.type === "numeric" ? (input.min + input.max) / 2 : input.levels[0]!,
      ]),
    );
    const { predicted } = predictRow(predictor, row);
    const printed = (await python.run(script, [release])).trim().split("\n");
    expect(printed.at(-1)).toBe(`${predictor.label.levels[predicted]} (1, 3)`);
  });

  test("has figures that an XML parser reads, with title and description", async (context) => {
    const python = requirePython(context, []);
    const release = await rendered();
    const script = [
      "import sys, xml.etree.ElementTree as e",
      "for path in sys.argv[1:]:",
      "    root = e.parse(path).getroot()",
      '    ns = "{http://www.w3.org/2000/svg}"',
      '    assert root.tag == ns + "svg" and root.get("role") == "img"',
      '    assert root.find(ns + "title").text and root.find(ns + "desc").text',
      '    print(len(root.findall(ns + "text")))',
    ].join("\n");
    const paths = figures.map(({ name }) => join(release, "plots", `${name}.svg`));
    const counts = (await python.run(script, paths)).trim().split("\n").map(Number);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });
});
