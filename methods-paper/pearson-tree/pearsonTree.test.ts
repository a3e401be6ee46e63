import type { StageId } from "@consilium/core/ids";
import { simulatedSite, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import type { CorrelationTree } from "@consilium/methods/shared/correlation-tree/correlationTree";
import { splitsName, treeStages } from "@consilium/methods/shared/correlation-tree/treeStudy";
import {
  blockOf,
  type TestRow,
  testFeatures,
  testRows,
} from "@consilium/methods/testing/correlationTree/tables";
import { asCorrelationTree } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { pearsonConversation } from "./conversation.js";
import { type PearsonTreeStudy, pearsonStages, planPearsonTree } from "./study.js";
import { pearsonVector } from "./vector.js";

const kernels = plainKernels();
const nothing: RandomSource = {
  bytes() {
    throw new Error("nothing is drawn here");
  },
};

function studyOf(options: {
  readonly features?: readonly object[];
  readonly classes?: number;
  readonly privacy?: unknown;
  readonly parameters?: Record<string, unknown>;
}): PearsonTreeStudy {
  const levels = Array.from({ length: options.classes ?? 2 }, (_, c) => `class-${c}`);
  return asCorrelationTree(
    unwrap(
      parseStudy({
        name: "tree",
        table: "t",
        analysis: "correlation-tree",
        variant: "paper",
        features: options.features ?? testFeatures,
        label: { name: "y", levels },
        parameters: { depth: 3, evaluation: "none", ...options.parameters },
        privacy: options.privacy ?? "none",
        participation: { maxRowsPerSite: 100_000 },
      }),
    ),
  ) as PearsonTreeStudy;
}

/** @param tables - per site its rows */
function grown(
  study: PearsonTreeStudy,
  tables: readonly (readonly TestRow[])[],
  random: RandomSource = nothing,
): Promise<CorrelationTree> {
  return simulateSums({
    plan: planPearsonTree(study),
    tables: tables.map((rows) =>
      [rows.slice(0, 20), rows.slice(20)].map((part) => blockOf(part, study.features.length)),
    ),
    kernels,
    random,
    vector: (id, input) => pearsonVector(study, id, input),
    run: (conversation) => pearsonConversation({ study, conversation, random }),
  });
}

describe("the published tree without noise", () => {
  it("cuts at a value of a row where there is one subset, and that row is left", async () => {
    const rows = [0.1, 0.2, 0.7, 0.9].map((value, i) => ({
      values: [10, value, 0, 0],
      label: i < 2 ? 0 : 1,
    }));
    const tree = await grown(studyOf({ parameters: { depth: 1 } }), [rows, [], []]);
    const [edge] = tree.features[1]!.edges;
    expect(edge).toBeGreaterThan(0.2);
    expect(edge).toBeLessThan(0.2 + 1e-11);
    expect(tree.ensemble.trees[0]!.nodes[0]).toMatchObject({ kind: "split", gain: 1, cover: 4 });
  });

  it("is a single leaf where all sites have one class between them, and where there are no rows", async () => {
    const rows = testRows(40, { classes: 2, seed: "one" }).map((row) => ({ ...row, label: 1 }));
    const tree = await grown(studyOf({}), [rows, [], []]);
    expect([tree.isSplit, tree.unpredicted, tree.rows]).toEqual([false, [0], 40]);
    expect((await grown(studyOf({}), [[], [], []])).isSplit).toBe(false);
  });

  it("takes a site of one class along: it has no cut to propose, and lowers every score alike", async () => {
    const rows = testRows(200, { classes: 2, seed: "sites" });
    const pure = rows.filter(({ label }) => label === 0);
    const both = await grown(studyOf({ parameters: { depth: 1 } }), [rows, pure, []]);
    const alone = await grown(studyOf({ parameters: { depth: 1 } }), [rows, [], []]);
    expect(both.features[1]!.edges[0]!).toBeCloseTo(alone.features[1]!.edges[0]!, 9);
  });
});

describe("map tasks that a feature names", () => {
  const tasks = { name: "task", type: "categorical", levels: ["0", "1", "2"] };
  const named = studyOf({ features: [...testFeatures, tasks], parameters: { mapTasks: "task" } });
  const dealt = studyOf({ parameters: { partitions: 3 } });
  const rows = [80, 31, 0].map((count, site) => testRows(count, { classes: 2, seed: `site ${site}` }));
  const withTasks = rows.map((own) => own.map((row, i) => ({ ...row, values: [...row.values, i % 3] })));

  it("give the tree of the same tasks dealt in turn, in whatever order the rows come", async () => {
    const { ensemble, features } = await grown(dealt, rows);
    expect(ensemble.trees[0]!.nodes.filter(({ kind }) => kind === "split").length).toBeGreaterThan(2);
    for (const turned of [withTasks, withTasks.map((own) => own.toReversed())]) {
      const tree = await grown(named, turned);
      expect(tree.ensemble.trees).toEqual(ensemble.trees);
      expect(tree.features.slice(0, features.length)).toEqual(features);
    }
    const others = withTasks.map((own) =>
      own.map((row, i) => ({ ...row, values: [...row.values.slice(0, -1), i < 40 ? 0 : 1] })),
    );
    const { edges } = (await grown(named, others)).features[1]!;
    expect(edges).not.toEqual(features[1]!.edges);
  });

  it("are asked of no node: neither the vector nor the tree has them", () => {
    expect(planPearsonTree(named).stages).toEqual(planPearsonTree(dealt).stages);
  });
});

describe("the published tree with noise", () => {
  const privacy = { epsilon: 2, delta: 1e-5 };
  const rows = [0, 1, 2].map((i) => testRows(60, { classes: 2, seed: `noisy ${i}` }));

  it("has Lap(1/ε2) in its leaves, and draws nothing else with argmax", async () => {
    let drawn = 0;
    const source = seededRandom("laplace");
    const counted: RandomSource = {
      bytes(count) {
        drawn += count;
        return source.bytes(count);
      },
    };
    const exact = await grown(studyOf({ parameters: { depth: 1 } }), rows);
    const errors: number[] = [];
    const study = studyOf({ privacy, parameters: { depth: 1 } });
    for (let run = 0; run < 200; run++) {
      const tree = await grown(study, rows, counted);
      tree.ensemble.trees[0]!.nodes.forEach((node, i) => {
        if (node.kind === "leaf") errors.push(node.cover - exact.ensemble.trees[0]!.nodes[i]!.cover);
      });
    }
    expect(drawn).toBe(200 * 4 * 8);
    // Two counts with scale 1 each: variance 4. Five standard errors of a mean square with fourth moment at most 60.
    const square = errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length;
    expect(Math.abs(square - 4)).toBeLessThan(5 * Math.sqrt(60 / errors.length));
  });

  it("draws attributes by the exponential mechanism: evenly for a tiny ε, the best one for a large one", async () => {
    const first = async (epsilon: number, seed: string) => {
      const study = studyOf({
        privacy: { epsilon, delta: 1e-5 },
        parameters: { depth: 1, selection: "sample" },
      });
      const [root] = (await grown(study, rows, seededRandom(seed))).ensemble.trees[0]!.nodes;
      return root!.kind === "split" ? `${root!.feature} ${root!.feature > 1 ? root!.cut : ""}` : "leaf";
    };
    const even = new Map<string, number>();
    for (let run = 0; run < 140; run++) {
      const name = await first(1e-6, `even ${run}`);
      even.set(name, (even.get(name) ?? 0) + 1);
    }
    expect(even.size).toBe(7);
    for (const times of even.values()) expect(times).toBeGreaterThan(5);
    for (let run = 0; run < 10; run++) expect(await first(900, `sure ${run}`)).toBe("1 ");
  });
});

describe("the published tree's vector", () => {
  const split = (...values: number[]) => ({ [splitsName]: Float64Array.from(values) });
  const told = (id: StageId, ...values: number[]): [StageId, Broadcast] => [id, split(...values)];
  const level = (depth: number, ...values: number[]) => told(treeStages.level(depth), ...values);
  const node = (visit: number, ...values: number[]) => told(pearsonStages.node(visit), ...values);
  const leaves = (...values: number[]) => told(treeStages.leaves, ...values);

  it.each<[string, [StageId, Broadcast][]]>([
    ["an invalid attribute", [node(1, 7, 0)]],
    ["a cut beyond the bounds", [node(1, 0, 81)]],
    ["an invalid cut", [node(1, 0, Number.NaN)]],
    ["a threshold of a level", [node(1, 2, 0.5)]],
    ["too many nodes", [node(1, 0, 1, 1, 0.5)]],
    ["an attribute asked twice in the tree", [node(1, 0, 40), node(2, 1, 0.5), node(3, 0, 20)]],
    ["a node below a leaf", [node(1, -1, 0)]],
    ["a node after the last one", [node(1, 0, 40), node(2, -1, 0), node(3, -1, 0)]],
    ["leaves before the last node", [node(1, 0, 40), leaves(-1, 0)]],
    ["a split after the last node", [node(1, -1, 0), leaves(1, 0.5)]],
  ])("refuses depth-first %s before it reads a row", async (_, broadcasts) => {
    await expectRefused(studyOf({}), new Map(broadcasts));
  });

  it.each<[string, [StageId, Broadcast][]]>([
    ["an invalid attribute", [level(1, 7, 0)]],
    ["a cut beyond the bounds", [level(1, 0, 81)]],
    ["too many nodes", [level(1, 0, 1, 1, 0.5)]],
    ["an attribute asked twice in the tree", [level(1, 0, 40), level(2, 1, 0.5, 1, 0.6)]],
    ["a split below a leaf", [level(1, -1, 0), level(2, 1, 0.5, -1, 0)]],
  ])("refuses breadth-first %s before it reads a row", async (_, broadcasts) => {
    await expectRefused(studyOf({ parameters: { order: "breadth-first" } }), new Map(broadcasts));
  });

  it("takes what an honest aggregator tells, and reads the table then", async () => {
    const splits = new Map([node(1, 0, 40), node(2, -1, 0), leaves(-1, 0)]);
    for (const id of splits.keys())
      await expect(pearsonVector(studyOf({}), id, inputOf(splits))).rejects.toThrow("the table was read");
  });

  it("refuses a stage that the study has not", async () => {
    const input = inputOf(new Map());
    for (const id of ["moments", "level-1"])
      await expect(pearsonVector(studyOf({}), id as StageId, input)).rejects.toMatchObject({
        code: "MESSAGE_UNEXPECTED",
      });
  });

  /** The last stage that was told of is refused for what it was told, and for what it was not. */
  async function expectRefused(study: PearsonTreeStudy, broadcasts: Broadcasts): Promise<void> {
    const id = [...broadcasts.keys()].at(-1)!;
    await expect(pearsonVector(study, id, inputOf(broadcasts))).rejects.toMatchObject({
      code: "BROADCAST_INVALID",
    });
    await expect(pearsonVector(study, id, inputOf(new Map()))).rejects.toMatchObject({
      code: "FIELD_INVALID",
    });
  }

  function inputOf(broadcasts: Broadcasts) {
    return {
      site: simulatedSite(0),
      sites: 3,
      broadcasts,
      // biome-ignore lint/correctness/useYield: nobody may come so far
      blocks: (async function* (): AsyncGenerator<ColumnBlock> {
        throw new Error("the table was read");
      })(),
      kernels,
      random: nothing,
    };
  }
});
