import { unwrap } from "@consilium/core/result";
import { designColumns, fillDesign } from "@consilium/core/study/design";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openTable, reopen } from "@consilium/site-agent/data/snapshot";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";

/**
 * One measured reading of a table, in a process of its own: memory is that of this work alone.
 *
 * Usage: readPass <file> <columns> <preflight|blocks|gram>; prints one JSON object. `preflight` is the pass that
 * checks, counts and hashes; `blocks` reads the approved table again, hashing; `gram` does that into XᵀX. The
 * columns are called c0, c1, … and hold numbers of [0, 1).
 */

export type ReadPass = "preflight" | "blocks" | "gram";

export interface ReadPassResult {
  readonly rows: number;
  readonly seconds: number;
  /** The process's peak of resident memory, everything included, in MiB. */
  readonly peakMib: number;
  /** The trace of the Gram matrix, which the caller checks; null for other passes. */
  readonly trace: number | null;
}

async function main(path: string, columns: number, pass: ReadPass): Promise<ReadPassResult> {
  const study = unwrap(
    parseStudy({
      name: "read",
      table: "records",
      analysis: "pca",
      variant: "paper",
      features: Array.from({ length: columns }, (_, k) => ({
        name: `c${k}`,
        type: "numeric",
        min: 0,
        max: 1,
      })),
      privacy: "none",
      participation: { maxRowsPerSite: 1_000_000_000 },
      parameters: { components: 1 },
    }),
  );
  const config = tableConfigSchema.parse({ name: "records", path });
  let begin = performance.now();
  const approval = unwrap(await openTable(config, study));
  let seconds = (performance.now() - begin) / 1000;
  let trace: number | null = null;
  if (pass !== "preflight") {
    const kernels = pass === "gram" ? await openSystemKernels() : null;
    begin = performance.now();
    const gram = kernels?.gram(columns);
    const layout = designColumns(study.features);
    let design = new Float64Array(0);
    for await (const block of unwrap(await reopen(config, study, approval)).blocks({ reuseBlock: true })) {
      if (gram === undefined) continue;
      if (design.length < block.rows * columns) design = new Float64Array(block.rows * columns);
      fillDesign(block, layout, design);
      await gram.add(design, block.rows);
    }
    const sum = await gram?.finish();
    seconds = (performance.now() - begin) / 1000;
    if (sum !== undefined) {
      trace = Array.from({ length: columns }, (_, k) => sum[k * columns + k]!).reduce((a, b) => a + b);
    }
    // The kernels stay open: an idle set lets the process end.
  }
  return { rows: approval.rows, seconds, peakMib: process.resourceUsage().maxRSS / 1024, trace };
}

const [path, columns, pass] = process.argv.slice(2);
if (path === undefined || !["preflight", "blocks", "gram"].includes(pass ?? "")) {
  throw new RangeError("usage: readPass <file> <columns> <preflight|blocks|gram>");
}
process.stdout.write(`${JSON.stringify(await main(path, Number(columns), pass as ReadPass))}\n`);
