import type { StageId } from "@consilium/core/ids";
import { type SumConversation, simulatedSite, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { wholly } from "@consilium/core/method/parts";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import { dpPccConversation } from "@consilium/methods/dp-pcc/conversation";
import { dpPccSConversation } from "@consilium/methods/dp-pcc-s/conversation";
import { answerUnit } from "@consilium/methods/dp-pcc-s/study";
import { type BinnedFeature, binBlock } from "@consilium/methods/shared/columns/binning";
import { bestCut } from "@consilium/methods/shared/correlation-tree/bestCut";
import { splitsName, treeStages } from "@consilium/methods/shared/correlation-tree/treeStudy";
import { asCorrelationTree, type SoundTreeStudy, siteVector } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** dp-pcc and dp-pcc-s: two numbers in three intervals, and for dp-pcc a category of three levels. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

interface Row {
  readonly values: readonly [number, number, number];
  readonly label: number;
}

/** Rows in each interval and of each level, some alike but for their class. */
const domain: readonly Row[] = [
  { values: [0.1, 0.1, 0], label: 0 },
  { values: [0.5, 0.5, 1], label: 0 },
  { values: [0.5, 0.6, 1], label: 0 },
  { values: [0.5, 0.6, 1], label: 1 },
  { values: [0.9, 0.8, 2], label: 1 },
  { values: [0.8, 0.9, 2], label: 1 },
  { values: [0.9, 0.9, 0], label: 0 },
  { values: [0.6, 0.5, 2], label: 0 },
];

const random = {
  bytes(): Uint8Array {
    throw new Error("a vector is a function of the rows");
  },
};

function studyOf(method: "dp-pcc" | "dp-pcc-s", parameters: Record<string, unknown>): SoundTreeStudy {
  const number = (name: string) => ({ name, type: "numeric", min: 0, max: 1, edges: [0.3, 0.7] });
  const level = { name: "c", type: "categorical", levels: ["x", "y", "z"] };
  const study = asCorrelationTree(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "correlation-tree",
        method,
        features: method === "dp-pcc" ? [number("a"), number("b"), level] : [number("a"), number("b")],
        label: { name: "sick", levels: ["no", "yes"] },
        privacy,
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
        parameters: { depth: 2, guard: 0, ...parameters },
      }),
    ),
  );
  if (study.variant !== "sound") throw new RangeError(`${method} is sound`);
  return study;
}

function blockOf(study: SoundTreeStudy, rows: readonly Row[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: study.features.map((_, j) => Float64Array.from(rows, ({ values }) => values[j]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

async function vectorOf(
  study: SoundTreeStudy,
  id: StageId,
  rows: readonly Row[],
  broadcasts: Broadcasts,
): Promise<Integers> {
  const blocks = streamed([blockOf(study, rows)]);
  const input = { site: simulatedSite(0), sites: 3, broadcasts, blocks, kernels, random, checks: osRandom };
  const vector = await siteVector(study, id, input);
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

/** Ends a conversation at the stage whose broadcasts were sought. */
class Reached extends Error {}

/** All that the aggregator's own program broadcasts up to the stage after these sums. */
async function broadcastsAfter(study: SoundTreeStudy, published: readonly Integers[]): Promise<Broadcasts> {
  const broadcasts = new Map<StageId, Broadcast>();
  let next = 0;
  const conversation: SumConversation = {
    sites: 3,
    survivors: 3,
    kernels,
    part: wholly,
    async sum(id, broadcast) {
      broadcasts.set(id, broadcast);
      const sum = published[next++];
      if (sum === undefined) throw new Reached();
      return new BigUint64Array(sum.slice().buffer);
    },
    draw(name) {
      throw new Error(`nothing is drawn, and not ${name}`);
    },
  };
  try {
    if (study.method === "dp-pcc") await dpPccConversation({ study, conversation });
    else await dpPccSConversation({ study, conversation });
  } catch (thrown) {
    if (!(thrown instanceof Reached)) throw thrown;
  }
  return broadcasts;
}

function noiseOf(study: SoundTreeStudy, id: StageId): StageNoise {
  const planned = planStudy(study).stages.find((one) => one.id === id);
  if (planned?.kind !== "sum" || planned.noise === null) throw new RangeError(`stage ${id} has no noise`);
  return planned.noise;
}

function mechanismOf(study: SoundTreeStudy, attained: (id: StageId) => boolean): SumMechanism {
  const stages = planStudy(study).stages.map(({ id }, index): AuditedStage => {
    // Both neighbours are asked after the same sums.
    let last: { readonly key: Integers | undefined; readonly broadcasts: Broadcasts } | null = null;
    return {
      id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key)
          last = { key, broadcasts: await broadcastsAfter(study, published) };
        const rows = table.map((record) => domain[record]!);
        return vectorOf(study, id, rows, last.broadcasts);
      },
      noise: noiseOf(study, id),
      attained: attained(id),
    };
  });
  return { records: domain.length, tableRecords: 3, stages };
}

const counted = studyOf("dp-pcc", { evaluation: { heldOut: 0.5, share: 0.1 } });
const sampled = studyOf("dp-pcc-s", { evaluation: "none", blocks: 2 });

export const correlationTrees: readonly SoundMethod[] = [
  {
    kind: "sound",
    name: "dp-pcc",
    claim: { ...privacy, relation: "add-remove" },
    mechanism: mechanismOf(counted, () => true),
  },
  {
    kind: "sound",
    name: "dp-pcc-s",
    claim: { ...privacy, relation: "add-remove" },
    mechanism: {
      // Below the root a block must find both attributes at once within one node, which a few records seldom do.
      ...mechanismOf(sampled, (id) => id !== treeStages.level(1)),
      // Healthy records in the middle: one more that is ill, and elsewhere, gives its block an answer.
      background: [1, 2],
    },
  },
];

/** One stage of a study with its own noise and something wrong. */
function mutated(
  name: string,
  study: SoundTreeStudy,
  vector: (rows: readonly Row[]) => Promise<Integers>,
  change: { readonly id?: StageId; readonly noise?: StageNoise } = {},
): Mutation {
  const { id = treeStages.level(0), noise = noiseOf(study, id) } = change;
  return {
    kind: "mutation",
    name: `${study.method}: ${name}`,
    mechanism: {
      records: domain.length,
      tableRecords: 4,
      stages: [
        {
          id,
          vector: (table) => vector(table.map((record) => domain[record]!)),
          noise,
          attained: false,
        },
      ],
    },
  };
}

const plain = studyOf("dp-pcc", { evaluation: "none" });
const rootOf = (rows: readonly Row[]) => vectorOf(plain, treeStages.level(0), rows, new Map());

/** Each number moved to [0, 1] by the table's own least and largest. */
function rescaled(rows: readonly Row[]): Row[] {
  const range = (j: 0 | 1) => {
    const values = rows.map((row) => row.values[j]);
    const low = Math.min(...values);
    return { low, width: Math.max(...values) - low || 1 };
  };
  const [a, b] = [range(0), range(1)];
  return rows.map(({ values: [x, y, level], label }) => ({
    values: [(x - a.low) / a.width, (y - b.low) / b.width, level],
    label,
  }));
}

/** The second level's histogram below a split that the table itself chose. */
async function ownSplit(rows: readonly Row[]): Promise<Integers> {
  const right = rows.filter(({ label }) => label === 1).length;
  const cut = 2 * right > rows.length ? 0 : 1;
  const told: Broadcasts = new Map([[treeStages.level(1), { [splitsName]: Float64Array.of(0, cut) }]]);
  return vectorOf(plain, treeStages.level(1), rows, told);
}

/**
 * What blocks answer that rows are dealt to in turn, by their place in the table: after the first of three rows that every
 * table has. A record between them moves the ones behind it to other blocks.
 */
async function inTurn(between: readonly Row[]): Promise<Integers> {
  const rows = [domain[1]!, ...between, domain[5]!, domain[7]!];
  const answers = new Float64Array(4);
  const edges = Float64Array.of(0.3, 0.7);
  const features = ["a", "b"].map(
    (name): BinnedFeature => ({ name, kind: "ordered", bins: 3, edges, levels: [] }),
  );
  for (const block of [0, 1]) {
    const own = blockOf(
      sampled,
      rows.filter((_, r) => r % 2 === block),
    );
    binBlock(own, features).forEach((bins, f) => {
      const counts = new Float64Array(6);
      for (let r = 0; r < own.rows; r++) counts[2 * bins[r]! + own.labels![r]!]!++;
      const best = bestCut(counts, "ordered", 2, 0);
      if (best === null) return;
      answers[2 * f]! += Math.trunc(best.correlation * answerUnit);
      answers[2 * f + 1]! += Math.trunc((best.correlation * answerUnit * (best.cut + 1)) / 2);
    });
  }
  // Δ² = 2·2·unit², in the integers that travel.
  const unit = Math.sqrt(noiseOf(sampled, treeStages.level(0)).event.l2SensitivitySquared / 4);
  return BigInt64Array.from(answers, (answer) => BigInt((answer * unit) / answerUnit));
}

const rootNoise = noiseOf(plain, treeStages.level(0));

export const correlationTreeMutations: readonly Mutation[] = [
  mutated("bins by the table's own least and largest values", plain, (rows) => rootOf(rescaled(rows))),
  mutated("a split that the table chose for itself", plain, ownSplit, { id: treeStages.level(1) }),
  mutated("a row counted in both classes", plain, (rows) =>
    rootOf(rows.flatMap((row) => [row, { ...row, label: 1 - row.label }])),
  ),
  mutated("attributes not counted in the sensitivity", plain, rootOf, {
    noise: {
      ...rootNoise,
      event: { ...rootNoise.event, l2SensitivitySquared: rootNoise.event.l2SensitivitySquared / 3 },
    },
  }),
  mutated("blocks by a row's place in the table", sampled, inTurn),
];
