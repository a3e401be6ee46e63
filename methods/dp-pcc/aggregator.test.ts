import { type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { predictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { aloneInTests } from "../testing/aggregatorSums.js";
import { asCorrelationTree, type CorrelationTreeStudy, siteVector } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";

const kernels = plainKernels();

function studyOf(change: Record<string, unknown>): CorrelationTreeStudy {
  const plain = {
    name: "aggregated",
    table: "t",
    analysis: "correlation-tree",
    features: [
      { name: "noise", type: "numeric", min: 0, max: 1 },
      { name: "telling", type: "numeric", min: 0, max: 10 },
      { name: "ward", type: "categorical", levels: ["a", "b", "c"], missing: "own-level" },
    ],
    label: { name: "class", levels: ["no", "yes"] },
    parameters: { depth: 2 },
    privacy: { epsilon: 20, delta: 1e-5 },
    participation: { sites: ["x", "y", "z"], maxRowsPerSite: 2000 },
  };
  return asCorrelationTree(unwrap(parseStudy({ ...plain, ...change })));
}

const normal = seededNormals("rows of three sites");
const within = (x: number) => Math.min(1, Math.max(0, x));
/** The second feature goes with the class. @param only - the one class of all rows */
const tablesOf = (only?: 0 | 1) =>
  [900, 600, 300].map((rows): ColumnBlock => {
    const labels = Uint16Array.from({ length: rows }, (_, r) => only ?? r % 2);
    return {
      rows,
      columns: [
        Float64Array.from({ length: rows }, () => within(0.5 + 0.2 * normal())),
        Float64Array.from({ length: rows }, (_, r) => 10 * within(0.3 + 0.4 * labels[r]! + 0.1 * normal())),
        Float64Array.from({ length: rows }, (_, r) => r % 4),
      ],
      labels,
    };
  });

interface Ran {
  readonly result: MethodResult;
  readonly asked: readonly [stage: string, broadcast: Broadcast][];
}

/** Runs the analysis twice over the same stored sums and draws, as a restarted aggregator does. */
function runTwice(
  study: CorrelationTreeStudy,
  tables: readonly ColumnBlock[],
  change: (sum: BigUint64Array) => BigUint64Array = (sum) => sum,
): Promise<Ran> {
  const sums = new Map<string, Promise<BigUint64Array>>();
  const asked: [string, Broadcast][] = [];
  return simulateSums({
    plan: planStudy(study),
    tables: tables.map((block) => [block]),
    kernels,
    random: seededRandom("noise of the sites"),
    vector: (id, input) => siteVector(study, id, input),
    async run(simulated: SumConversation) {
      const never = (): never => {
        throw new Error("a correlation tree asks for sums alone");
      };
      const conversation: Conversation = {
        ...aloneInTests,
        ...simulated,
        study,
        async sum(stage, broadcast) {
          asked.push([stage, broadcast]);
          if (!sums.has(stage)) sums.set(stage, simulated.sum(stage, broadcast));
          return change((await sums.get(stage)!).slice());
        },
        rows: never,
        tags: never,
        writeRows: never,
      };
      const result = await (await aggregatorSideOf(study))(conversation);
      const once = [...asked];
      asked.length = 0;
      expect(await (await aggregatorSideOf(study))(conversation)).toEqual(result);
      expect(asked).toEqual(once);
      return { result, asked: once };
    },
  });
}

const choices: readonly Record<string, unknown>[] = [
  { method: "dp-pcc" },
  { method: "dp-pcc-s", parameters: { depth: 2, blocks: 60 } },
  { method: "pearson-tree", variant: "paper" },
  { method: "pearson-tree", variant: "paper", parameters: { depth: 2, order: "breadth-first" } },
  { method: "pearson-tree", variant: "paper", parameters: { depth: 2, partitions: 20, selection: "sample" } },
];

describe("a correlation tree, aggregator side", () => {
  it.each(choices)("asks what the plan says and releases what can be run: %j", async (choice) => {
    const study = studyOf(choice);
    const { result, asked } = await runTwice(study, tablesOf());
    const told = asked.map(([id, sent]) => [
      id,
      Object.entries(sent).map(([name, values]) => ({ name, length: values.length })),
    ]);
    const skipped = planStudy(study).stages.filter(({ id }) => !asked.some(([one]) => one === id));
    expect(skipped.filter(({ mayBeSkipped }) => mayBeSkipped !== true)).toEqual([]);
    expect(told).toEqual(
      planStudy(study)
        .stages.filter((stage) => !skipped.includes(stage))
        .map((stage) => [stage.id, stage.broadcasts]),
    );
    const predictor = predictorSchema.parse(result.predictor);
    if (predictor.kind !== "trees") throw new Error("a tree is released as a tree");
    expect(predictor.trees[0]!.nodes[0]).toMatchObject({ kind: "split", feature: 1 });
    expect(JSON.parse(JSON.stringify(result.model))).toEqual(result.model);
    for (const figure of result.figures!) expect(figureSchema.parse(figure)).toEqual(figure);
    const card = modelCardSchema.parse(result.card);
    expect(card.evaluation!.measures[0]).toMatchObject({ name: "accuracy" });
    expect(card.evaluation!.measures[0]!.value).toBeGreaterThan(0.8);
    expect([result.table, result.rowsUsed]).toEqual([null, null]);
  });

  it.each(choices)(
    "is a leaf and says so where all sites have one class between them: %j",
    async (choice) => {
      const { result } = await runTwice(studyOf({ ...choice, privacy: "none" }), tablesOf(1));
      expect(result.facts.splits).toBe(0);
      expect(result.notes.join(" ")).toMatch(/The tree is a single leaf: no cut stood out/);
      expect(result.card!.limits.join(" ")).toMatch(/single leaf/);
    },
  );

  it.each(choices)("refuses a sum that no sites can make: %j", async (choice) => {
    const run = runTwice(studyOf(choice), tablesOf(), (sum) => sum.fill(2n ** 62n));
    await expect(run).rejects.toMatchObject({ code: "SUM_IMPLAUSIBLE" });
  });
});
