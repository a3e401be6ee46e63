import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulatedSite, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { releaseContentSchema } from "@consilium/core/release/content";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { predictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, rowBytes } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { readRows } from "@consilium/runtime/release/madeRows";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aloneInTests } from "../testing/aggregatorSums.js";
import { asKAnonymous, type KAnonymousStudy, siteRows } from "../testing/families.js";
import { simulateSelection } from "../testing/kAnonymous/simulation.js";
import { parseStudy } from "../testing/studies.js";

const kernels = plainKernels();

const studyOf = (change: object = {}): KAnonymousStudy =>
  asKAnonymous(
    unwrap(
      parseStudy({
        name: "seat",
        table: "t",
        analysis: "k-anonymous-selection",
        features: [
          { name: "age", type: "numeric", min: 0, max: 100, edges: [50], unit: "years" },
          { name: "ward", type: "categorical", levels: ["a", "b", "c"] },
          { name: "room", type: "numeric", min: 0, max: 400, edges: [100, 200, 300] },
        ],
        label: { name: "ill", levels: ["no", "yes"] },
        privacy: "none",
        participation: { minimumSites: 3, maxRowsPerSite: 1000, sites: ["a", "b", "c"] },
        ...change,
      }),
    ),
  );

/** Illness goes with the ward; all rooms but one are full. */
const tables = [0, 1, 2].map((site): ColumnBlock => {
  const rows = 120;
  const ward = Float64Array.from({ length: rows }, (_, r) => (r + site) % 3);
  return {
    rows,
    columns: [
      Float64Array.from({ length: rows }, (_, r) => (r * 37) % 100),
      ward,
      Float64Array.from({ length: rows }, (_, r) => (site === 0 && r === 5 ? 350 : (r * 53) % 300)),
    ],
    labels: Uint16Array.from({ length: rows }, (_, r) => (ward[r] === 1 && r % 7 !== 0 ? 1 : 0)),
  };
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-k-anonymous-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Seen {
  readonly asked: string[];
  readonly parts: RowsPart[];
  readonly result: MethodResult;
}

/** @param alter - what a site makes of its rows before it sends them */
function seated(study: KAnonymousStudy, alter = (bytes: Buffer) => bytes): Promise<Seen> {
  const asked: string[] = [];
  const parts: RowsPart[] = [];
  const broadcasts = new Map<string, Broadcast>();
  return simulateSelection({
    study,
    tables: tables.map((table) => [table]),
    kernels,
    random: seededRandom("noise of the sites"),
    async run(simulated) {
      const conversation: Conversation = {
        ...aloneInTests,
        ...simulated,
        study,
        readRows,
        sum(id, told) {
          asked.push(id);
          return simulated.sum(id, told);
        },
        tags(id, told) {
          asked.push(id);
          broadcasts.set(id, told);
          return simulated.tags(id, told);
        },
        async rows(id, told) {
          asked.push(id);
          broadcasts.set(id, told);
          const path = join(folder, "rows");
          const bytes = alter(await sentRows(study, broadcasts));
          await writeFile(path, bytes);
          const { length } = study.features;
          return { path, rows: bytes.length / rowBytes(length, true), columns: length, levels: 1 };
        },
        async writeRows(name, shape, written) {
          for await (const part of written) parts.push(part);
          return { path: name, rows: parts.reduce((sum, part) => sum + part.rows, 0), ...shape };
        },
      };
      return { asked, parts, result: await (await aggregatorSideOf(study))(conversation) };
    },
  });
}

async function sentRows(study: KAnonymousStudy, broadcasts: ReadonlyMap<string, Broadcast>): Promise<Buffer> {
  const stride = rowBytes(study.features.length, true);
  const files: Buffer[] = [];
  for (const [index, table] of tables.entries()) {
    const rows = siteRows(study, "rows" as never, {
      site: simulatedSite(index),
      sites: 3,
      broadcasts: broadcasts as never,
      blocks: streamed([table]),
      kernels,
      random: seededRandom("noise of the sites"),
    });
    for await (const part of rows) {
      const bytes = Buffer.alloc(part.rows * stride);
      for (let r = 0; r < part.rows; r++) {
        for (let j = 0; j < 3; j++) bytes.writeDoubleLE(part.values[r * 3 + j]!, r * stride + j * 8);
        bytes.writeUInt16LE(part.labels![r]!, r * stride + 24);
      }
      files.push(bytes);
    }
  }
  return Buffer.concat(files);
}

/** Everything that the release is made of keeps to its schema. */
function expectReleasable({ model, table, predictor, figures, card, notes }: MethodResult): void {
  for (const figure of figures!) figureSchema.parse(figure);
  if (predictor) predictorSchema.parse(predictor);
  if (card) modelCardSchema.parse(card);
  const fields = releaseContentSchema.parse({
    format: "consilium-release/1",
    id: "seat-0123456789",
    title: "t",
    description: "",
    license: null,
    creator: null,
    createdAt: new Date(0).toISOString(),
    access: "open",
    study: { id: "s", name: "s", hash: "0".repeat(64), analysis: "a", method: "m", variant: "v" },
    privacyStatement: "p",
    privacy: {
      verdict: "no privacy",
      epsilon: null,
      delta: null,
      neighbouringRelation: "none",
      unit: "nobody",
      proof: null,
      reasons: [],
      countersigned: { by: 3, of: 3 },
    },
    columns: table?.columns ?? [],
    rows: table?.rows.rows ?? 0,
    model,
    notes,
  });
  expect(fields.columns.every(({ type }) => type === "level")).toBe(true);
}

describe("XGB-KA, aggregator side", () => {
  const study = studyOf({ variant: "paper", parameters: { k: 20, trees: 2 } });

  it("asks for trees, one test for each feature and the rows, and releases what was selected", async () => {
    const { asked, parts, result } = await seated(study);
    expect(asked).toEqual(planStudy(study).stages.map(({ id }) => id));
    expectReleasable(result);
    // The lone patient in the fourth room keeps that column back.
    expect(result.model).toMatchObject({ selected: ["ward", "age"], k: 20 });
    expect(result.table!.columns).toMatchObject([
      { name: "age", levels: ["[0, 50)", "[50, 100]"], description: "The interval, in years of a row" },
      { name: "ward", levels: ["a", "b", "c"] },
      { name: "ill", levels: ["no", "yes"] },
    ]);
    expect(result.table!.rows).toMatchObject({ rows: 360, columns: 0, levels: 3 });
    const released = parts.flatMap(({ rows, labels }) =>
      Array.from({ length: rows }, (_, r) => [...labels!.slice(3 * r, 3 * r + 3)].join()),
    );
    const expected = tables.flatMap(({ rows, columns, labels }) =>
      Array.from({ length: rows }, (_, r) =>
        [columns[0]![r]! < 50 ? 0 : 1, columns[1]![r], labels![r]].join(),
      ),
    );
    expect(released.sort()).toEqual(expected.sort());
    expect(result.rowsUsed).toBe(360);
    expect(result.facts).toMatchObject({ groups: 6, selected: 2, tests: 3 });
    expect(result.predictor).toMatchObject({ kind: "trees", isXgboost: true });
  });

  it("publishes no rows that are not those that were tested", async () => {
    const alien = (bytes: Buffer) => {
      bytes.writeDoubleLE(7, 8);
      return bytes;
    };
    await expect(seated(study, alien)).rejects.toMatchObject({ code: "SUM_IMPLAUSIBLE" });
    const few = (bytes: Buffer) => bytes.subarray(0, 26 * 30);
    await expect(seated(study, few)).rejects.toThrow('xgb-ka.fewer-rows {"k":20}');
  });

  it("by Greedy-Hamdist has no model to run, and no rows where nothing is selected", async () => {
    const { asked, result } = await seated(
      studyOf({ variant: "paper", method: "greedy-hamdist", parameters: { k: 350 } }),
    );
    expect(asked).toEqual(["histogram", "test-1", "test-2", "test-3"]);
    expectReleasable(result);
    expect([result.table, result.predictor, result.card]).toEqual([null, null, null]);
    expect(result.notes.join(" ")).toContain("No feature could be released in groups of 350 rows");
  });
});

describe("dp-ka, aggregator side", () => {
  it("releases a noisy table written out, and no exact number", async () => {
    const study = studyOf({
      privacy: { epsilon: 30, delta: 1e-6 },
      parameters: { k: 5, trees: 1, maxCells: 12 },
    });
    const { asked, parts, result } = await seated(study);
    expectReleasable(result);
    expect(asked.slice(0, 3)).toEqual(["tree-1-level-1", "tree-1-level-2", "count"]);
    expect(asked.slice(-2)).toEqual(["table", "evaluation"]);
    expect(result.rowsUsed).toBeNull();
    const { rows, table } = result.model as { rows: number; table: { kept: { counts: number[] }[] } };
    // A fifth or so is held out.
    expect(Math.abs(rows - 290)).toBeLessThan(90);
    expect(result.card!.evaluation!.measures[0]!.name).toBe("accuracy");
    expect(Math.abs(result.card!.evaluation!.rows - 70)).toBeLessThan(90);
    const written = table.kept.flatMap(({ counts }) => counts.map((count) => Math.max(0, Math.round(count))));
    expect(result.table!.rows.rows).toBe(written.reduce((sum, count) => sum + count, 0));
    const width = result.table!.columns.length;
    for (const { rows: count, labels } of parts) expect(labels!).toHaveLength(count * width);
    const importance = result.figures!.find(({ name }) => name === "importance")!;
    expect(importance.kind === "bars" && importance.bars[0]!.low).not.toBeNull();
    expect(result.card!.limits.length).toBeGreaterThan(1);
  });

  it("by one histogram says so, and releases naive Bayes of the same counts, of two classes and three", async () => {
    for (const levels of [
      ["no", "yes"],
      ["no", "yes", "perhaps"],
    ]) {
      const study = studyOf({
        privacy: { epsilon: 8, delta: 1e-6 },
        label: { name: "ill", levels },
        parameters: { k: 5, maxCells: 12 },
        participation: { minimumSites: 3, maxRowsPerSite: 1000, sites: ["a", "b", "c"], expectedRows: 360 },
      });
      const { asked, result } = await seated(study);
      expectReleasable(result);
      expect(asked.slice(0, 2)).toEqual(["histogram", "count"]);
      const features = (result.model as { features: Record<string, unknown>[] }).features;
      expect(features[0]).toMatchObject({ name: "ward", standsOut: true });
      expect(features.every((feature) => !("splits" in feature))).toBe(true);
      const [, second, third] = features[0]!.added as (number | number[])[];
      // Wards "a" and "c" have nobody who is ill.
      const odds = (added: number | number[]) => (typeof added === "number" ? added : added[1]! - added[0]!);
      expect(odds(second!)).toBeGreaterThan(1);
      expect(odds(third!)).toBeLessThan(-1);
      expect(result.model).toMatchObject({
        orderedBy: "histogram",
        importanceMeasure: expect.stringMatching(/^association/),
      });
      const link = levels.length === 2 ? "logistic" : "softmax";
      expect(result.predictor).toMatchObject({ kind: "trees", link, isXgboost: false });
      expect(result.predictor).toMatchObject({
        probability: { derivation: expect.stringContaining("#dp-ka-model") },
      });
      expect(result.card!.limits[0]).toMatch(/^The model is naive Bayes.*was not measured\.$/);
      expect(result.facts).toMatchObject({ orderedBy: "histogram" });
      expect(result.notes.join(" ")).toMatch(
        levels.length === 2
          ? /ordered by one noisy histogram.*about 288 rows are expected for training/
          : /ordered by one noisy histogram.*boosting takes two classes, and there are 3/,
      );
      expect(result.table!.columns.at(-1)).toMatchObject({ levels });
    }
  });

  it("by one histogram of mostly noise says that noise may have made the order", async () => {
    const study = studyOf({
      privacy: { epsilon: 0.5, delta: 1e-6 },
      parameters: { k: 2, order: "histogram", maxCells: 12, evaluation: "none" },
      participation: { minimumSites: 3, maxRowsPerSite: 1000, sites: ["a", "b", "c"], expectedRows: 360 },
    });
    const { result } = await seated(study);
    expectReleasable(result);
    expect(result.finding).toMatchObject({ isClear: false, by: "share" });
    expect(result.notes.join(" ")).toMatch(/No feature stood out, so they were tried in an order that/);
    expect(result.card!.limits[0]).toMatch(/naive Bayes.*has not been measured\.$/);
  });

  it("asks for no table where nothing is selected", async () => {
    const { asked, result } = await seated(studyOf({ parameters: { k: 350, trees: 1, depth: 1 } }));
    expect(asked).toEqual(["tree-1-level-1", "count", "test-1", "test-2", "test-3", "evaluation"]);
    expectReleasable(result);
    expect(result.table).toBeNull();
  });
});
