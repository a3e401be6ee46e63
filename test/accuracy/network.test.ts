import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pcaModelSchema } from "@consilium/methods-paper/elfed-pca/model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { LocalFederation } from "../../scripts/localFederation.js";
import { requirePython } from "../support/python.js";

/**
 * The whole network against numpy: four processes of hospitals, an aggregator and a publisher, noise off. What is
 * published must be what one program computes from all rows together.
 */
const examples = new URL("../../examples/", import.meta.url).pathname;
const hospitals = ["a", "b", "c", "d"].map((letter) => `hospital-${letter}`);

const script = `
import csv, json, sys
import numpy as np

request = json.load(open(sys.argv[1]))
rows, labels = [], []
for path in request["tables"]:
    for record in csv.DictReader(open(path)):
        rows.append([float(record[f["name"]]) for f in request["features"]])
        labels.append(record[request["label"]])
low = np.array([f["min"] for f in request["features"]])
high = np.array([f["max"] for f in request["features"]])
x = (np.clip(np.array(rows), low, high) - low) / (high - low)
mean = x.mean(axis=0)
unit = x - mean
unit /= np.linalg.norm(unit, axis=1)[:, None]
covariance = unit.T @ unit / (len(x) - 1)
values, vectors = np.linalg.eigh(covariance)
values, vectors = values[::-1], vectors[:, ::-1].T
published = np.array(request["loadings"])
k = len(published)
# The part of numpy's subspace that the published one lacks: the sine of the largest principal angle.
sine = np.linalg.norm(published - (published @ vectors[:k].T) @ vectors[:k], 2)
projected = np.column_stack([unit @ published.T, [float(label == request["positive"]) for label in labels]])
released = np.array(request["rows"])
order = lambda m: m[np.lexsort(np.round(m, 6).T)]
print(json.dumps({
    "n": len(x), "mean": mean.tolist(), "values": values.tolist(), "sine": float(sine),
    "rows": float(np.abs(order(projected) - order(released)).max()) if released.shape == projected.shape else None,
}))
`;

const answerSchema = z.object({
  n: z.number(),
  mean: z.array(z.number()),
  values: z.array(z.number()),
  sine: z.number(),
  rows: z.number().nullable(),
});

let home: string;
let federation: LocalFederation;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-accuracy-"));
  federation = await LocalFederation.create(join(home, "federation"), "accuracy");
  for (const id of hospitals) {
    await federation.addSite({ id, tables: { biopsies: `${examples}data/${id}.csv` }, allowNoPrivacy: true });
  }
  await federation.waitForSites();
});

afterAll(async () => {
  await federation?.remove();
  await rm(home, { recursive: true, force: true });
});

it("publishes numpy's mean, eigenvalues, subspace and projected rows, to 1e-9", async (context) => {
  const python = requirePython(context, ["numpy"]);
  const yaml = await readFile(`${examples}studies/wdbc-none.yaml`, "utf8");
  const study = parse(yaml) as { features: { name: string }[]; label: { name: string; levels: string[] } };
  const { id } = await federation.startStudy(yaml);
  const view = await federation.waitForRelease(id);

  const base = view.release!.url;
  const { capturedEnergy, ...rest } = (await (await fetch(`${base}model.json`)).json()) as {
    capturedEnergy: number;
  };
  const model = pcaModelSchema.parse(rest);
  const [, ...lines] = (await (await fetch(`${base}data.csv`)).text()).trim().split(/\r?\n/);
  const positive = study.label.levels[1]!;
  const rows = lines.map((line) => {
    const cells = line.split(",");
    return [...cells.slice(0, -1).map(Number), cells.at(-1) === positive ? 1 : 0];
  });

  const file = join(home, "request.json");
  await writeFile(
    file,
    JSON.stringify({
      tables: hospitals.map((hospital) => `${examples}data/${hospital}.csv`),
      features: study.features,
      label: study.label.name,
      positive,
      loadings: model.loadings,
      rows,
    }),
  );
  const oracle = answerSchema.parse(JSON.parse(await python.run(script, [file])));

  expect(view.rows).toBe(oracle.n);
  expect(model.rows).toBe(oracle.n);
  const meanError = Math.max(...model.mean.map((value, j) => Math.abs(value - oracle.mean[j]!)));
  expect(meanError).toBeLessThanOrEqual(1e-9);
  const k = model.components;
  const valueError = Math.max(...model.eigenvalues.map((value, i) => Math.abs(value - oracle.values[i]!)));
  expect(valueError).toBeLessThanOrEqual(1e-9);
  const gap = oracle.values[k - 1]! - oracle.values[k]!;
  expect(oracle.sine).toBeLessThanOrEqual((1e-9 * oracle.values[0]!) / gap);
  expect(oracle.rows).not.toBeNull();
  expect(oracle.rows).toBeLessThanOrEqual(1e-9);
  const trace = oracle.values.reduce((sum, value) => sum + value, 0);
  const kept = oracle.values.slice(0, k).reduce((sum, value) => sum + value, 0);
  expect(capturedEnergy).toBeCloseTo(kept / trace, 9);
  process.stderr.write(
    `network against numpy: mean ${meanError.toExponential(1)}, eigenvalues ${valueError.toExponential(1)}, ` +
      `sin Θ ${oracle.sine.toExponential(1)}, rows ${oracle.rows?.toExponential(1)}\n`,
  );
});
