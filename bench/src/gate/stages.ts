import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** A stage whose fold is timed: the one that a method's conversation asks for in its `call`th sum. */
export interface StageSpec {
  readonly name: string;
  /** The kind of query, as the gate has it. */
  readonly kind: string;
  /** Exported by the aggregator's side of the method. */
  readonly conversation: string;
  readonly call: number;
  /** What the study has beside `commonStudy`. */
  readonly study: Readonly<Record<string, unknown>>;
}

const numbers = 10;
const levels = ["a", "b", "c", "d", "e", "f"];
const categories = 2;
const outcomes = ["low", "high"];

const features = [
  ...Array.from({ length: numbers }, (_, j) => ({ name: `n${j}`, type: "numeric", min: 0, max: 1 })),
  ...Array.from({ length: categories }, (_, j) => ({ name: `k${j}`, type: "categorical", levels })),
];

/** Without noise, so that two versions must come to the same integers. */
export const commonStudy = (rows: number) => ({
  name: "gate",
  table: "t",
  features,
  label: { name: "outcome", levels: outcomes },
  privacy: "none",
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: rows },
});

const trees = { analysis: "boosted-trees" };

/** Each query's kind at least once; of histograms counts, weights and derivatives. */
export const stages: readonly StageSpec[] = [
  {
    name: "dp-pcc, third level",
    kind: "histogram",
    conversation: "dpPccConversation",
    call: 3,
    study: { analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 3, bins: 16 } },
  },
  {
    name: "dp-histboost, third level of the second tree",
    kind: "histogram",
    conversation: "histBoostConversation",
    call: 7,
    study: {
      ...trees,
      method: "dp-histboost",
      parameters: { trees: 2, depth: 3, bins: 16, featuresPerNode: 5 },
    },
  },
  {
    name: "dp-additive, second epoch",
    kind: "histogram",
    conversation: "additiveConversation",
    call: 2,
    study: { ...trees, method: "dp-additive", parameters: { epochs: 2, bins: 16 } },
  },
  {
    name: "dp-ka, one test",
    kind: "histogram",
    conversation: "dpKaConversation",
    call: 4,
    study: {
      analysis: "k-anonymous-selection",
      method: "dp-ka",
      parameters: { trees: 1, depth: 1, bins: 16 },
    },
  },
  {
    name: "dp-pca, one round",
    kind: "gram",
    conversation: "dpPcaConversation",
    call: 1,
    study: { analysis: "pca", method: "dp-pca", parameters: { components: 3, form: "one-round" } },
  },
  {
    name: "dp-pca, iteration",
    kind: "product",
    conversation: "dpPcaConversation",
    call: 1,
    study: { analysis: "pca", method: "dp-pca", parameters: { components: 3, form: "iteration" } },
  },
  {
    name: "dp-pca, choice of a centre",
    kind: "vector",
    conversation: "dpPcaConversation",
    call: 1,
    study: { analysis: "pca", method: "dp-pca", parameters: { components: 3, ball: "private" } },
  },
  {
    name: "felp-a, prototypes",
    kind: "vector",
    conversation: "felpAConversation",
    call: 1,
    study: { analysis: "feature-selection", method: "felp-a", parameters: { select: 4 } },
  },
  {
    name: "felp-a, margins",
    kind: "vector",
    conversation: "felpAConversation",
    call: 2,
    study: { analysis: "feature-selection", method: "felp-a", parameters: { select: 4 } },
  },
  {
    name: "dp-pcc-s, third level",
    kind: "blocks",
    conversation: "dpPccSConversation",
    call: 3,
    study: {
      analysis: "correlation-tree",
      method: "dp-pcc-s",
      parameters: { depth: 3, bins: 16, blocks: 200 },
    },
  },
  {
    name: "felp-s",
    kind: "blocks",
    conversation: "felpSConversation",
    call: 1,
    study: {
      analysis: "feature-selection",
      method: "felp-s",
      parameters: { select: 4, blocks: 20_000 },
    },
  },
];

/** Rows of a block as a site reads a table of so many columns. */
const blockRows = 16_384;

export interface TableBlock {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
  readonly labels: Uint16Array;
}

/** The same rows every time: the outcome depends on two numbers and a category, so that trees have what to split by. */
export function tableOf(rows: number): TableBlock[] {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const blocks: TableBlock[] = [];
  for (let from = 0; from < rows; from += blockRows) {
    const count = Math.min(blockRows, rows - from);
    const columns = features.map(({ type }) =>
      Float64Array.from({ length: count }, () =>
        type === "numeric" ? draw() : Math.floor(draw() * levels.length),
      ),
    );
    const labels = Uint16Array.from({ length: count }, (_, r) => {
      const worth = columns[0]![r]! + columns[3]![r]! / 2 + (columns[numbers]![r] === 2 ? 0.4 : 0);
      return worth + draw() / 2 > 1.1 ? 1 : 0;
    });
    blocks.push({ rows: count, columns, labels });
  }
  return blocks;
}

/** Writes the table of `tableOf` as Parquet. */
export async function writeTable(path: string, rows: number): Promise<void> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const lines = createWriteStream(`${path}.csv`);
  lines.write(`${[...features.map(({ name }) => name), "outcome"].join()}\n`);
  for (const { rows: count, columns, labels } of tableOf(rows)) {
    const text: string[] = [];
    for (let r = 0; r < count; r++) {
      const cells = columns.map((column, j) => (j < numbers ? column[r]! : levels[column[r]!]!));
      text.push([...cells, outcomes[labels[r]!]].join());
    }
    if (!lines.write(`${text.join("\n")}\n`)) await once(lines, "drain");
  }
  lines.end();
  await once(lines, "finish");
  const instance = await DuckDBInstance.create(":memory:");
  try {
    const connection = await instance.connect();
    await connection.run(`COPY (FROM '${path}.csv') TO '${path}' (FORMAT parquet)`);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
  await rm(`${path}.csv`);
}

/** Where a version keeps its methods' support of tests; null where they are in what is built. */
export function supportOf(root: string): string | null {
  const folder = join(root, "methods", "testing");
  return existsSync(folder) ? folder : null;
}
