import type { SiteId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { additiveTestStudy } from "../testing/additive/study.js";
import { answered } from "../testing/families.js";
import { blockOf, testRows } from "../testing/histBoost/study.js";

const study = additiveTestStudy({ epochs: 2 });
const analysis = await siteSideOf(study);
const [first, second] = planStudy(study).stages;

const input = (broadcasts: Broadcasts): StageInput => ({
  study,
  site: "a" as SiteId,
  sites: 3,
  broadcasts,
  sharedSeed: null,
  blocks: streamed([blockOf(testRows(40))]),
  kernels: plainKernels(),
  checks: osRandom,
  random: {
    bytes() {
      throw new Error("the share of noise is added elsewhere");
    },
  },
});

describe("dp-additive at a site", () => {
  it("adds a quarter for every row to the hessians of each feature, drawing nothing", async () => {
    const sums = Array.from(await answered(first!.id, input(new Map())), (sum) => BigInt.asIntN(64, sum));
    const hessians = sums.filter((_, i) => i % 2 === 1).reduce((total, one) => total + one, 0n);
    expect(hessians).toBe(BigInt(3 * 40 * 2 ** 18));
  });

  it("takes part with any table, so that a refusal says nothing of it", () => {
    expect(analysis.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
  });

  it("refuses what are not curves, and never hands out rows", async () => {
    const told = (value: number): Broadcasts =>
      new Map([[second!.id, { curves: new Float64Array(16).fill(value) }]]);
    await expect(answered(second!.id, input(told(0.1)))).rejects.toMatchObject({
      code: "BROADCAST_INVALID",
    });
    await expect(answered(second!.id, input(told(0.125)))).resolves.toHaveLength(30);
    expect(analysis.rows).toBeUndefined();
  });
});
