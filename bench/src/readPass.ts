import type { SiteId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { answerOf } from "@consilium/gate/answer";
import { openKernels } from "@consilium/kernels/open";
import { asDpPca, dpPcaLayout } from "@consilium/methods/dp-pca/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import { openSource } from "@consilium/site-agent/data/openSource";
import { openTable } from "@consilium/site-agent/data/preflight";
import { reopen } from "@consilium/site-agent/data/snapshot";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";

/**
 * One measured reading of a table, in a process of its own: memory is that of this work alone.
 *
 * Usage: readPass <file> <columns> <columns|preflight|blocks|gram>; prints one JSON object. `columns` reads numbers by
 * columns and does nothing with them; `preflight` is the pass that checks, counts and hashes; `blocks` reads the approved table again, hashing; `gram` does that for a site's whole answer
 * to the one round of dp-pca, every record through the gate. The columns are called c0, c1, … and hold numbers of [0, 1).
 */

export type ReadPass = "columns" | "preflight" | "blocks" | "gram";

export interface ReadPassResult {
  readonly rows: number;
  readonly seconds: number;
  /** Of the processor, all threads together. */
  readonly processor: number;
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
      method: "dp-pca",
      variant: "sound",
      features: Array.from({ length: columns }, (_, k) => ({
        name: `c${k}`,
        type: "numeric",
        min: 0,
        max: 1,
      })),
      privacy: "none",
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000_000 },
      // About 0, and so far that no record is shortened.
      parameters: { components: 1, form: "one-round", centre: 0, radius: Math.sqrt(columns) },
    }),
  );
  const config = tableConfigSchema.parse({ name: "records", path });
  let begin = performance.now();
  let before = process.cpuUsage();
  if (pass === "columns") {
    const { files, source } = await openSource(config);
    const requests = study.features.map(({ name }) => ({ kind: "number", name }) as const);
    let rows = 0;
    for await (const chunk of source.read(files[0]!, requests, {})) rows += chunk.rows;
    const seconds = (performance.now() - begin) / 1000;
    return { rows, seconds, processor: processorSince(before), peakMib: peakMib(), trace: null };
  }
  const approval = unwrap(await openTable(config, study));
  let seconds = (performance.now() - begin) / 1000;
  let processor = processorSince(before);
  let trace: number | null = null;
  if (pass !== "preflight") {
    const kernels = await openKernels();
    const { proposal } = await siteSideOf(study);
    const [stage] = planStudy(study).stages;
    begin = performance.now();
    before = process.cpuUsage();
    const blocks = unwrap(await reopen(config, study, approval)).blocks({ reuseBlock: true });
    if (pass === "blocks") for await (const _ of blocks);
    else {
      const asked = { study, site: "a" as SiteId, broadcasts: new Map(), pause: async () => undefined };
      const table = stageTable(study, { blocks, kernels, random: osRandom });
      const { exact, records, refused } = await answerOf(proposal!(stage!.id, asked), table);
      if (records !== approval.rows || refused > 0) throw new Error("the stage does not have every record");
      trace = traceOf(exact, columns) * (columns / 4 ** dpPcaLayout(asDpPca(study)).gridExponent);
    }
    seconds = (performance.now() - begin) / 1000;
    processor = processorSince(before);
    // The kernels stay open: an idle set lets the process end.
  }
  return { rows: approval.rows, seconds, processor, peakMib: peakMib(), trace };
}

/** Seconds. */
function processorSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const peakMib = () => process.resourceUsage().maxRSS / 1024;

/** Of the first `columns` columns. @param triangle - of the upper half with the diagonal, row by row, one column more for the number of rows */
function traceOf(triangle: BigUint64Array, columns: number): number {
  let trace = 0;
  for (let j = 0, at = 0; j < columns; at += columns + 1 - j, j++) trace += Number(triangle[at]!);
  return trace;
}

const [path, columns, pass] = process.argv.slice(2);
if (path === undefined || !["columns", "preflight", "blocks", "gram"].includes(pass ?? "")) {
  throw new RangeError("usage: readPass <file> <columns> <columns|preflight|blocks|gram>");
}
process.stdout.write(`${JSON.stringify(await main(path, Number(columns), pass as ReadPass))}\n`);
