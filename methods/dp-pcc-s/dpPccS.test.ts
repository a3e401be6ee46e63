import type { StageId } from "@consilium/core/ids";
import { rowHashes } from "@consilium/core/learning/heldOut";
import { simulatedSite, simulateSums, streamed } from "@consilium/core/learning/sums";
import { phi } from "@consilium/core/linalg/phi";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binBlock } from "../shared/columns/binning.js";
import { splitsName, treeStages } from "../shared/correlation-tree/treeStudy.js";
import { blockOf, dealt, type TestRow, testFeatures, testRows } from "../testing/correlationTree/tables.js";
import { asCorrelationTree } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";
import { dpPccSVector } from "../testing/vectors.js";
import { dpPccSConversation } from "./conversation.js";
import { answerUnit, type DpPccSStudy, dpPccSLayout, planDpPccS } from "./study.js";

const kernels = plainKernels();
const nothing: RandomSource = {
  bytes() {
    throw new Error("nothing is drawn here");
  },
};

const raw = (options: {
  readonly privacy?: unknown;
  readonly parameters?: Record<string, unknown>;
  readonly maxRowsPerSite?: number;
}) => ({
  name: "tree",
  table: "t",
  analysis: "correlation-tree",
  method: "dp-pcc-s",
  features: testFeatures,
  label: { name: "y", levels: ["no", "yes"] },
  parameters: { depth: 2, bins: 5, blocks: 7, evaluation: "none", ...options.parameters },
  privacy: options.privacy ?? "none",
  participation: { sites: ["a", "b", "c"], maxRowsPerSite: options.maxRowsPerSite ?? 2000 },
});
const studyOf = (options: Parameters<typeof raw>[0]) =>
  asCorrelationTree(unwrap(parseStudy(raw(options)))) as DpPccSStudy;
const fault = (options: Parameters<typeof raw>[0]) => {
  const parsed = parseStudy(raw(options));
  return parsed.ok ? "no fault" : english(parsed.error.message);
};

const split = (...values: number[]): Broadcast => ({ [splitsName]: Float64Array.from(values) });

async function answers(
  study: DpPccSStudy,
  id: StageId,
  rows: readonly TestRow[],
  broadcasts: readonly (readonly [StageId, Broadcast])[],
): Promise<number[]> {
  const half = Math.floor(rows.length / 2);
  const vector = await dpPccSVector(study, id, {
    site: simulatedSite(0),
    sites: 3,
    broadcasts: new Map(broadcasts),
    blocks: streamed([blockOf(rows.slice(0, half)), blockOf(rows.slice(half))]),
    kernels,
    random: nothing,
    checks: seededRandom("checks"),
  });
  return Array.from(vector, Number);
}

/** The same answers, each block's rows filtered out and each cut counted by itself. */
function naiveAnswers(study: DpPccSStudy, id: StageId, rows: readonly TestRow[]): number[] {
  const { features, nodeLength, answers: places } = dpPccSLayout(study);
  const start = Number.parseInt(sha256("consilium blocks of rows v1\n", `${id} consilium`).slice(0, 8), 16);
  const own = rowHashes(blockOf(rows), start);
  const bins = binBlock(blockOf(rows), features);
  const sums = new Array<number>(nodeLength).fill(0);
  for (let block = 0; block < study.parameters.blocks; block++) {
    const members = rows.flatMap((_, r) => (own[r]! % study.parameters.blocks === block ? [r] : []));
    for (const [f, feature] of features.entries()) {
      const cuts = feature.kind === "ordered" ? feature.bins - 1 : feature.bins;
      let best = { value: 0, cut: -1 };
      for (let cut = 0; cut < cuts; cut++) {
        const left = (r: number) => (feature.kind === "ordered" ? bins[f]![r]! <= cut : bins[f]![r] === cut);
        const count = (side: boolean, label: number) =>
          members.filter((r) => left(r) === side && rows[r]!.label === label).length;
        const value = phi(count(true, 1), count(true, 0), count(false, 1), count(false, 0));
        if (value > best.value) best = { value, cut };
      }
      if (best.cut === -1) continue;
      const units = Math.trunc(best.value * answerUnit);
      const { at } = places[f]!;
      if (feature.kind === "nominal") sums[at + best.cut]! += units;
      else {
        sums[at]! += units;
        sums[at + 1]! += Math.trunc((units * (best.cut + 1)) / (feature.bins - 1));
      }
    }
  }
  return sums;
}

describe("a site's answers in dp-pcc-s", () => {
  it("are the sum of its blocks' own", async () => {
    const study = studyOf({});
    for (const count of [0, 1, 5, 200]) {
      const rows = testRows(count, { classes: 2, seed: `answers ${count}` });
      const found = await answers(study, treeStages.level(0), rows, []);
      expect(found).toEqual(naiveAnswers(study, treeStages.level(0), rows));
    }
  });

  it("do not change with the order of rows, and one record changes them by at most √(2m), with more rows than declared", async () => {
    // Only a study that hides tables takes more rows than it declares.
    const privacy = { epsilon: 4, delta: 1e-6 };
    const study = studyOf({ privacy, maxRowsPerSite: 3, parameters: { blocks: 3, guard: 0 } });
    const { stages } = planStudy(study);
    const told = [
      [treeStages.level(1), split(1, 2)],
      [treeStages.leaves, split(0, 1, 2, 0)],
    ] as const;
    const size = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), async (count, seed) => {
        const rows = testRows(count, { classes: 2, seed: `neighbours ${seed}` });
        for (const id of [treeStages.level(0), treeStages.level(1), treeStages.leaves]) {
          const whole = await answers(study, id, rows, told);
          expect(await answers(study, id, [...rows].reverse(), told)).toEqual(whole);
          const without = await answers(study, id, rows.slice(1), told);
          const squares = whole.reduce((sum, value, i) => sum + (value - without[i]!) ** 2, 0);
          const stage = stages.find((one) => one.id === id);
          const { event } = (stage?.kind === "sum" ? stage.noise : undefined)!;
          expect(squares).toBeLessThanOrEqual(event.l2SensitivitySquared);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("dp-pcc-s", () => {
  it("splits by the attribute on which the blocks agree, without noise and with little", async () => {
    const tables = dealt(testRows(3000, { classes: 2, seed: "s" }), 3, "s");
    const grown = (study: DpPccSStudy, random: RandomSource) =>
      simulateSums({
        plan: planDpPccS(study),
        tables,
        kernels,
        random,
        vector: (id, input) => dpPccSVector(study, id, input),
        run: (conversation) => dpPccSConversation({ study, conversation }),
      });
    const parameters = { depth: 1, blocks: 40 };
    const exact = await grown(studyOf({ parameters }), nothing);
    const [root] = exact.ensemble.trees[0]!.nodes;
    expect(root).toMatchObject({ kind: "split", feature: 1 });
    const noisy = await grown(
      studyOf({ parameters, privacy: { epsilon: 100, delta: 1e-6 } }),
      seededRandom("s"),
    );
    expect(noisy.ensemble.trees[0]!.nodes[0]).toMatchObject({ kind: "split", feature: 1 });
    const { value, low, high } = noisy.importance[1]!;
    expect(high! - low!).toBeGreaterThan(0);
    // Two and a half half-widths are five standard deviations.
    expect(Math.abs(value - exact.importance[1]!.value)).toBeLessThan(1.25 * (high! - low!));
  });

  it("plans √(2m) at a level and 1 at the leaves, and spends what the study allows", () => {
    const { stages, claim } = planStudy(
      studyOf({ privacy: { epsilon: 4, delta: 1e-6 }, parameters: { blocks: 200, evaluation: {} } }),
    );
    expect(stages.map(({ id, disclosure }) => [id, disclosure.sensitivity])).toEqual([
      ["level-1", 8 ** 0.5],
      ["level-2", 8 ** 0.5],
      ["leaves", 1],
      ["evaluation", 1],
    ]);
    // Two ordered features of 2 numbers, levels of 3 and 2.
    expect(stages.map((stage) => (stage.kind === "sum" ? stage.length : 0))).toEqual([9, 18, 8, 40]);
    expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#dp-pcc-s-proof" });
    expect(claim.epsilon).toBeLessThanOrEqual(4);
    expect(claim.epsilon).toBeGreaterThan(3.999);
  });

  it("refuses what cannot be computed or paid, and warns of too few blocks and of small ones", () => {
    expect(fault({ parameters: { blocks: 1 } })).toBe("parameters.blocks: at least 2");
    expect(fault({ parameters: { depth: 5 } })).toMatch(/^parameters.depth: 5 levels of 4 features/);
    expect(fault({ parameters: { depth: 4, blocks: 10_000 } })).toMatch(
      /^parameters.blocks: 10000 blocks at 8 nodes/,
    );
    expect(fault({ privacy: { epsilon: 0.05, delta: 1e-6 }, parameters: { blocks: 3 } })).toMatch(
      /^parameters.blocks: the noise is as large as the answers of \d+ blocks, and there are at most 9 in all/,
    );
    const { warnings } = planStudy(
      studyOf({ privacy: { epsilon: 0.3, delta: 1e-6 }, parameters: { blocks: 150 } }),
    );
    expect(english(warnings[0]!)).toMatch(
      /^with 3000 rows, half of the most that .* a site has fewer than 4 of a block in a node of level 2/,
    );
    expect(english(warnings[1]!)).toMatch(
      /^with 450 blocks in all the noise hides differences of correlation below 0\.0?\d+/,
    );
  });
});
