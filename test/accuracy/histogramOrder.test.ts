import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { dpKaConversation } from "@consilium/methods/dp-ka/conversation";
import { type DpKaStudy, dpKaLayout } from "@consilium/methods/dp-ka/study";
import { normalStream } from "@consilium/methods/shared/draws/gaussian";
import { simulateSelection } from "@consilium/methods/testing/kAnonymous/simulation";
import { parseStudy } from "@consilium/methods/testing/studies";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";

/** Small tables of eight numbers, of which three say something of the label: what a study of a few hundred patients finds. */

const kernels = plainKernels();
const informative = [1, 4, 6];
const weights = [0, 1.6, 0, 0, 1.2, 0, 1.2, 0];
const sites = ["a", "b", "c", "d", "e"];

function studyOf(order: string, rows: number, epsilon: number): DpKaStudy {
  return unwrap(
    parseStudy({
      name: "small",
      table: "t",
      analysis: "k-anonymous-selection",
      method: "dp-ka",
      features: weights.map((_, f) => ({ name: `x${f}`, type: "numeric", min: -3, max: 3 })),
      label: { name: "ill", levels: ["no", "yes"] },
      privacy: { epsilon, delta: 1e-5 },
      participation: { sites, minimumSites: 5, maxRowsPerSite: 1000, expectedRows: rows },
      // One feature alone fits: the order is what is looked at.
      parameters: { bins: 8, k: 2, maxCells: 8, order, evaluation: "none" },
    }),
  ) as DpKaStudy;
}

function tableOf(rows: number, seed: string): ColumnBlock[][] {
  const uniform = seedrandom(`table ${seed}`);
  const normal = normalStream(seedrandom(`columns ${seed}`));
  const all = Array.from({ length: rows }, () => {
    const values = weights.map(() => Math.max(-3, Math.min(3, normal())));
    const logOdds = -0.6 + values.reduce((sum, value, f) => sum + weights[f]! * value, 0);
    return { values, label: uniform() < 1 / (1 + Math.exp(-logOdds)) ? 1 : 0 };
  });
  return sites.map((_, site) => {
    const own = all.filter((_, r) => r % sites.length === site);
    return [
      {
        rows: own.length,
        columns: weights.map((_, f) => Float64Array.from(own, ({ values }) => values[f]!)),
        labels: Uint16Array.from(own, ({ label }) => label),
      },
    ];
  });
}

const run = (study: DpKaStudy, tables: ColumnBlock[][], seed: string) =>
  simulateSelection({
    study,
    tables,
    kernels,
    random: seededRandom(seed),
    run: (conversation) => dpKaConversation({ study, conversation }),
  });

describe.each([
  [239, 4],
  [614, 2],
])("of %i rows at ε = %i, over 40 draws of rows and noise", (rows, epsilon) => {
  it("one histogram tries an informative feature first, where boosting finds none", async () => {
    const draws = 40;
    const [byHistogram, byBoosting] = [studyOf("auto", rows, epsilon), studyOf("boosting", rows, epsilon)];
    expect(dpKaLayout(byHistogram).ordering.by).toBe("histogram");
    let [found, split, stoodOut, uninformative] = [0, 0, 0, 0];
    for (let draw = 0; draw < draws; draw++) {
      const tables = tableOf(rows, `${rows} ${draw}`);
      const one = await run(byHistogram, tables, `histogram ${draw}`);
      if (informative.includes(one.order[0]!)) found++;
      one.importance.forEach(({ standsOut }, f) => {
        if (!standsOut) return;
        if (informative.includes(f)) stoodOut++;
        else uninformative++;
      });
      const other = await run(byBoosting, tables, `boosting ${draw}`);
      if (other.importance.some(({ standsOut }) => standsOut)) split++;
    }
    expect(found / draws).toBeGreaterThanOrEqual(0.9);
    expect(stoodOut).toBeGreaterThan(0);
    // Of the others one is taken for informative in one of twenty studies at most.
    expect(uninformative).toBeLessThanOrEqual(8);
    expect(split / draws).toBeLessThanOrEqual(0.1);
  });
});
