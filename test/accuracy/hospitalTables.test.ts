/**
 * Every method that sums, over every kind of table that hospitals have, from the CSV file to what is released: no figure is
 * missing, impossible, or far from what further patients of the same kind show.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { type TreePredictor, treePredictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { predictRow, type RawRow } from "@consilium/core/testing/release/predict";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { aloneInTests } from "@consilium/methods/testing/aggregatorSums";
import { siteVector } from "@consilium/methods/testing/families";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { processSecret } from "@consilium/site-agent/data/rowHash";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cell, csvOf, drawnRows, type HospitalTable, hospitalTables } from "./hospitalTables.js";

const evaluation = { heldOut: 0.3, share: 0.1 };
const methods: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "dp-pca": { analysis: "pca", parameters: { components: 2 } },
  "felp-a": { analysis: "feature-selection", parameters: { select: 1 } },
  "felp-s": { analysis: "feature-selection", parameters: { select: 1, blocks: 20 } },
  "dp-histboost": { analysis: "boosted-trees", parameters: { trees: 10, depth: 1, evaluation } },
  "dp-additive": { analysis: "boosted-trees", parameters: { evaluation } },
  "dp-ka": {
    analysis: "k-anonymous-selection",
    parameters: { k: 5, bins: 6, trees: 2, depth: 1, evaluation },
  },
  "dp-pcc": { analysis: "correlation-tree", parameters: { depth: 1, bins: 6, evaluation } },
  "dp-pcc-s": { analysis: "correlation-tree", parameters: { depth: 1, bins: 6, blocks: 20, evaluation } },
  "cart-dps-adaboost": {
    analysis: "boosted-trees",
    variant: "paper",
    parameters: { trees: 3, depth: 2, evaluation },
  },
  "pearson-tree": { analysis: "correlation-tree", variant: "paper", parameters: { depth: 1, evaluation } },
};

const kernels = plainKernels();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-hospital-tables-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function studyOf(table: HospitalTable, method: string, own: object) {
  const parsed = parseStudy({
    name: "tables",
    table: "patients",
    method,
    features: table.features,
    label: { name: "outcome", levels: table.levels },
    privacy: { epsilon: 4, delta: 1e-5 },
    participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
    ...own,
  });
  return parsed.ok ? { ...parsed, value: studyOnRoster(parsed.value, 3) } : parsed;
}

/** What each of three sites has of a table, through its own reading of a file. */
async function blocksOf(table: HospitalTable, study: Study): Promise<ColumnBlock[][]> {
  const sites: ColumnBlock[][] = [];
  for (const [site, rows] of table.rows.entries()) {
    const path = join(folder, `${table.name} ${site}.csv`);
    await writeFile(path, csvOf(table, drawnRows(table, site, rows, "trained on")));
    const config = tableConfigSchema.parse({ name: "patients", path, csv: { header: true }, unit: "rows" });
    const blocks: ColumnBlock[] = [];
    for await (const block of new ConfiguredTables([config], folder, processSecret).read(
      study,
      () => undefined,
    ))
      blocks.push({
        rows: block.rows,
        columns: block.columns.map((column) => column.slice(0, block.rows)),
        labels: block.labels?.slice(0, block.rows) ?? null,
      } as ColumnBlock);
    sites.push(blocks);
  }
  return sites;
}

async function released(study: Study, tables: readonly ColumnBlock[][]): Promise<MethodResult> {
  const nothing = () => {
    throw new Error("these methods ask for sums alone");
  };
  const writeRows: Conversation["writeRows"] = async (_name, shape, parts) => {
    let rows = 0;
    for await (const part of parts as AsyncIterable<RowsPart>) {
      expect(part.values.every(Number.isFinite)).toBe(true);
      rows += part.rows;
    }
    return { path: "", rows, ...shape };
  };
  return simulateSums({
    plan: planStudy(study),
    tables,
    kernels,
    random: seededRandom(`${study.method} noise`),
    vector: async (id, input) => siteVector(study, id, input),
    run: async (sums) =>
      (await aggregatorSideOf(study))({
        ...sums,
        ...aloneInTests,
        study,
        rows: nothing,
        tags: nothing,
        writeRows,
      }),
  });
}

/** Further patients of the same kind, as somebody who has the model would write them down. */
interface Patient {
  readonly row: RawRow;
  readonly label: string;
}

const furtherRows = 4000;

const rowsOf = (table: HospitalTable) => table.rows.reduce((sum, rows) => sum + rows, 0);

function furtherPatients(table: HospitalTable): Patient[] {
  const all = rowsOf(table);
  return table.rows
    .flatMap((rows, site) => drawnRows(table, site, Math.round((furtherRows * rows) / all), "further"))
    .filter((cells) => isUsed(table, cells))
    .map((cells) => ({
      row: Object.fromEntries(table.features.map(({ name }, j) => [String(name), cells[j]!])),
      label: String(cells.at(-1)),
    }));
}

function isUsed({ features, levels }: HospitalTable, cells: readonly Cell[]): boolean {
  return (
    levels.includes(String(cells.at(-1))) &&
    features.every(({ type, levels: own, missing }, j) => {
      const cell = cells[j]!;
      if (cell === null) return missing !== undefined;
      return type === "numeric" ? typeof cell === "number" : (own as string[]).includes(String(cell));
    })
  );
}

const logit = (p: number) => Math.log(p / (1 - p));

/** What a model and its card state, against further patients. */
function expectHonest(predictor: TreePredictor, card: unknown, patients: readonly Patient[]): void {
  const { label } = predictor;
  const told = patients.map(({ row }) => predictRow(predictor, row));
  for (const { probabilities } of told) {
    expect(probabilities.every((p) => p >= 0 && p <= 1)).toBe(true);
    expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6);
  }
  const rightly = told.filter(({ predicted }, i) => label.levels[predicted] === patients[i]!.label).length;
  const { evaluation: measured } = modelCardSchema.parse(card);
  expect(measured).not.toBeNull();
  for (const { name, value, low, high } of measured!.measures) {
    // Null is too imprecise to interpret.
    if (value === null) continue;
    expect([name, Number.isFinite(value)]).toEqual([name, true]);
    if (low !== null && high !== null) expect([name, low <= value && value <= high]).toEqual([name, true]);
  }
  const accuracy = measured!.measures.find(({ name }) => name === "accuracy");
  if (accuracy === undefined || accuracy.value === null) return;
  // Twice an 95 % interval holds all but one of ten thousand, and further patients vary too.
  const [low, high] = [2 * accuracy.low! - accuracy.value - 0.02, 2 * accuracy.high! - accuracy.value + 0.02];
  expect(rightly / patients.length).toBeGreaterThanOrEqual(low);
  expect(rightly / patients.length).toBeLessThanOrEqual(high);
}

/** How often each outcome is foretold on average, and how often it comes. */
function expectCalibrated(predictor: TreePredictor, patients: readonly Patient[]): void {
  const last = predictor.label.levels.length - 1;
  const foretold =
    patients.reduce((sum, { row }) => sum + predictRow(predictor, row).probabilities[last]!, 0) /
    patients.length;
  const came =
    patients.filter(({ label }) => label === predictor.label.levels[last]).length / patients.length;
  expect(Math.abs(logit(foretold) - logit(came))).toBeLessThan(0.8);
}

/** In the gate every other method, of the next table the others. */
const triedOn = (table: HospitalTable) =>
  Object.entries(methods).filter((_, at) => isWholeRun || (at + hospitalTables.indexOf(table)) % 2 === 0);

describe.each(hospitalTables)("$name", (table) => {
  it("gives no method a wrong figure", async () => {
    const patients = furtherPatients(table);
    const any = unwrap(studyOf(table, "dp-pcc", methods["dp-pcc"]!));
    const tables = await blocksOf(table, any);
    const run: string[] = [];
    for (const [method, own] of triedOn(table)) {
      const study = studyOf(table, method, own);
      if (!study.ok) {
        // A method that tells two classes apart says so before anything runs.
        expect([method, table.levels.length > 2, study.error.message]).toEqual([
          method,
          true,
          expect.stringMatching(/two/),
        ]);
        continue;
      }
      const result = await released(study.value, tables);
      // Canonical JSON has no NaN and no infinity.
      expect(canonicalJson(result.model).length).toBeGreaterThan(2);
      for (const note of result.notes) expect(note).not.toMatch(/NaN|Infinity|undefined|null/);
      if (result.predictor?.kind === "trees") {
        const predictor = treePredictorSchema.parse(result.predictor);
        try {
          expectHonest(predictor, result.card, patients);
          // Of fewer rows the level itself is hardly known, and the card says how little.
          if (predictor.probability.calibration !== null && rowsOf(table) > 1000)
            expectCalibrated(predictor, patients);
        } catch (thrown) {
          throw new Error(`${method}: ${(thrown as Error).message}`, { cause: thrown });
        }
      }
      run.push(method);
    }
    expect(run.length).toBeGreaterThanOrEqual(
      table.levels.length > 2 ? inGate(2, { whole: 6 }) : triedOn(table).length,
    );
  });
});

describe("the comparison catches", () => {
  const table = hospitalTables[0]!;
  const patients = furtherPatients(table);
  const trained = async () => {
    const study = unwrap(studyOf(table, "dp-histboost", methods["dp-histboost"]!));
    const { predictor, card } = await released(study, await blocksOf(table, study));
    return { predictor: treePredictorSchema.parse(predictor), card: modelCardSchema.parse(card) };
  };

  it("a card that states a better accuracy than there is", async () => {
    const { predictor, card } = await trained();
    expectHonest(predictor, card, patients);
    const measures = card.evaluation!.measures.map((one) =>
      one.name === "accuracy"
        ? { ...one, value: one.value! + 0.2, low: one.low! + 0.2, high: one.high! + 0.2 }
        : one,
    );
    const lying = { ...card, evaluation: { ...card.evaluation!, measures } };
    expect(() => expectHonest(predictor, lying, patients)).toThrow();
  });

  it("probabilities that are not calibrated", async () => {
    const { predictor } = await trained();
    expectCalibrated(predictor, patients);
    const { probability } = predictor;
    const calibration = { intercept: (probability.calibration?.intercept ?? 0) + 1.2, slope: 1 };
    const wrong = { ...predictor, probability: { ...probability, calibration } };
    expect(() => expectCalibrated(wrong, patients)).toThrow();
  });
});
