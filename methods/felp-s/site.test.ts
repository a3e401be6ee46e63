import type { SiteId, StageId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { describe, expect, it } from "vitest";
import { felpANames, felpAStages } from "../felp-a/study.js";
import { parseStudy, type Study } from "../testing/studies.js";

const studyOf = (choice: Record<string, unknown>): Study =>
  unwrap(
    parseStudy({
      name: "at-a-site",
      table: "t",
      analysis: "feature-selection",
      features: [
        { name: "a", type: "numeric", min: 0, max: 10 },
        { name: "c", type: "categorical", levels: ["x", "y"] },
      ],
      label: { name: "class", levels: ["no", "yes"] },
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { maxRowsPerSite: 100 },
      ...choice,
    }),
  );

const byte = (count: number) => new Uint8Array(count).fill(93);

function input(study: Study, stage: StageId, broadcast?: Broadcast, rows = 8): StageInput {
  const block: ColumnBlock = {
    rows,
    columns: [
      Float64Array.from({ length: rows }, (_, r) => (r % 4 < 2 ? r % 3 : 6 + (r % 3))),
      Float64Array.from({ length: rows }, (_, r) => r % 2),
    ],
    labels: Uint16Array.from({ length: rows }, (_, r) => (r % 4 < 2 ? 0 : 1)),
  };
  return {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts: broadcast === undefined ? new Map() : new Map([[stage, broadcast]]),
    sharedSeed: null,
    blocks: (async function* () {
      if (rows > 0) yield block;
    })(),
    kernels: plainKernels(),
    random: { bytes: byte },
  };
}

const anchors = (change: Record<string, number[]> = {}): Broadcast =>
  Object.fromEntries(
    Object.entries({
      [felpANames.prototypes]: [0.25, 0.5, 0, 0.75, 0, 0.5],
      [felpANames.present]: [1, 1],
      [felpANames.weights]: [0.5, -0.25],
      ...change,
    }).map(([name, values]) => [name, Float64Array.from(values)]),
  );

describe("feature-selection (site side)", () => {
  const choices = [
    { method: "felp-a", parameters: { rounds: 2 } },
    { method: "felp-s" },
    { variant: "paper", method: "felp" },
    { variant: "paper", method: "fple" },
    { variant: "paper", method: "fwell", privacy: "none" },
    { variant: "paper", method: "fwell-en", privacy: "none" },
  ];

  it.each(choices)(
    "answers every stage of the plan in its length, with rows and without: %j",
    async (choice) => {
      const study = studyOf(choice);
      const analysis = await siteSideOf(study);
      for (const stage of planStudy(study).stages) {
        if (stage.kind !== "sum") throw new Error("feature-selection has sums alone");
        const vector = await analysis.vector(stage.id, input(study, stage.id, anchors()));
        expect(vector).toHaveLength(stage.length);
        expect(vector.some((entry) => entry !== 0n)).toBe(true);
        const empty = await analysis.vector(stage.id, input(study, stage.id, anchors(), 0));
        expect(empty).toEqual(new BigUint64Array(stage.length));
      }
      expect(analysis.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
    },
  );

  it("refuses invalid anchors and weights, before it reads a row", async () => {
    const study = studyOf({ method: "felp-a", parameters: { rounds: 2, lambda: 1 } });
    const stage = felpAStages.margins(2);
    const wrong: Record<string, number[]>[] = [
      { [felpANames.prototypes]: [0.25, 0.5, 0, 0.75, 0] },
      { [felpANames.prototypes]: [1.25, 0.5, 0, 0.75, 0, 0.5] },
      { [felpANames.prototypes]: [0.25, 0.75, 0, 0.75, 0, 0.5] },
      { [felpANames.prototypes]: [-0.25, 0.5, 0, 0.75, 0, 0.5] },
      { [felpANames.prototypes]: [0.1, 0.5, 0, 0.75, 0, 0.5] },
      { [felpANames.prototypes]: [Number.NaN, 0.5, 0, 0.75, 0, 0.5] },
      { [felpANames.present]: [1] },
      { [felpANames.present]: [1, 0.5] },
      { [felpANames.present]: [1, 2] },
      { [felpANames.weights]: [0.5] },
      { [felpANames.weights]: [0.5, 0.75] },
      { [felpANames.weights]: [0.1, 0] },
      { [felpANames.weights]: [Number.POSITIVE_INFINITY, 0] },
    ];
    for (const change of [...wrong, null]) {
      const asked = input(study, stage, change === null ? undefined : anchors(change));
      const untouched = {
        ...asked,
        // biome-ignore lint/correctness/useYield: it must not come so far
        blocks: (async function* (): AsyncGenerator<ColumnBlock> {
          throw new Error("the table was read");
        })(),
      };
      await expect((await siteSideOf(study)).vector(stage, untouched)).rejects.toMatchObject({
        code: "BROADCAST_INVALID",
      });
    }
  });

  it.each(choices)("has no other stage, and never hands out rows: %j", async (choice) => {
    const study = studyOf(choice);
    const other = "moments" as StageId;
    await expect((await siteSideOf(study)).vector(other, input(study, other))).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
    expect((await siteSideOf(study)).rows).toBeUndefined();
  });
});
