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
const { stage, root } = survivalLayout(study);

const input = (blocks: readonly ColumnBlock[]) => ({
  blocks: streamed(blocks),
  kernels: plainKernels(),
  random: seededRandom("a site"),
  checks: osRandom,
});

const sums = async (rows: readonly Followed[], of = study) =>
  signedNumbers(await vectorOf(of, stage.id, survivalProposal(of, stage.id), input([followedBlock(rows)])));

/** Counts of all runs, one after another. */
async function counts(rows: readonly Followed[], of = study) {
  const values = await sums(rows, of);
  return Array.from({ length: values.length / root.run }, (_, r) => [
    ...root.counts(values.subarray(r * root.run, (r + 1) * root.run)),
  ]).flat();
}

/** In each interval and at its ends, of either status, in either arm. */
const domain: readonly Followed[] = [0, 5.99, 6, 12, 20, 30, 47.9, 48, 59.99, 60, 61, 1e9].flatMap((months) =>
  ([0, 1] as const).flatMap((arm) => ([0, 1] as const).map((status): Followed => ({ months, arm, status }))),
);

describe("survival at a site", () => {
  it("counts a record once: at its arm, at how its follow-up ended, and its interval, which ends closed", async () => {
    const at = async (months: number, arm: 0 | 1, status: 0 | 1, of = study) => {
      const cells = await counts([{ months, arm, status }], of);
      expect(cells).toHaveLength(of === study ? 28 : 42);
      expect(cells.filter((cell) => cell !== 0)).toEqual([1]);
      return cells.indexOf(1);
    };
    expect(await at(0, 0, 0)).toBe(0);
    expect(await at(0, 0, 1)).toBe(7);
    expect(await at(5.99, 0, 1)).toBe(7);
    expect(await at(6, 0, 1)).toBe(7);
    expect(await at(6.001, 0, 1)).toBe(8);
    expect(await at(59.99, 0, 1)).toBe(12);
    // At the horizon and beyond it a record is censored, whatever its status.
    expect(await at(60, 0, 0)).toBe(6);
    expect(await at(60, 0, 1)).toBe(6);
    expect(await at(61, 0, 1)).toBe(6);
    expect(await at(12, 1, 0)).toBe(14 + 1);
    expect(await at(1e9, 1, 1)).toBe(14 + 6);
    const competing = survivalTestStudy({
      label: { name: "status", levels: ["transplant", "dead", "alive"] },
      parameters: { event: "dead", competing: ["transplant"] },
    });
    // Status 0 is the competing cause there.
    expect(await at(7, 1, 0, competing)).toBe(21 + 14 + 1);
    expect(await at(7, 1, 1, competing)).toBe(21 + 7 + 1);
    expect(await at(60, 1, 0, competing)).toBe(21 + 6);
  });

  it("takes part with any table, and knows its one stage alone", async () => {
    const side = await siteSideOf(study);
    expect(side.demands(study)).toEqual({ minimumRows: 0, refuseConstant: false });
    expect(await sums([])).toEqual(new Float64Array(28));
    expect(() => survivalProposal(study, "other" as StageId)).toThrow(
      expect.objectContaining({ code: "MESSAGE_UNEXPECTED" }),
    );
  });
});

describe("the sensitivity", () => {
  it("is that of the root's first column: of all neighbours of small tables none differs by more, and some attain it", async () => {
    const squares = root.column.reduce((sum, entry) => sum + entry ** 2, 0);
    expect(stage.sensitivitySquared).toBe(squares);
    for (const crowd of [[], domain.slice(0, 1), [domain[7]!, domain[7]!, domain[30]!]]) {
      const before = await sums(crowd);
      const changes = new Set<number>();
      for (const record of domain) {
        for (const place of [0, crowd.length]) {
          const after = await sums([...crowd.slice(0, place), record, ...crowd.slice(place)]);
          changes.add(after.reduce((total, value, i) => total + (value - before[i]!) ** 2, 0));
        }
      }
      // A record of interval b changes what comes from it on.
      expect([...changes].sort((x, y) => y - x)).toEqual(
        [0, 1, 2, 3, 4, 5, 6].map((b) =>
          root.column.slice(0, 7 - b).reduce((sum, entry) => sum + entry ** 2, 0),
        ),
      );
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
    expect(one.slice(2, 5)).toEqual(BigUint64Array.of(0n, 240n * 256n, 240n * 128n));
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
    expect([exact[0], refused]).toEqual([4n * 256n, 1]);
  });
});
