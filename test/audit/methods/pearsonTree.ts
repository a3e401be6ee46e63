import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { CorrelationTree } from "@consilium/methods/shared/correlation-tree/correlationTree";
import { asCorrelationTree } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { pearsonConversation } from "@consilium/methods-paper/pearson-tree/conversation";
import { type PearsonTreeStudy, planPearsonTree } from "@consilium/methods-paper/pearson-tree/study";
import { pearsonVector } from "@consilium/methods-paper/pearson-tree/vector";
import type { Attack, PaperMethod } from "../auditedMethod.js";

/** The published correlation tree as the sites and the aggregator compute it, all in one process. */

const claim = { epsilon: 1, delta: 1e-5, relation: "replace-one" } as const;
const kernels = plainKernels();

type Row = readonly [a: number, b: number, label: number];
/** Per site its rows. */
type Tables = readonly (readonly Row[])[];

function studyOf(parameters: Record<string, unknown>): PearsonTreeStudy {
  const number = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
  const study = asCorrelationTree(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "correlation-tree",
        variant: "paper",
        features: [number("a"), number("b")],
        label: { name: "sick", levels: ["no", "yes"] },
        privacy: { epsilon: claim.epsilon, delta: claim.delta },
        participation: { maxRowsPerSite: 1000 },
        parameters: { depth: 1, evaluation: "none", ...parameters },
      }),
    ),
  );
  if (study.method !== "pearson-tree") throw new RangeError("the published tree is pearson-tree");
  return study;
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  const column = (j: 0 | 1) => Float64Array.from(rows, (row) => row[j]);
  return {
    rows: rows.length,
    columns: [column(0), column(1)],
    labels: Uint16Array.from(rows, (row) => row[2]),
  };
}

function grown(study: PearsonTreeStudy, tables: Tables, random: RandomSource): Promise<CorrelationTree> {
  return simulateSums({
    plan: planPearsonTree(study),
    tables: tables.map((rows) => [blockOf(rows)]),
    kernels,
    random,
    vector: (id, input) => pearsonVector(study, id, input),
    run: (conversation) => pearsonConversation({ study, conversation, random }),
  });
}

function attack(
  about: Pick<Attack, "name" | "view" | "runs">,
  study: PearsonTreeStudy,
  tables: { readonly first: Tables; readonly second: Tables },
  seen: (tree: CorrelationTree) => number,
): Attack {
  return {
    ...about,
    async sample({ table, runs, random }) {
      const values = new Float64Array(runs);
      for (let i = 0; i < runs; i++) values[i] = seen(await grown(study, tables[table], random));
      return values;
    },
  };
}

/** Twenty records: of the first class below a value, of the second above; b says nothing. */
const cutAt = (value: number, noise: number): Row[] =>
  Array.from({ length: 20 }, (_, i): Row => {
    const isYes = i >= 10;
    return [isYes ? value + 0.01 * (i - 9) : value - 0.01 * (9 - i), (i * noise) % 1, isYes ? 1 : 0];
  });
const others: Tables = [cutAt(0.4, 0.37), cutAt(0.5, 0.61)];
const twenty = cutAt(0.45, 0.29);
/** The record at the cut of its site, and the same one with another value of a. */
const moved = twenty.map((row, i): Row => (i === 9 ? [0.441, row[1], row[2]] : row));

/**
 * A site of two records: one record changed makes them agree with the class in b instead of a, |φ| from 0 to 1 and from 1 to 0.
 * The other sites are undecided between a and b.
 */
const undecided: readonly Row[] = [
  [0.2, 0.2, 0],
  [0.4, 0.4, 1],
];
const flipped = (record: Row): Tables => [[[0.5, 0.5, 0], record], undecided, undecided];

export const pearsonTree: PaperMethod = {
  kind: "paper",
  name: "pearson-tree",
  claim,
  attacks: [
    attack(
      {
        name: "the published cut moves with one record's value",
        view: "every reader of the release",
        runs: 1000,
      },
      studyOf({ selection: "sample", scoreSensitivity: 0.01 }),
      { first: [twenty, ...others], second: [moved, ...others] },
      (tree) => tree.features[0]!.edges[0] ?? 0,
    ),
    attack(
      {
        name: "the attribute with the largest score, not drawn",
        view: "every reader of the release",
        runs: 1000,
      },
      studyOf({}),
      { first: flipped([0.7, 0.5, 1]), second: flipped([0.5, 0.7, 1]) },
      (tree) => tree.features[1]!.edges.length,
    ),
  ],
};
