import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { survivalProposal } from "@consilium/methods/survival/site";
import { planSurvival, survivalLayout } from "@consilium/methods/survival/study";
import { type Followed, followedBlock, survivalTestStudy } from "@consilium/methods/testing/survival/study";
import { vectorOf } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** Survival: three intervals, two arms. */

const privacy = { epsilon: 1, delta: 1e-5 };

const study = survivalTestStudy({
  features: [
    { name: "months", type: "numeric", min: 0, max: 60, edges: [12, 36] },
    { name: "arm", type: "categorical", levels: ["standard", "new"] },
  ],
  privacy,
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
});
const { stage } = survivalLayout(study);
const noise = plannedNoise(planSurvival(study), stage.id);

/** In each interval and beyond the horizon, of any status, in either arm. */
const domain: readonly Followed[] = [3, 20, 50, 70].flatMap((months) =>
  ([0, 1] as const).flatMap((arm) => ([0, 1] as const).map((status): Followed => ({ months, arm, status }))),
);

async function counted(rows: readonly Followed[]): Promise<Integers> {
  const vector = await vectorOf(study, stage.id, survivalProposal(study, stage.id), {
    blocks: streamed([followedBlock(rows)]),
    kernels: plainKernels(),
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const mechanismOf = (
  vector: (rows: readonly Followed[]) => Promise<Integers>,
  own: StageNoise,
  attained: boolean,
): SumMechanism => ({
  records: domain.length,
  tableRecords: 4,
  stages: [
    {
      id: stage.id,
      vector: (table) => vector(table.map((record) => domain[record]!)),
      noise: own,
      attained,
    },
  ],
});

export const survival: SoundMethod = {
  kind: "sound",
  name: "survival",
  claim: { ...privacy, relation: "add-remove" },
  mechanism: mechanismOf(counted, noise, true),
};

const mutated = (name: string, vector: (rows: readonly Followed[]) => Promise<Integers>): Mutation => ({
  kind: "mutation",
  name: `survival: ${name}`,
  mechanism: mechanismOf(vector, noise, false),
});

export const survivalMutations: readonly Mutation[] = [
  // What a curve is drawn from, summed by the sites themselves: a record is at risk in every interval before its own.
  mutated("numbers at risk in place of counts", async (rows) => {
    const cells = await counted(rows);
    const size = cells.length / 2;
    const backwards = new BigInt64Array(cells.length);
    for (let g = 0; g < 2; g++) {
      let left = 0n;
      for (let c = size - 1; c >= 0; c--) {
        left += cells[g * size + c]!;
        backwards[g * size + c] = left;
      }
    }
    return backwards;
  }),
  mutated("a record counted in both arms", async (rows) => {
    const cells = await counted(rows);
    const size = cells.length / 2;
    return cells.map((_, c) => cells[c % size]! + cells[(c % size) + size]!);
  }),
  mutated("parts of all records in place of counts", async (rows) => {
    const { scale } = soundSum(study, stage);
    const cells = await counted(rows);
    // Times a thousand: in a table of one record, that record is as much as a thousand.
    return cells.map((cell) => (cell * 1000n * BigInt(scale)) / BigInt(Math.max(1, rows.length)));
  }),
];
