import type { SiteId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { blockOf, testRows, testStudy } from "../testing/histBoost/study.js";

const study = testStudy({ trees: 1, depth: 1 });
const analysis = await siteSideOf(study);
const [level, leaves] = planStudy(study).stages;

const input = (broadcasts: Broadcasts, rows = 40): StageInput => ({
  study,
  site: "a" as SiteId,
  sites: 3,
  broadcasts,
  sharedSeed: null,
  blocks: streamed([blockOf(testRows(rows))]),
  kernels: plainKernels(),
  checks: osRandom,
  random: {
    bytes() {
      throw new Error("the share of noise is added elsewhere");
    },
  },
});

describe("dp-histboost (site side)", () => {
  it("counts every row at each of its node's features, and once in the leaves, drawing nothing", async () => {
    const sum = (vector: BigUint64Array) => vector.reduce((total, one) => total + one, 0n);
    expect(sum(await analysis.vector(level!.id, input(new Map())))).toBe(BigInt(16 * 2 * 40));
    const told: Broadcasts = new Map([[leaves!.id, { splits: Float64Array.of(0, 3) }]]);
    expect(sum(await analysis.vector(leaves!.id, input(told)))).toBe(BigInt(16 * 40));
  });

  it("takes part with any table, so that a refusal says nothing of it", () => {
    expect(analysis.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
  });

  it("refuses what is no split, and never hands out rows", async () => {
    const told: Broadcasts = new Map([[leaves!.id, { splits: Float64Array.of(9, 0) }]]);
    await expect(analysis.vector(leaves!.id, input(told))).rejects.toMatchObject({
      code: "BROADCAST_INVALID",
    });
    expect(analysis.rows).toBeUndefined();
  });
});
