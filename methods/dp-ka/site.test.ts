import type { SiteId, StageId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { cutsName, scoreBins } from "@consilium/core/study/evaluation";
import { planStudy } from "@consilium/core/study/plan";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { candidateName, encodeFeatures, selectedName } from "../shared/k-anonymous/candidates.js";
import { encodeSplits } from "../shared/trees/levels.js";
import { leavesName, splitsName } from "../shared/trees/secondOrder.js";
import { answered } from "../testing/families.js";
import { parseStudy, type Study } from "../testing/studies.js";

const studyOf = (change: object): Study =>
  unwrap(
    parseStudy({
      name: "at-a-site",
      table: "t",
      analysis: "k-anonymous-selection",
      features: [
        { name: "a", type: "numeric", min: 0, max: 1, edges: [0.5] },
        { name: "b", type: "categorical", levels: ["x", "y"] },
      ],
      label: { name: "c", levels: ["no", "yes"] },
      participation: { maxRowsPerSite: 100 },
      ...change,
    }),
  );
const published = studyOf({ variant: "paper", privacy: "none", parameters: { trees: 1, depth: 1, k: 2 } });
const proved = studyOf({
  privacy: { epsilon: 5, delta: 1e-5 },
  parameters: { order: "boosting", trees: 1, depth: 1, k: 2, maxCells: 4 },
});

const pass = new Map<StageId, Broadcast>([
  ["test-1" as StageId, { [candidateName]: encodeFeatures([1], 2) }],
  ["test-2" as StageId, { [candidateName]: encodeFeatures([0, 1], 2) }],
  ["rows" as StageId, { [selectedName]: encodeFeatures([0, 1], 2) }],
  ["table" as StageId, { [selectedName]: encodeFeatures([0, 1], 2) }],
  [
    "evaluation" as StageId,
    {
      [splitsName]: encodeSplits([null]),
      [leavesName]: Float64Array.of(0.5, 0),
      [cutsName]: Float64Array.from({ length: scoreBins - 1 }, (_, i) => i - 9),
    },
  ],
]);

function input(study: Study, broadcasts: ReadonlyMap<StageId, Broadcast> = pass): StageInput {
  return {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts,
    sharedSeed: new Uint8Array(32),
    blocks: (async function* () {
      yield {
        rows: 3,
        columns: [Float64Array.of(0.2, 0.2, 0.7), Float64Array.of(0, 0, 1)],
        labels: Uint16Array.of(0, 1, 1),
      };
    })(),
    kernels: plainKernels(),
    checks: osRandom,
    random: {
      bytes() {
        throw new Error("a site draws nothing here");
      },
    },
  };
}

describe("features selected under K-anonymity, (site side)", () => {
  it("answers every stage of a plan in its form", async () => {
    for (const study of [published, proved]) {
      const analysis = await siteSideOf(study);
      for (const stage of planStudy(study).stages) {
        if (stage.kind === "sum") expect(await answered(stage.id, input(study))).toHaveLength(stage.length);
        if (stage.kind === "tags") expect(await analysis.tags!(stage.id, input(study))).toHaveLength(2 * 20);
        if (stage.kind === "rows") {
          for await (const part of analysis.rows!(stage.id, input(study)))
            expect([...part.values]).toEqual([0, 0, 0, 0, 1, 1]);
        }
      }
    }
  });

  it("takes part with any table, so that a refusal says nothing of it", async () => {
    expect((await siteSideOf(published)).demands(published)).toEqual({
      minimumRows: 0,
      refuseConstant: false,
    });
  });

  it("has no tags and no rows where everything is proven", async () => {
    const analysis = await siteSideOf(proved);
    expect(analysis.tags).toBeUndefined();
    expect(analysis.rows).toBeUndefined();
  });

  it("makes no tags without the sites' seed", async () => {
    const without = { ...input(published), sharedSeed: null };
    await expect((await siteSideOf(published)).tags!("test-1" as StageId, without)).rejects.toThrow(
      /shared seed/,
    );
  });
});
