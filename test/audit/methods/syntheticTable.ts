import type { SiteId, StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import { type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import { syntheticTableLayout, tablesStageId, treeName } from "@consilium/methods/synthetic-table/study";
import { siteVector } from "@consilium/methods/testing/families";
import { syntheticStudy } from "@consilium/methods/testing/syntheticTable";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** synthetic-table: an age in two intervals, a sex, and a ward of four, of which the first sum counts two together. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

const study = syntheticStudy({
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, edges: [50], missing: "reject-row" },
    { name: "sex", type: "categorical", levels: ["f", "m"], missing: "reject-row" },
    { name: "ward", type: "categorical", levels: ["a", "b", "c", "d"], missing: "reject-row" },
  ],
  parameters: { coarse: 3 },
  privacy,
});
const { pairs, stage, joints } = syntheticTableLayout(study);

const domain = [20, 70].flatMap((age) =>
  [0, 1].flatMap((sex) => [0, 1, 2, 3].map((ward) => [age, sex, ward])),
);

/** The age given the sex, which is given the ward. */
const broadcasts: Broadcasts = new Map([[tablesStageId, { [treeName]: Float64Array.of(1, 2, -1) }]]);

async function vectorOf(id: StageId, table: readonly number[]): Promise<Integers> {
  const rows = table.map((record) => domain[record]!);
  const columns = [0, 1, 2].map((column) => Float64Array.from(rows, (row) => row[column]!));
  const blocks = streamed([{ rows: rows.length, columns, labels: null }]);
  const site = "site-001" as SiteId;
  const vector = await siteVector(study, id, {
    site,
    sites: 3,
    broadcasts,
    blocks,
    kernels,
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const noiseOf = (id: StageId) => plannedNoise(planStudy(study), id);

const audited = ({ id }: SoundStage, attained = true, noise: StageNoise = noiseOf(id)): AuditedStage => ({
  id,
  vector: (table) => vectorOf(id, table),
  noise,
  attained,
});

const mechanismOf = (stages: readonly AuditedStage[]): SumMechanism => ({
  records: domain.length,
  tableRecords: 3,
  stages: [...stages],
});

export const syntheticTables: SoundMethod = {
  kind: "sound",
  name: "synthetic-table",
  claim: { ...privacy, relation: "add-remove" },
  mechanism: mechanismOf([audited(pairs!.stage), audited(stage)]),
};

/** With a smaller Δ², in the stage's own integers. */
function withBound(of: SoundStage, squares: number): AuditedStage {
  const noise = noiseOf(of.id);
  const l2SensitivitySquared = squares * soundSum(study, of).scale ** 2;
  return audited(of, false, { ...noise, event: { ...noise.event, l2SensitivitySquared } });
}

const jointSquares = joints.reduce((sum, joint) => sum + (joint?.weight ?? 0) ** 2, 0);

export const syntheticTableMutations: readonly Mutation[] = [
  {
    kind: "mutation",
    name: "synthetic-table: the bound of coarse tables of weight 1",
    mechanism: mechanismOf([withBound(pairs!.stage, pairs!.tables.length)]),
  },
  {
    kind: "mutation",
    name: "synthetic-table: the bound of the tables along the tree without the columns' own",
    mechanism: mechanismOf([withBound(stage, jointSquares)]),
  },
];
