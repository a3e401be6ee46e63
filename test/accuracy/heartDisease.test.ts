/**
 * Four real hospitals over real processes: they differ in their patients, and some never recorded what others did. Models of
 * the proven variants predict heart disease better than a constant answer, on each hospital's own patients.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TreePredictor, treePredictorSchema } from "@consilium/core/release/predictor";
import { predictRow, type RawRow } from "@consilium/core/testing/release/predict";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heartFeatures } from "../../bench/src/utility/heartFeatures.js";
import { LocalFederation } from "../../scripts/localFederation.js";
import { datasetFolder } from "./tables.js";

const root = datasetFolder("heart-disease-4sites");

const features = heartFeatures({ sex: ["female", "male"], exang: ["no", "yes"] });
const label = { name: "disease", levels: ["no", "yes"] };

interface Patient {
  readonly hospital: string;
  readonly row: RawRow;
  readonly disease: string;
}

/** How the codes of two columns read. */
const words: Readonly<Record<string, readonly string[]>> = { sex: ["female", "male"], exang: ["no", "yes"] };

async function readPatients(): Promise<Patient[]> {
  const [header, ...lines] = (await readFile(join(root!, "heart_4sites.csv"), "utf8")).trim().split("\n");
  const names = header!.split(",");
  return lines.map((line) => {
    const cells = Object.fromEntries(line.split(",").map((cell, i) => [names[i]!, cell]));
    const row = Object.fromEntries(
      features.map(({ name, type }): [string, string | number | null] => {
        const cell = cells[name]!;
        if (cell === "") return [name, null];
        const code = Number(cell);
        return [name, type === "numeric" ? code : (words[name]?.[code] ?? String(code))];
      }),
    );
    return { hospital: cells.site!.replaceAll("_", "-"), row, disease: Number(cells.num) > 0 ? "yes" : "no" };
  });
}

let patients: Patient[] = [];
let folder = "";
let federation: LocalFederation;

const studyOf = (name: string, more: object) => ({
  name,
  table: "heart",
  features,
  label,
  privacy: { epsilon: 4, delta: 1e-5 },
  participation: { minimumSites: 4, maxRowsPerSite: 400, phaseDeadline: "60s" },
  ...more,
});

const accuracy = (of: readonly Patient[], predict: (patient: Patient) => string) =>
  of.filter((patient) => predict(patient) === patient.disease).length / of.length;

describe.skipIf(root === null)("heart disease at four hospitals", () => {
  beforeAll(async () => {
    patients = await readPatients();
    folder = await mkdtemp(join(tmpdir(), "consilium-heart-"));
    federation = await LocalFederation.create(join(folder, "home"), "heart");
    for (const id of new Set(patients.map(({ hospital }) => hospital))) {
      const path = join(folder, `${id}.csv`);
      const lines = patients
        .filter(({ hospital }) => hospital === id)
        .map(({ row, disease }) => [...features.map(({ name }) => row[name] ?? ""), disease].join(","));
      await writeFile(
        path,
        `${[...features.map(({ name }) => name), "disease"].join(",")}\n${lines.join("\n")}\n`,
      );
      await federation.addSite({ id, tables: { heart: path } });
    }
    await federation.waitForSites();
  });
  afterAll(async () => {
    await federation?.remove();
    if (folder !== "") await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ["boosted-trees", { trees: 5, depth: 2, guard: 1 }],
    ["correlation-tree", { depth: 2, guard: 1 }],
  ])("%s, proven, tells it better than a constant answer", async (analysis, parameters) => {
    const { id } = await federation.startStudy(studyOf(analysis, { analysis, parameters }));
    const view = await federation.waitForRelease(id);
    expect(view.claim).toMatchObject({ verdict: "proved" });
    const model = await (await fetch(`${view.release!.url}model.json`)).json();
    const {
      inputs,
      label: known,
      trees,
      base,
      link,
      probability,
    } = treePredictorSchema.loose().parse({
      kind: "trees",
      isXgboost: false,
      ...(model as object),
    });
    const predictor: TreePredictor = {
      kind: "trees",
      isXgboost: false,
      inputs,
      label: known,
      trees,
      base,
      link,
      probability,
    };
    const told = accuracy(
      patients,
      ({ row }) => predictor.label.levels[predictRow(predictor, row).predicted]!,
    );
    const majority = Math.max(...label.levels.map((level) => accuracy(patients, () => level)));
    expect(majority).toBeCloseTo(0.553, 3);
    // With room for the noise, which is another one each time.
    expect(told).toBeGreaterThan(majority + 0.05);
  });
});
