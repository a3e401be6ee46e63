import type { SiteId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { answerOf } from "@consilium/gate/answer";
import { openKernels } from "@consilium/kernels/open";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";

/**
 * Stages of a study over one table, in a process of its own, as the process that reads a hospital's tables computes them.
 *
 * Usage: heldPass <file> <columns> <stages> [memory in MiB]; prints one JSON object. The columns are called c0, c1, … and hold numbers
 * of [0, 1), `ill` is 0 or 1. The first sum of a logistic regression is asked for again and again; the first time, which reads the file in
 * any case, is left out. Without a memory it is this machine's.
 */

export interface HeldPassResult {
  /** Of a stage, the median. */
  readonly seconds: number;
  /** Of a stage, the median: of the processor, over all threads. */
  readonly processor: number;
  /** The process's peak of resident memory, everything included. */
  readonly peakMib: number;
  readonly needsMib: number;
}

async function main(path: string, columns: number, stages: number, memory?: number): Promise<HeldPassResult> {
  const study = unwrap(
    parseStudy({
      name: "held",
      table: "records",
      analysis: "regression",
      method: "regression",
      variant: "sound",
      features: Array.from({ length: columns }, (_, k) => ({
        name: `c${k}`,
        type: "numeric",
        min: 0,
        max: 1,
      })),
      label: { name: "ill", levels: ["0", "1"] },
      privacy: { epsilon: 4, delta: 1e-6 },
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000_000 },
      parameters: { family: "logistic", evaluation: "none" },
    }),
  );
  const [first] = planStudy(study).stages;
  const config = tableConfigSchema.parse({ name: "records", path, csv: { header: true } });
  const tables = new ConfiguredTables([config], "/", new Uint8Array(32), null, memory);
  const kernels = await openKernels();
  const { proposal } = await siteSideOf(study);
  const told = proposal!(first!.id, {
    study,
    site: "a" as SiteId,
    broadcasts: new Map(),
    pause: async () => undefined,
  });
  const runs: { seconds: number; processor: number }[] = [];
  for (let stage = 0; stage <= stages; stage++) {
    const [begin, used] = [performance.now(), process.cpuUsage()];
    const blocks = tables.read(study, () => undefined);
    await answerOf(told, stageTable(study, { blocks, kernels, random: osRandom }));
    const { user, system } = process.cpuUsage(used);
    runs.push({ seconds: (performance.now() - begin) / 1000, processor: (user + system) / 1e6 });
  }
  const warm = runs.slice(1);
  return {
    seconds: middle(warm.map(({ seconds }) => seconds)),
    processor: middle(warm.map(({ processor }) => processor)),
    peakMib: process.resourceUsage().maxRSS / 1024,
    needsMib: tables.memoryOf("records").needs! / 1024 ** 2,
  };
}

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

const [path, columns, stages, memoryMib] = process.argv.slice(2);
if (path === undefined) throw new RangeError("usage: heldPass <file> <columns> <stages> [memory in MiB]");
const result = await main(
  path,
  Number(columns),
  Number(stages),
  memoryMib === undefined ? undefined : Number(memoryMib) * 1024 ** 2,
);
process.stdout.write(`${JSON.stringify(result)}\n`);
// The kernels' threads stay.
process.exit();
