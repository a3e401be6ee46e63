import type { StageId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { stageTable } from "@consilium/core/learning/stageTable";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { answerOf } from "@consilium/gate/answer";
import type { Contributor } from "@consilium/gate/contributions";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { proposed } from "../shared/records/proposal.js";
import { type Followed, followedBlock, followedRows, survivalTestStudy } from "../testing/survival/study.js";
import { vectorOf } from "../testing/vectors.js";
import { survivalProposal } from "./site.js";
import { survivalLayout } from "./study.js";

const study = survivalTestStudy();
const { stage } = survivalLayout(study);

const input = (blocks: readonly ColumnBlock[]) => ({
  blocks: streamed(blocks),
  kernels: plainKernels(),
  random: seededRandom("a site"),
  checks: osRandom,
});

const sums = async (rows: readonly Followed[]) =>
  signedNumbers(
    await vectorOf(study, stage.id, survivalProposal(study, stage.id), input([followedBlock(rows)])),
  );

/** In each interval and at its ends, of either status, in either arm. */
const domain: readonly Followed[] = [0, 5.99, 6, 12, 30, 47.9, 48, 59.99, 60, 61, 1e9].flatMap((months) =>
  ([0, 1] as const).flatMap((arm) => ([0, 1] as const).map((status): Followed => ({ months, arm, status }))),
);

describe("survival at a site", () => {
  it("counts a record once: at its arm, its interval and its status", async () => {
    const at = async (months: number, arm: 0 | 1, status: 0 | 1) => {
      const cells = await sums([{ months, arm, status }]);
      expect(cells).toHaveLength(26);
      expect(cells.filter((cell) => cell !== 0)).toEqual(Float64Array.of(1));
      return cells.indexOf(1);
    };
    expect(await at(0, 0, 0)).toBe(0);
    expect(await at(0, 0, 1)).toBe(1);
    expect(await at(5.99, 0, 1)).toBe(1);
    expect(await at(6, 0, 1)).toBe(3);
    expect(await at(59.99, 0, 1)).toBe(11);
    // At the horizon and beyond it a record is censored, whatever its status.
    expect(await at(60, 0, 0)).toBe(12);
    expect(await at(60, 0, 1)).toBe(12);
    expect(await at(61, 0, 1)).toBe(12);
    expect(await at(12, 1, 0)).toBe(13 + 4);
    expect(await at(1e9, 1, 1)).toBe(25);
  });

  it("takes part with any table, and knows its one stage alone", async () => {
    const side = await siteSideOf(study);
    expect(side.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
    expect(await sums([])).toEqual(new Float64Array(26));
    expect(() => survivalProposal(study, "other" as StageId)).toThrow(
      expect.objectContaining({ code: "MESSAGE_UNEXPECTED" }),
    );
  });
});

describe("the sensitivity", () => {
  it("is 1: of all neighbours of small tables none differs by more, and every record attains it", async () => {
    expect(stage.sensitivitySquared).toBe(1);
    for (const crowd of [[], domain.slice(0, 1), [domain[7]!, domain[7]!, domain[30]!]]) {
      const before = await sums(crowd);
      for (const record of domain) {
        for (const place of [0, crowd.length]) {
          const after = await sums([...crowd.slice(0, place), record, ...crowd.slice(place)]);
          expect(after.reduce((total, value, i) => total + (value - before[i]!) ** 2, 0)).toBe(1);
        }
      }
    }
  });

  it("is the gate's to hold: a contributor of two cells, or of more than 1, adds nothing", async () => {
    const weakened = async (write: Extract<Contributor, { kind: "histogram" }>["write"]) =>
      vectorOf(
        study,
        stage.id,
        proposed(study, stage, () => ({ kind: "histogram", write })),
        input([followedBlock(followedRows)]),
      );
    const refusal = { code: "METHOD_REFUSED" };
    // The control: one cell, with 1.
    const one = await weakened((_, cells, values) => {
      cells[0] = 3;
      values[0] = 1;
      return 1;
    });
    expect(one[3]).toBe(240n);
    await expect(
      weakened((_, cells, values) => {
        cells[0] = 0;
        cells[1] = 1;
        values[0] = 1;
        values[1] = 1;
        return 2;
      }),
    ).rejects.toMatchObject(refusal);
    await expect(
      weakened((_, cells, values) => {
        cells[0] = 0;
        values[0] = 2;
        return 1;
      }),
    ).rejects.toMatchObject(refusal);
    // One that only breaks its query where nobody rehearses it: such records are left out and counted.
    const { exact, refused } = await answerOf(
      proposed(study, stage, () => ({
        kind: "histogram",
        write(record, cells, values) {
          cells[0] = 0;
          values[0] = record.values[0] === 6.3 ? 2 : 1;
          return 1;
        },
      })),
      stageTable(study, input([followedBlock([{ months: 6.3, arm: 0, status: 1 }, ...domain.slice(0, 4)])])),
    );
    expect([exact[0], refused]).toEqual([4n, 1]);
  });
});
