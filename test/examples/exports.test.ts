/** What the example studies' analyses make of the bundled table is a release that renders, and whose model runs. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { mapRow, predictRow, type RawRow, regressionRow } from "@consilium/core/testing/release/predict";
import { aloneInTests } from "@consilium/methods/testing/aggregatorSums";
import { siteVector } from "@consilium/methods/testing/families";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { renderRelease } from "@consilium/publisher/formats/render";
import { sampleContent } from "@consilium/publisher/testing/release";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { requirePython } from "../support/python.js";

const folder = await mkdtemp(join(tmpdir(), "consilium-examples-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const examples = new URL("../../examples/", import.meta.url);
const studies = readdirSync(new URL("studies/", examples))
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => unwrap(parseStudy(parse(readFileSync(new URL(`studies/${file}`, examples), "utf8")))))
  // The others exchange rows or tags too, which one process has no part for.
  .filter((study) => planStudy(study).stages.every(({ kind }) => kind === "sum"));

function tableOf(name: string): Record<string, string>[] {
  const [header, ...lines] = readFileSync(new URL(`data/${name}.csv`, examples), "utf8")
    .trim()
    .split("\n");
  const names = header!.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((value, i) => [names[i]!, value])));
}

const letters = ["a", "b", "c", "d"];
const biopsies = letters.map((letter) => tableOf(`hospital-${letter}`));
const trial = letters.map((letter) => tableOf(`trial/hospital-${letter}`));
const hospitalsOf = ({ table }: Study) => (table === "trial" ? trial : biopsies);

function blockOf(study: Study, rows: readonly Record<string, string>[]): ColumnBlock {
  const { label } = study;
  return {
    rows: rows.length,
    columns: study.features.map((feature) =>
      Float64Array.from(rows, (row) => {
        const cell = row[feature.name]!;
        return feature.type === "categorical" ? feature.levels.indexOf(cell) : Number(cell);
      }),
    ),
    labels:
      label === undefined ? null : Uint16Array.from(rows, (row) => label.levels.indexOf(row[label.name]!)),
  };
}

/** The study with all hospitals and the aggregator in one process, by the code of either's process. */
function run(study: Study): Promise<MethodResult> {
  const none = () => {
    throw new Error("no such stage here");
  };
  return simulateSums({
    plan: planStudy(study),
    tables: hospitalsOf(study).map((rows) => [blockOf(study, rows)]),
    kernels: plainKernels(),
    random: seededRandom("noise of the sites"),
    vector: async (stage, input) => siteVector(study, stage, input),
    run: async (conversation) => {
      const whole: Conversation = {
        ...aloneInTests,
        sites: conversation.sites,
        get survivors() {
          return conversation.survivors;
        },
        kernels: conversation.kernels,
        sum: (stage, broadcast) => conversation.sum(stage, broadcast),
        draw: (name, make) => conversation.draw(name, make),
        study,
        rows: none,
        tags: none,
        async writeRows(path, shape, parts) {
          let rows = 0;
          for await (const part of parts) rows += part.rows;
          return { path, rows, ...shape };
        },
      };
      return (await aggregatorSideOf(study))(whole);
    },
  });
}

const script = `
import json, sys
import numpy as np
import onnxruntime
model, rows = sys.argv[1:]
columns = json.load(open(rows))
session = onnxruntime.InferenceSession(model)
types = {"tensor(double)": np.float64, "tensor(string)": object}
inputs = {i.name: np.array(columns[i.name], dtype=types[i.type]).reshape(-1, 1) for i in session.get_inputs()}
print(json.dumps([o.tolist() for o in session.run(None, inputs)]))
`;

describe.each(studies.map((study) => [study.name, study] as const))("the example %s", (name, study) => {
  test("becomes a release whose model runs, and answers as our own predictor", async (context) => {
    const python = requirePython(context, ["onnxruntime", "numpy"]);
    const { model, notes, predictor, figures, card } = await run(study);
    const content = sampleContent({
      columns: [],
      rows: 0,
      model: model as ReturnType<typeof sampleContent>["model"],
      notes: [...notes],
      ...(predictor ? { predictor } : {}),
      ...(figures ? { figures: [...figures] } : {}),
      ...(card ? { card } : {}),
    });
    const release = await mkdtemp(join(folder, `${name}-`));
    const dataPath = join(folder, "no-rows");
    await writeFile(dataPath, "");
    const scratch = join(folder, "scratch");
    const files = await renderRelease({
      content,
      dataPath,
      folder: release,
      scratch,
      baseUrl: "https://example.org/r/",
    });
    expect(files.map((file) => file.name).filter((file) => file.startsWith("plots/"))).toHaveLength(
      figures?.length ?? 0,
    );
    if (!predictor) return;
    const readme = await readFile(join(release, "DICTIONARY.md"), "utf8");
    expect(readme.includes("## Model card")).toBe(predictor.kind !== "linear-map");
    const rows: RawRow[] = hospitalsOf(study)
      .flat()
      .map((row) =>
        Object.fromEntries(
          predictor.inputs.map(({ name, type }) => [
            name,
            type === "numeric" ? Number(row[name]) : row[name]!,
          ]),
        ),
      );
    const data = join(folder, "rows.json");
    const columns = predictor.inputs.map((input) => [input.name, rows.map((row) => row[input.name])]);
    await writeFile(data, JSON.stringify(Object.fromEntries(columns)));
    const output = await python.run(script, [join(release, "model.onnx"), data]);
    const [first, second] = JSON.parse(output) as (number | string)[][][];
    const wrong = rows.filter((row, r) => {
      if (predictor.kind === "linear-map")
        return mapRow(predictor, row).some(
          (value, i) => !(Math.abs((first![r]![i] as number) - value) < 1e-9),
        );
      if (predictor.kind === "regression")
        return !(Math.abs((first![r]![0] as number) - regressionRow(predictor, row)) < 1e-9);
      const { predicted, probabilities } = predictRow(predictor, row);
      return (
        first![r]![0] !== predictor.label.levels[predicted] ||
        probabilities.some((p, c) => !(Math.abs((second![r]![c] as number) - p) < 1e-9))
      );
    });
    expect(wrong).toEqual([]);
  });
});
