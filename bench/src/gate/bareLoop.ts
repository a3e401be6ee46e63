import { type Contributor, contributionFor } from "@consilium/gate/contributions";
import { foldRecords } from "@consilium/gate/fold";
import { answerLength, lengthOf, type Query } from "@consilium/gate/query";
import { openKernels } from "@consilium/kernels/open";
import { osRandom } from "@consilium/runtime/random";
import { type BenchRow, compare } from "../report.js";
import { type TableBlock, tableOf } from "./stages.js";

/** A query with a method that does next to nothing, so that all the time is the gate's. */
interface Cheap {
  readonly query: Query;
  readonly contributor: () => Contributor;
}

const bins = 16;
const places = 24;
const grid = 1000;

const cells = (record: { readonly values: Float64Array }, touched: Int32Array, values: Int32Array) => {
  for (let f = 0; f < touched.length; f++) {
    touched[f] = f * bins + Math.floor(record.values[f]! * bins);
    values[f] = 1;
  }
  return touched.length;
};
const vector = (record: { readonly values: Float64Array }, out: Int32Array) => {
  for (let j = 0; j < out.length; j++) out[j] = Math.floor(record.values[j % 10]! * grid);
  return 0;
};

const cheap: readonly Cheap[] = [
  {
    query: { kind: "histogram", cells: 10 * bins, touches: 10, channels: [{ least: 0, most: 1 }] },
    contributor: () => ({ kind: "histogram", write: cells }),
  },
  {
    query: { kind: "vector", parts: 1, length: places, limit: places * grid ** 2 },
    contributor: () => ({ kind: "vector", write: vector }),
  },
  {
    query: { kind: "gram", parts: 1, order: places, limit: places * grid ** 2 },
    contributor: () => ({ kind: "gram", write: vector }),
  },
  {
    query: { kind: "product", rows: places, columns: 4, limit: places * grid ** 2 },
    contributor: () => ({
      kind: "product",
      write(record, left, right) {
        vector(record, left);
        vector(record, right);
        return true;
      },
    }),
  },
  {
    query: {
      kind: "blocks",
      blocks: 1000,
      parts: 1,
      deal: "lot",
      rowsMost: 1_000_000,
      answer: { kind: "length", entries: 10, limit: 10 },
    },
    contributor: () => ({
      kind: "blocks",
      placeOf: () => 0,
      answer({ rows }, out) {
        out.fill(rows > 0 ? 1 : 0);
      },
    }),
  },
];

/** The gate's fold of each kind of query beside a loop that calls the method, checks nothing and adds to doubles. */
export async function bareRows(options: {
  readonly rows: number;
  readonly repeats: number;
  readonly isAsked: (name: string) => boolean;
}): Promise<BenchRow[]> {
  const { rows, repeats, isAsked } = options;
  const table = tableOf(rows);
  const kernel = await openKernels();
  const compared: BenchRow[] = [];
  try {
    for (const { query, contributor } of cheap.filter((one) => isAsked(one.query.kind))) {
      const seconds: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < repeats; round++) {
        seconds[0] = Math.min(
          seconds[0],
          await timed(() =>
            foldRecords({
              query,
              contributor,
              features: table[0]!.columns.length,
              records: streamed(table),
              patients: null,
              rowsAtMost: rows,
              scale: 1,
              kernel,
              random: osRandom,
              checks: osRandom,
            }),
          ),
        );
        seconds[1] = Math.min(seconds[1], await timed(async () => bare(query, contributor(), table)));
      }
      const [ours, bareLoop] = seconds.map((taken) => rows / taken / 1e6);
      compared.push({ ...compare(query.kind, ours!, bareLoop, 0, "higher"), pass: undefined });
    }
  } finally {
    await kernel.close();
  }
  return compared;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function* streamed(blocks: readonly TableBlock[]): AsyncGenerator<TableBlock> {
  yield* blocks;
}

/** What a method would do by itself. @returns the sums, so that nothing is left out */
function bare(query: Query, contributor: Contributor, table: readonly TableBlock[]): Float64Array {
  const sums = new Float64Array(lengthOf(query));
  const record = { values: new Float64Array(table[0]!.columns.length), label: 0, draw: -1 };
  const touched = new Int32Array(query.kind === "histogram" ? query.touches : 0);
  const values = new Int32Array(query.kind === "histogram" ? touched.length : wordsOf(query, contributor));
  const left = values.subarray(0, query.kind === "product" ? query.rows : values.length);
  const right = values.subarray(left.length);
  for (const { rows, columns, labels } of table) {
    for (let r = 0; r < rows; r++) {
      for (let f = 0; f < columns.length; f++) record.values[f] = columns[f]![r]!;
      record.label = labels[r]!;
      if (contributor.kind === "histogram") {
        const count = contributor.write(record, touched, values);
        for (let i = 0; i < count; i++) sums[touched[i]!]! += values[i]!;
      } else if (contributor.kind === "product") {
        contributor.write(record, left, right);
        for (let i = 0, p = 0; i < left.length; i++)
          for (let j = 0; j < right.length; j++, p++) sums[p]! += left[i]! * right[j]!;
      } else if (contributor.kind === "blocks") sums[0]! += contributor.placeOf(record, touched) + 1;
      else {
        contributor.write(record, values);
        if (contributor.kind === "vector") for (let j = 0; j < values.length; j++) sums[j]! += values[j]!;
        else
          for (let i = 0, p = 0; i < values.length; i++)
            for (let j = i; j < values.length; j++, p++) sums[p]! += values[i]! * values[j]!;
      }
    }
  }
  return sums;
}

/** As many as the method writes. */
function wordsOf(query: Query, contributor: Contributor): number {
  if (query.kind === "blocks") return answerLength(query.answer);
  const { words } = contributionFor(query, contributor);
  return query.kind === "product" ? words.length : words.length - 1;
}
