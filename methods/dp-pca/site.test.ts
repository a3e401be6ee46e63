import type { SiteId, StageId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { parseStudy } from "../testing/studies.js";
import { ballNames, ballStages } from "./ball.js";
import { directionsName, dpPcaStages } from "./study.js";

const studyOf = (ball: string) =>
  unwrap(
    parseStudy({
      name: "at-a-site",
      table: "t",
      analysis: "pca",
      features: [
        { name: "a", type: "numeric", min: 0, max: 1 },
        { name: "b", type: "numeric", min: 0, max: 1 },
      ],
      parameters: { components: 1, form: "two-round", ball },
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { maxRowsPerSite: 100 },
    }),
  );
const study = studyOf("declared");
const analysis = await siteSideOf(study);

function input(directions?: Float64Array, rows = 3): StageInput {
  const block: ColumnBlock = {
    rows,
    columns: [new Float64Array(rows).fill(0.2), new Float64Array(rows).fill(0.7)],
    labels: null,
  };
  const broadcasts: Broadcasts =
    directions === undefined ? new Map() : new Map([[dpPcaStages.classes, { [directionsName]: directions }]]);
  return {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts,
    sharedSeed: null,
    blocks: (async function* () {
      yield block;
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

describe("dp-pca (site side)", () => {
  it("answers every stage of the plan in its length, drawing nothing", async () => {
    for (const stage of planStudy(study).stages) {
      if (stage.kind !== "sum") throw new Error("dp-pca has sums alone");
      const vector = await analysis.vector(stage.id, input(Float64Array.of(1, 0)));
      expect(vector).toHaveLength(stage.length);
      expect(await analysis.vector(stage.id, input(Float64Array.of(1, 0)))).toEqual(vector);
    }
  });

  it("clips by the given ball, and refuses an invalid one before it reads a row", async () => {
    const chosen = studyOf("private");
    const asked = (centre: number[], step: number[]): StageInput => ({
      ...input(Float64Array.of(1, 0)),
      study: chosen,
      broadcasts: new Map<StageId, Broadcast>([
        [ballStages.radius, { [ballNames.centre]: Float64Array.from(centre) }],
        [dpPcaStages.pooled, { [ballNames.radiusStep]: Float64Array.from(step) }],
        [dpPcaStages.classes, { [directionsName]: Float64Array.of(1, 0) }],
      ]),
    });
    const stages = planStudy(chosen).stages.map(({ id }) => id);
    expect(stages).toEqual([ballStages.centre, ballStages.radius, dpPcaStages.pooled, dpPcaStages.classes]);
    for (const id of stages) {
      const told = await analysis.vector(id, asked([0.25, 0.75], [2]));
      expect(told).toHaveLength(
        (planStudy(chosen).stages.find((stage) => stage.id === id) as SumStage).length,
      );
      const other = await analysis.vector(id, asked([0.5, 0], [1]));
      expect(other.join() === told.join()).toBe(id === ballStages.centre);
    }
    const untouched = {
      // biome-ignore lint/correctness/useYield: it must not come so far
      blocks: (async function* (): AsyncGenerator<ColumnBlock> {
        throw new Error("the table was read");
      })(),
    };
    for (const [centre, step] of [
      [[2, 0], [1]],
      [[0.5], [1]],
      [[0.5, Number.NaN], [1]],
      [[0.5, 0.5], [9]],
      [[0.5, 0.5], [0.5]],
    ] as const) {
      await expect(
        analysis.vector(dpPcaStages.classes, { ...asked([...centre], [...step]), ...untouched }),
      ).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    }
    await expect(
      analysis.vector(ballStages.radius, { ...input(), study: chosen, ...untouched }),
    ).rejects.toMatchObject({ code: "FIELD_INVALID" });
  });

  it("takes part with any table, so that a refusal says nothing of it", () => {
    expect(analysis.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
  });

  it("refuses invalid directions, before it reads a row", async () => {
    for (const directions of [[2, 0], [0, 0], [0.6, 0.9], [Number.NaN, 0], [1], [1, 0, 0]]) {
      const asked = input(Float64Array.from(directions));
      const untouched = {
        ...asked,
        // biome-ignore lint/correctness/useYield: it must not come so far
        blocks: (async function* (): AsyncGenerator<ColumnBlock> {
          throw new Error("the table was read");
        })(),
      };
      await expect(analysis.vector(dpPcaStages.classes, untouched)).rejects.toMatchObject({
        code: "BROADCAST_INVALID",
      });
    }
    await expect(analysis.vector(dpPcaStages.classes, input())).rejects.toMatchObject({
      code: "FIELD_INVALID",
    });
  });

  it("has no other stage, and never hands out rows", async () => {
    await expect(analysis.vector("moments" as StageId, input())).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
    expect(analysis.rows).toBeUndefined();
  });
});
