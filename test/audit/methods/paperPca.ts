import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { simulateMoments, simulateSubspace } from "@consilium/methods/testing/simulatePca";
import { parseStudy } from "@consilium/methods/testing/studies";
import { sharedStdDev } from "@consilium/methods-paper/elfed-pca/covariance";
import type { PcaMoments } from "@consilium/methods-paper/elfed-pca/normalise";
import { projectRows } from "@consilium/methods-paper/elfed-pca/projection";
import { sharedNoise } from "@consilium/methods-paper/elfed-pca/sharedNoise";
import { asPaperPca, type PaperPcaStudy } from "@consilium/methods-paper/elfed-pca/study";
import type { Attack, Mutation, PaperMethod } from "../auditedMethod.js";

/**
 * ELFedPCA [ZY22] and DPdisPCA [IS18] as the sites and the aggregator compute them, all in one process. Their claims
 * are for one record changed.
 */

const claim = { epsilon: 1, delta: 1e-5, relation: "replace-one" } as const;

const kernels = plainKernels();

type Row = readonly [number, number];
/** Per site its rows. */
type Tables = readonly (readonly Row[])[];

function studyOf(method: "elfed-pca" | "dpdis-pca"): PaperPcaStudy {
  const column = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
  return asPaperPca(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "pca",
        method,
        variant: "paper",
        features: [column("a"), column("b")],
        privacy: { epsilon: claim.epsilon, delta: claim.delta },
        participation: { minimumSites: 3, maxRowsPerSite: 1000 },
        parameters: { components: 1 },
      }),
    ),
  );
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  const column = (j: 0 | 1) => Float64Array.from(rows, (row) => row[j]);
  return { rows: rows.length, columns: [column(0), column(1)], labels: null };
}

/** What a run publishes or shows to somebody. */
interface Run {
  readonly seed: Uint8Array;
  readonly moments: PcaMoments;
  /** What the aggregator decomposes, [2 × 2] row-major. */
  readonly matrix: Float64Array;
  readonly loadings: Float64Array;
}

/** One method on one set of tables, many times: the passes over the rows depend on no noise and are made once. */
async function runner(study: PaperPcaStudy, tables: Tables): Promise<(random: RandomSource) => Promise<Run>> {
  const blocks = tables.map((rows) => [blockOf(rows)]);
  const simulated = await simulateMoments({ study, tables: blocks, kernels });
  return async (random) => {
    const seed = random.bytes(32);
    const sharedSeed = study.method === "elfed-pca" ? seed : null;
    const { matrix, subspace } = await simulateSubspace({
      study,
      simulated,
      sharedSeed,
      random,
      kernels,
    });
    return { seed, moments: simulated.moments, matrix, loadings: subspace.loadings };
  };
}

/** @param seen - what is made of a run's view, as one number */
function attackOn(
  study: PaperPcaStudy,
  tables: { readonly first: Tables; readonly second: Tables },
  attack: Pick<Attack, "name" | "view" | "runs">,
  seen: (run: Run, tables: Tables) => number | Promise<number>,
): Attack {
  return {
    ...attack,
    async sample({ table, runs, random }) {
      const run = await runner(study, tables[table]);
      const values = new Float64Array(runs);
      for (let i = 0; i < runs; i++) values[i] = await seen(await run(random), tables[table]);
      return values;
    },
  };
}

/** Rows in general position: no two have the same direction from any mean. */
const scattered = (count: number, phase: number): Row[] =>
  Array.from({ length: count }, (_, i): Row => {
    const angle = 2.399963 * i + phase;
    return [0.5 + 0.4 * Math.cos(angle) * Math.sqrt((i + 1) / count), 0.5 + 0.3 * Math.sin(angle)];
  });

/** Three sites; the first one's rows vary. */
const others: Tables = [scattered(20, 1), scattered(25, 2)];
const oneChanged = (first: readonly Row[], record: { readonly from: Row; readonly to: Row }) => ({
  first: [[...first, record.from], ...others],
  second: [[...first, record.to], ...others],
});

/**
 * Every site knows E, so it can take it off what it is told of the sum. What remains is a function of the records
 * alone, and any change of one record shows.
 */
function knownNoise(study: PaperPcaStudy): Attack {
  const tables = oneChanged(scattered(15, 0), { from: [0.9, 0.6], to: [0.9, 0.61] });
  return attackOn(
    study,
    tables,
    { name: "the shared noise subtracted", view: "the aggregator and one site", runs: 4000 },
    ({ seed, moments, matrix }) => matrix[0]! - sharedNoise(seed, 2, sharedStdDev(study, moments.n))[0]!,
  );
}

/**
 * Most rows lie where the mean would be without one record, so that they are on one side or the other of it as that
 * record decides: scaled to length 1, all of them turn by a right angle when it changes. Nobody's noise is known.
 */
function movedMean(study: PaperPcaStudy): Attack {
  const centre = (count: number): Row[] => Array.from({ length: count }, (): Row => [0.5, 0.5]);
  const tables = (record: Row): Tables => [[...centre(20), record], centre(20), centre(20)];
  return attackOn(
    study,
    { first: tables([1, 0.5]), second: tables([0.5, 1]) },
    { name: "one record turns all rows about the mean", view: "the aggregator", runs: 4000 },
    ({ matrix }) => matrix[0]! - matrix[3]!,
  );
}

/** Two equal records have equal reduced rows; when one of them is another, no two reduced rows are equal. */
function publishedRows(study: PaperPcaStudy): Attack {
  const twin: Row = [0.31, 0.77];
  const tables = oneChanged([...scattered(10, 0), twin], { from: twin, to: [0.66, 0.12] });
  return attackOn(
    study,
    tables,
    { name: "two released rows are equal", view: "every reader of the release", runs: 1500 },
    async ({ moments, loadings }, all) => {
      const values: number[] = [];
      for (const rows of all) {
        const reduced = projectRows({
          study,
          blocks: streamed([blockOf(rows)]),
          sites: all.length,
          moments,
          loadings,
        });
        for await (const part of reduced) values.push(...part.values);
      }
      return values.length - new Set(values).size;
    },
  );
}

const elfed = studyOf("elfed-pca");
const dpdis = studyOf("dpdis-pca");

export const elfedPca: PaperMethod = {
  kind: "paper",
  name: "elfed-pca",
  claim,
  attacks: [knownNoise(elfed), movedMean(elfed), publishedRows(elfed)],
};

export const dpdisPca: PaperMethod = {
  kind: "paper",
  name: "dpdis-pca",
  claim,
  attacks: [movedMean(dpdis), publishedRows(dpdis)],
};

/** Two records that every table of the mutation has: a mean needs them. */
const anchors: readonly Row[] = [
  [0.5, 0.45],
  [0.5, 0.55],
];
const corners = [0, 0.5, 1].flatMap((x) => [0, 0.5, 1].map((y): Row => [x, y]));
const grid = 2 ** 20;

/** XᵀX of ELFedPCA's rows as a sum that noise for one record of length 1 were added to. */
export const normalisedRows: Mutation = {
  kind: "mutation",
  name: "pca: rows centred by the data's mean and scaled to length 1",
  mechanism: {
    records: corners.length,
    tableRecords: 3,
    stages: [
      {
        id: "covariance",
        async vector(table) {
          const blocks = [blockOf([...anchors, ...table.map((record) => corners[record]!)])];
          const { scatters } = await simulateMoments({ study: elfed, tables: [blocks], kernels });
          const [a, b, , c] = scatters[0]!.matrix;
          return BigInt64Array.from([a!, b!, c!], (entry) => BigInt(Math.trunc(entry * grid)));
        },
        noise: {
          event: {
            kind: "distributed-discrete-gaussian",
            l2SensitivitySquared: grid ** 2,
            shareVariance: grid ** 2,
            groups: [
              { entries: 2, weight: 1 },
              { entries: 1, weight: 2 },
            ],
            sites: 3,
            noiseShares: 2,
          },
          weights: { kind: "triangles", order: 2 },
        },
        attained: false,
      },
    ],
  },
};
