import { createHash, createHmac } from "node:crypto";
import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { TableSummer } from "@consilium/site-agent/data/contentHash";
import { processSecret, TableKeys } from "@consilium/site-agent/data/rowHash";

/**
 * What the content hash of a table costs, a multiset of rows, beside SHA-256 of each column in the order of the rows, which
 * it replaced, and HMAC-SHA-256 row by row: nanoseconds a row of numbers in memory, one thread, all in one run.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "1000000" },
      repeats: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
    },
  });
  const [total, repeats] = [Number(values.rows), Number(values.repeats)];
  if (!Number.isSafeInteger(total) || total < 1 || !Number.isSafeInteger(repeats) || repeats < 1)
    throw new RangeError("--rows and --repeats are whole numbers from 1");
  const results = [4, 14, 100].map((columns) => measure(columns, total, repeats));
  if (values.json) {
    console.log(JSON.stringify({ bench: "content-hash", rows: total, results }));
    return;
  }
  for (const { columns, multiset, inOrder, hmac } of results)
    console.log(
      `${columns} columns: ${multiset.toFixed(0)} ns a row; ${(multiset / inOrder).toFixed(2)} × SHA-256 of columns (${inOrder.toFixed(0)} ns), ` +
        `${(multiset / hmac).toFixed(2)} × HMAC of rows (${hmac.toFixed(0)} ns)`,
    );
}

function measure(width: number, total: number, repeats: number) {
  const rows = Math.min(16_384, Math.floor(2 ** 19 / width));
  const columns = Array.from({ length: width }, () => Float64Array.from({ length: rows }, Math.random));
  const study = unwrap(
    parseStudy({
      name: "hash",
      table: "records",
      analysis: "pca",
      variant: "paper",
      features: columns.map((_, k) => ({ name: `c${k}`, type: "numeric", min: 0, max: 1 })),
      privacy: "none",
      participation: { maxRowsPerSite: 1_000_000 },
      parameters: { components: 1 },
    }),
  );
  const bytesOf = (values: Float64Array) =>
    new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const keys = TableKeys.derive(processSecret, study);
  const blocks = Math.ceil(total / rows);
  const nanoseconds = (perBlock: () => () => void, of = blocks) => {
    let best = Number.POSITIVE_INFINITY;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const add = perBlock();
      add();
      const begin = performance.now();
      for (let block = 0; block < of; block++) add();
      best = Math.min(best, ((performance.now() - begin) * 1e6) / of / rows);
    }
    return best;
  };
  const row = new Float64Array(width);
  return {
    columns: width,
    multiset: nanoseconds(() => {
      const summer = new TableSummer(keys);
      return () => summer.add({ rows, columns, labels: null, patients: null });
    }),
    inOrder: nanoseconds(() => {
      const hashes = columns.map(() => createHash("sha256"));
      return () => {
        for (const [k, hash] of hashes.entries()) hash.update(bytesOf(columns[k]!));
      };
    }),
    hmac: nanoseconds(
      () => () => {
        for (let r = 0; r < rows; r++) {
          for (let k = 0; k < width; k++) row[k] = columns[k]![r]!;
          createHmac("sha256", processSecret).update(bytesOf(row)).digest();
        }
      },
      Math.ceil(blocks / 20),
    ),
  };
}
