import type { SiteId, StageId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { SiteSide, StageInput } from "@consilium/core/method/siteSide";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { osRandom } from "@consilium/runtime/random";
import { beforeAll, describe, expect, it } from "vitest";
import { parseStudy, type Study } from "../testing/studies.js";

const studyOf = (method: Record<string, unknown>): Study =>
  unwrap(
    parseStudy({
      name: "at-a-site",
      table: "t",
      analysis: "correlation-tree",
      features: [
        { name: "a", type: "numeric", min: 0, max: 1 },
        { name: "b", type: "categorical", levels: ["x", "y", "z"] },
      ],
      label: { name: "class", levels: ["no", "yes", "maybe"] },
      parameters: { depth: 2 },
      privacy: { epsilon: 10, delta: 1e-5 },
      participation: { maxRowsPerSite: 100 },
      ...method,
    }),
  );

/**
 * What splits a root by the second feature and nothing else, for whichever method. A depth-first run tells each node's split
 * with the stage after it.
 */
function told(plan: Plan): Map<StageId, Broadcast> {
  const root = plan.stages[1]!.id;
  const broadcasts = plan.stages.map(({ id, broadcasts: planned }): [StageId, Broadcast] => {
    const values = planned.map(({ name, length }): [string, Float64Array] => {
      if (name !== "splits") return [name, new Float64Array(length).fill(1 / 3)];
      const splits = Array.from({ length }, (_, i): number => (i % 2 === 0 ? -1 : none(plan)));
      if (id === root) [splits[0], splits[1]] = [1, 0];
      return [name, Float64Array.from(splits)];
    });
    return [id, Object.fromEntries(values)];
  });
  return new Map(broadcasts);
}

const none = (plan: Plan) => (plan.claim.verdict === "proved" ? -1 : 0);

function input(study: Study, rows: number): StageInput {
  return {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts: told(planStudy(study)),
    sharedSeed: null,
    blocks: (async function* () {
      yield {
        rows,
        columns: [new Float64Array(rows).fill(0.2), new Float64Array(rows).fill(1)],
        labels: new Uint16Array(rows).fill(2),
      };
    })(),
    kernels: plainKernels(),
    checks: osRandom,
    random: {
      bytes() {
        throw new Error("the share of noise is added elsewhere");
      },
    },
  };
}

const methods: readonly Record<string, unknown>[] = [
  { method: "dp-pcc" },
  { method: "dp-pcc-s" },
  { method: "pearson-tree", variant: "paper" },
  { method: "pearson-tree", variant: "paper", parameters: { depth: 2, order: "breadth-first" } },
];

describe.each(methods)("a correlation tree (site side), %j", (method) => {
  const study = studyOf(method);
  let analysis: SiteSide;

  beforeAll(async () => {
    analysis = await siteSideOf(study);
  });

  it("answers every stage in its length, drawing nothing, with rows of one class and with none", async () => {
    for (const rows of [30, 0]) {
      for (const stage of planStudy(study).stages) {
        if (stage.kind !== "sum") throw new Error("there are sums alone");
        const vector = await analysis.vector(stage.id, input(study, rows));
        expect(vector).toHaveLength(stage.length);
        expect(await analysis.vector(stage.id, input(study, rows))).toEqual(vector);
        if (rows === 0) expect(vector.every((entry) => entry === 0n)).toBe(true);
      }
    }
  });

  it("takes part with any table, longer than maxRowsPerSite too, so that a refusal says nothing of it", async () => {
    expect(analysis.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
    for (const stage of planStudy(study).stages) {
      if (stage.kind !== "sum") throw new Error("sums alone");
      if (study.variant === "paper") {
        await expect(analysis.vector(stage.id, input(study, 101))).rejects.toMatchObject({
          code: "ROWS_TOO_MANY",
        });
      } else expect(await analysis.vector(stage.id, input(study, 101))).toHaveLength(stage.length);
    }
  });

  it("has no other stage, and never hands out rows", async () => {
    await expect(analysis.vector("moments" as StageId, input(study, 1))).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
    expect(analysis.rows).toBeUndefined();
  });
});
