import type { SiteId } from "@consilium/core/ids";
import { type SumConversation, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { wholly } from "@consilium/core/method/parts";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import { anchoredMargins } from "@consilium/methods/felp-a/anchors";
import { felpAConversation } from "@consilium/methods/felp-a/conversation";
import { asFelpA, type FelpAStudy, felpALayout, felpAStages } from "@consilium/methods/felp-a/study";
import { blockVector as blockAnswer } from "@consilium/methods/felp-s/blocks";
import { asFelpS, type FelpSStudy } from "@consilium/methods/felp-s/study";
import { marginsOf, nearestNeighbours } from "@consilium/methods/shared/local-learning/neighbours";
import { readUnitTable } from "@consilium/methods/shared/local-learning/unitRows";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { felpAVector } from "@consilium/methods/testing/vectors";
import { paperFelpConversation, paperFelpVector } from "@consilium/methods-paper/felp/paper";
import { asPaperFelp } from "@consilium/methods-paper/felp/study";
import { osRandom } from "@consilium/runtime/random";
import type {
  Attack,
  AuditedStage,
  Integers,
  Mutation,
  PaperMethod,
  SoundMethod,
  SumMechanism,
} from "../auditedMethod.js";

/** felp-a, felp-s, and FELP as published: two columns, two classes. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };
const pause = async () => {};

interface Row {
  readonly values: readonly [number, number];
  readonly label: number;
}

const row = (a: number, b: number, label: number): Row => ({ values: [a, b], label });

/** Beyond the sphere, inside of it, in the middle; in either class. */
const domain: readonly Row[] = [
  row(0, 0.5, 0),
  row(0, 0.5, 1),
  row(1, 1, 1),
  row(0.9, 0.1, 0),
  row(0.4, 0.7, 0),
  row(0.5, 0.5, 1),
  row(0.2, 0.3, 0),
];

function studyOf(choice: Record<string, unknown>): Study {
  const column = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
  return unwrap(
    parseStudy({
      name: "audit",
      table: "records",
      analysis: "feature-selection",
      features: [column("a"), column("b")],
      label: { name: "y", levels: ["no", "yes"] },
      privacy,
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 2000 },
      ...choice,
    }),
  );
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  const column = (j: 0 | 1) => Float64Array.from(rows, ({ values }) => values[j]);
  return {
    rows: rows.length,
    columns: [column(0), column(1)],
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

const rowsOf = (table: readonly number[]) => table.map((record) => domain[record]!);

const integersOf = (values: Float64Array): Integers => BigInt64Array.from(values, BigInt);

function noiseOf(study: Study, id: string): StageNoise {
  const stage = planStudy(study).stages.find((one) => one.id === id);
  if (stage?.kind !== "sum" || stage.noise === null) throw new RangeError(`stage ${id} has no noise`);
  return stage.noise;
}

// felp-a

const anchored = (rounds: number): FelpAStudy =>
  asFelpA(studyOf({ method: "felp-a", parameters: { radius: 0.5, clip: 0.2, rounds } }));

/**
 * What others are supposed to have added to the published prototypes: a thousand rows of each class, about (0.2, 0.3) and
 * (0.8, 0.6). Few records alone would not stand out of the noise, and no class would take part. Any broadcast that follows from
 * what was published is fair.
 */
function withOthers(study: FelpAStudy, published: Integers): Integers {
  const { columns, kappaUnits, centre, radius } = felpALayout(study);
  const others = 1000;
  const sum = published.slice();
  [
    [0.2, 0.3],
    [0.8, 0.6],
  ].forEach((mean, c) => {
    const start = c * (columns + 1);
    mean.forEach((value, j) => {
      const integer = Math.trunc(((value - centre[j]!) / radius) * 2 ** 20);
      sum[start + j] = sum[start + j]! + BigInt(others * integer);
    });
    sum[start + columns] = sum[start + columns]! + BigInt(others * kappaUnits);
  });
  return sum;
}

/** Ends a conversation at the stage whose broadcast was sought. */
class Reached extends Error {}

/** What the aggregator's own program broadcasts for the stage after these sums. */
async function broadcastAfter(study: FelpAStudy, published: readonly Integers[]): Promise<Broadcast> {
  let next = 0;
  let told: Broadcast = {};
  try {
    await felpAConversation(study, {
      sites: 3,
      survivors: 3,
      kernels,
      part: wholly,
      async sum(_, broadcast) {
        const sum = published[next++];
        told = broadcast;
        if (sum === undefined) throw new Reached();
        const shown = next === 1 ? withOthers(study, sum) : sum;
        return new BigUint64Array(shown.slice().buffer);
      },
      draw: (_, make) => make(),
    });
  } catch (thrown) {
    if (!(thrown instanceof Reached)) throw thrown;
  }
  return told;
}

async function felpAStageVector(
  study: FelpAStudy,
  id: AuditedStage["id"],
  rows: readonly Row[],
  broadcast: Broadcast,
): Promise<Integers> {
  const stage = felpALayout(study).margins.find((one) => one.id === id) ?? felpALayout(study).prototypes;
  const broadcasts = new Map([[stage.id, broadcast]]);
  const vector = await felpAVector(study, stage.id, {
    broadcasts,
    blocks: streamed([blockOf(rows)]),
    kernels: plainKernels(),
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

function felpAMechanism(rounds: number): SumMechanism {
  const study = anchored(rounds);
  const { prototypes, margins } = felpALayout(study);
  const stages = [prototypes, ...margins].map((stage, index): AuditedStage => {
    // Both neighbours are asked after the same sums.
    let last: { readonly key: Integers | undefined; readonly broadcast: Broadcast } | null = null;
    return {
      id: stage.id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key) {
          last = { key, broadcast: index === 0 ? {} : await broadcastAfter(study, published) };
        }
        return felpAStageVector(study, stage.id, rowsOf(table), last.broadcast);
      },
      noise: noiseOf(study, stage.id),
      // A gradient's factor is below 1 for every weight that is broadcast.
      attained: index < 2,
    };
  });
  return { records: domain.length, tableRecords: 4, stages };
}

// felp-s

const sampled: FelpSStudy = asFelpS(studyOf({ method: "felp-s", parameters: { blocks: 2 } }));

/** In every table, in the first block: two of one class, and one of the other, which the two are compared with. */
const started: readonly Row[] = [row(0, 0, 0), row(0, 0, 0), row(0.6, 0, 1)];

/** One more record of class 1, at the last of these, turns the first block's weights by a right angle. */
const lots: readonly Row[] = [...domain.slice(0, 5), row(0, 0.5, 1)];

/** Each record's lot, by its number and how many of the same come before it: no other record has a say in it. */
function drawnLots(table: readonly number[]): number[] {
  const seen = new Map<number, number>();
  return table.map((record) => {
    const before = seen.get(record) ?? 0;
    seen.set(record, before + 1);
    // The last record's first copy in the first block; the others as it comes.
    return record === lots.length - 1 && before === 0 ? 0 : (record * 7 + before * 5 + 1) % 2;
  });
}

async function blockVector(rows: readonly Row[], blocks: readonly number[]): Promise<Integers> {
  const table = await readUnitTable(sampled, streamed([blockOf(rows)]));
  const d = table.columns;
  const sums = new Float64Array(sampled.features.length);
  for (const block of new Set(blocks)) {
    const members = [...blocks.keys()].filter((at) => blocks[at] === block);
    const values = Float64Array.from(
      members.flatMap((at) => [...table.values.subarray(at * d, (at + 1) * d)]),
    );
    const labels = Uint16Array.from(members, (at) => table.labels[at]!);
    const own = await blockAnswer(sampled, { rows: members.length, columns: d, values, labels }, pause);
    own.forEach((weight, j) => {
      sums[j]! += weight;
    });
  }
  return integersOf(sums);
}

const felpSMechanism: SumMechanism = {
  records: lots.length,
  tableRecords: 4,
  stages: [
    {
      id: "block-weights",
      vector: (table) =>
        blockVector(
          [...started, ...table.map((record) => lots[record]!)],
          [...started.map(() => 0), ...drawnLots(table)],
        ),
      noise: noiseOf(sampled, "block-weights"),
      attained: true,
    },
  ],
};

export const felpSound: readonly SoundMethod[] = [
  // One round has the first two of these stages.
  { name: "felp-a, two rounds", mechanism: felpAMechanism(2) },
  { name: "felp-s", mechanism: felpSMechanism },
].map(({ name, mechanism }) => ({
  kind: "sound",
  name,
  claim: { ...privacy, relation: "add-remove" },
  mechanism,
}));

// Mutations

function mutated(
  name: string,
  mechanism: {
    readonly noise: StageNoise;
    readonly records: number;
    readonly vector: (table: readonly number[]) => Promise<Integers>;
  },
): Mutation {
  const { noise, records, vector } = mechanism;
  const stages = [{ id: "mutated", vector, noise, attained: false }];
  return { kind: "mutation", name, mechanism: { records, tableRecords: 3, stages } };
}

const oneRound = anchored(1);
const marginNoise = noiseOf(oneRound, felpAStages.margins(1));

/** Prototypes as published of nobody's records. */
const fixedAnchors = {
  prototypes: Float64Array.of(0.25, 0.25, 0.75, 0.5),
  present: Float64Array.of(1, 1),
};

/** Rows of [the audit of FELP]: many of one class in one place, and one of the other. */
const crowd: readonly Row[] = [...Array.from({ length: 10 }, () => row(0, 0, 0)), row(0.9, 0.4, 1)];
const crowded: readonly Row[] = [row(0.6, 0, 1), row(0, 0.6, 1), row(0.1, 0.1, 0)];

/** Σ clip_C(z) of a table against its rows' own nearest neighbours, on the grid of felp-a. */
async function realNeighbours(rows: readonly Row[]): Promise<Integers> {
  const table = await readUnitTable(oneRound, streamed([blockOf(rows)]));
  const margins = marginsOf({
    table,
    neighbours: await nearestNeighbours(table, 1, pause),
    counts: new Uint32Array(table.rows).fill(1),
    featureOf: Uint32Array.of(0, 1),
    features: 2,
  });
  return clippedSum(margins.values);
}

function clippedSum(margins: Float64Array): Integers {
  const { clip } = felpALayout(oneRound);
  const sums = new Float64Array(2);
  for (let at = 0; at < margins.length; at += 2) {
    const [a, b] = [margins[at]! / clip, margins[at + 1]! / clip];
    const factor = 2 ** 20 / Math.max(1, Math.hypot(a, b));
    sums[0] = sums[0]! + Math.trunc(a * factor);
    sums[1] = sums[1]! + Math.trunc(b * factor);
  }
  return integersOf(sums);
}

/** A table stretched to its own least and largest values. */
function stretched(rows: readonly Row[]): Row[] {
  const range = (j: 0 | 1): [number, number] => {
    const values = rows.map(({ values }) => values[j]);
    return [Math.min(...values), Math.max(...values)];
  };
  const ranges = [range(0), range(1)] as const;
  const scaled = (value: number, [min, max]: readonly [number, number]) =>
    max > min ? (value - min) / (max - min) : 0.5;
  return rows.map(({ values: [a, b], label }) => row(scaled(a, ranges[0]), scaled(b, ranges[1]), label));
}

/** Rows against the class means of the very table, as if the prototypes were not published before. */
function ownPrototypes(rows: readonly Row[]): Integers {
  const mean = (label: number, j: 0 | 1) => {
    const own = rows.filter((one) => one.label === label);
    return own.length === 0 ? 0.5 : own.reduce((sum, { values }) => sum + values[j], 0) / own.length;
  };
  const anchors = {
    prototypes: Float64Array.of(mean(0, 0), mean(0, 1), mean(1, 0), mean(1, 1)),
    present: [true, true],
  };
  const margins = new Float64Array(2 * rows.length);
  rows.forEach(({ values, label }, r) => {
    const out = margins.subarray(2 * r, 2 * r + 2);
    anchoredMargins({ row: Float64Array.from(values), label, anchors, featureOf: Uint32Array.of(0, 1), out });
  });
  return clippedSum(margins);
}

/**
 * Blocks of three rows by their place in the table: two alike and one of the other class, the classes taking turns. One
 * row more in front, and every block has one class alone.
 */
const queued: readonly Row[] = [0, 1, 0, 1].flatMap((label) => [
  row(0, 0, label),
  row(0, 0, label),
  row(0.6, 0, 1 - label),
]);

export const felpMutations: readonly Mutation[] = [
  mutated("felp-a: real nearest neighbours instead of published prototypes", {
    noise: marginNoise,
    records: crowded.length,
    vector: (table) => realNeighbours([...crowd, ...table.map((record) => crowded[record]!)]),
  }),
  mutated("felp-a: columns scaled by the table's own least and largest values", {
    noise: marginNoise,
    records: domain.length,
    vector: (table) =>
      felpAStageVector(oneRound, felpAStages.margins(1), stretched(rowsOf(table)), fixedAnchors),
  }),
  mutated("felp-a: prototypes of the same table, never published", {
    noise: marginNoise,
    records: domain.length,
    vector: async (table) => ownPrototypes(rowsOf(table)),
  }),
  mutated("felp-s: blocks by row number", {
    noise: noiseOf(sampled, "block-weights"),
    records: lots.length,
    vector(table) {
      const rows = [...table.map((record) => lots[record]!), ...queued];
      return blockVector(
        rows,
        rows.map((_, r) => Math.floor(r / 3)),
      );
    },
  }),
];

// FELP and FPLE as published

const claim = { ...privacy, relation: "replace-one" } as const;

/**
 * Lemma 1 moves one margin. Here one record is the nearest of all others of the other class: replaced, it turns every
 * margin by a right angle, and the weights with them. Of three sites two have no rows.
 */
function movedNeighbours(method: "felp" | "fple"): Attack {
  const study = asPaperFelp(studyOf({ variant: "paper", method, parameters: { subsamples: 4 } }));
  const others = Array.from({ length: 298 }, () => row(0, 0, 0));
  const tables = {
    first: [...others, row(0.6, 0, 1), row(0.9, 0.4, 1)],
    second: [...others, row(0, 0.6, 1), row(0.9, 0.4, 1)],
  };
  return {
    name: "one record is the nearest of all others",
    view: "every reader of the release",
    runs: method === "felp" ? 1200 : 800,
    async sample({ table, runs, random }) {
      const sent = () =>
        paperFelpVector(study, {
          site: "a" as SiteId,
          sites: 3,
          broadcasts: new Map(),
          blocks: streamed([blockOf(tables[table])]),
          kernels,
          random,
        });
      // FELP's noise is the aggregator's, so that the site's vector is the same in every run; FPLE's is in the vector.
      const first = await sent();
      const conversation: SumConversation = {
        sites: 3,
        survivors: 3,
        kernels,
        part: wholly,
        sum: async () => (method === "felp" ? first : await sent()),
        draw: (_, make) => make(),
      };
      const values = new Float64Array(runs);
      for (let run = 0; run < runs; run++) {
        const { weights } = await paperFelpConversation(study, conversation, random);
        values[run] = weights[0]! - weights[1]!;
      }
      return values;
    },
  };
}

export const felpPaper: readonly PaperMethod[] = (["felp", "fple"] as const).map((name) => ({
  kind: "paper",
  name,
  claim,
  attacks: [movedNeighbours(name)],
}));
