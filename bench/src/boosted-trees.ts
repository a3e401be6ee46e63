import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { ensembleOf } from "@consilium/methods/dp-histboost/ensemble";
import { type HistBoostStudy, histBoostStages } from "@consilium/methods/dp-histboost/study";
import { simulateHistBoost } from "@consilium/methods/testing/histBoost/simulate";
import { osRandom } from "@consilium/runtime/random";
import { openLibsql } from "@consilium/runtime/store/driver";
import { siteTables, type UtilityTable } from "./dpPcaTables.js";
import { boostedStudy, type Scores, scoresOf } from "./utility/histBoostRuns.js";
import { UtilityNetwork } from "./utility/network.js";
import { adult as adultOf } from "./utility/tables.js";

/**
 * How long dp-histboost takes: Adult (32,561 rows over five sites), ten trees of depth 4, five features for each node, ε = 1.
 * Once with all sites in one process, which computes everything but masks; and once as a study of five hospitals, each a
 * process of its own, over mutual TLS. What the second takes beyond the first is the protocol, with what its processes wait for
 * and read again: the table, once for each of 50 stages.
 */

const usage = `Usage: npm run bench -- boosted-trees [--repeats 3] [--no-network] [--json]
Adult comes from CONSILIUM_DATASETS.`;

const parameters = { trees: 10, depth: 4, featuresPerNode: 5 };
const privacy = { epsilon: 1, delta: 1e-5 };

interface NetworkTime {
  /** From the study's start to its release. */
  readonly seconds: number;
  /** While sites read their tables, compute, add noise, mask and send: over all stages. */
  readonly answering: number;
  /** Keys, shares, unmasking and adding up: over all stages. */
  readonly protocol: number;
}

interface Result {
  readonly rows: number;
  readonly stages: number;
  readonly numbers: number;
  readonly oneProcess: { readonly seconds: number; readonly scores: Scores };
  readonly network: NetworkTime | null;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repeats: { type: "string", default: "3" },
      "no-network": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const repeats = Number(values.repeats);
  if (values.help || !Number.isInteger(repeats) || repeats < 1) {
    console.log(usage);
    return;
  }
  const adult = process.env.CONSILIUM_DATASETS === undefined ? null : adultOf();
  if (adult === null) {
    console.error("SKIPPED: set CONSILIUM_DATASETS to the folder that holds adult");
    return;
  }
  const table: UtilityTable = { ...adult, centre: 0, radius: 1 };
  const study = boostedStudy(table, privacy, parameters);
  const stages = histBoostStages(study);
  const result: Result = {
    rows: table.train.rows.length,
    stages: stages.length,
    numbers: stages.reduce((sum, { length }) => sum + length, 0),
    oneProcess: await inOneProcess(study, table, repeats),
    network: values["no-network"] ? null : await overNetwork(study, table),
  };
  if (values.json)
    console.log(JSON.stringify({ bench: "boosted-trees", machine: machine(), repeats, ...result }));
  else console.log(textOf(result));
}

/** The fastest of some runs. */
async function inOneProcess(
  study: HistBoostStudy,
  table: UtilityTable,
  repeats: number,
): Promise<Result["oneProcess"]> {
  const kernels = await openSystemKernels();
  const tables = siteTables(table);
  try {
    let best = Number.POSITIVE_INFINITY;
    let scores: Scores | null = null;
    for (let r = 0; r < repeats; r++) {
      const begun = performance.now();
      const { trees } = await simulateHistBoost({ study, tables, kernels, random: osRandom });
      best = Math.min(best, (performance.now() - begun) / 1000);
      scores = scoresOf(study, ensembleOf(trees), table);
    }
    return { seconds: best, scores: scores! };
  } finally {
    await kernels.close();
  }
}

async function overNetwork(study: HistBoostStudy, table: UtilityTable): Promise<NetworkTime> {
  const network = await UtilityNetwork.open();
  try {
    const begun = performance.now();
    const { id } = await network.run(study, table, 900_000);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, ...phasesOf(network.aggregatorState, id, study) };
  } finally {
    await network.close();
  }
}

/** What the aggregator's own record says: a stage's step of its own name is when sites answer, its others are protocol. */
function phasesOf(
  state: string,
  id: string,
  study: HistBoostStudy,
): Pick<NetworkTime, "answering" | "protocol"> {
  const database = openLibsql(join(state, "state.db"));
  try {
    const rows = database.prepare("SELECT step, opened_at, done_at FROM steps WHERE study = ?").all([id]);
    const names = new Set<unknown>(histBoostStages(study).map((stage) => stage.id));
    let answering = 0;
    let protocol = 0;
    for (const { step, opened_at, done_at } of rows) {
      if (typeof step !== "string" || done_at == null) continue;
      const seconds = (Number(done_at) - Number(opened_at)) / 1000;
      if (names.has(step)) answering += seconds;
      else if ([...names].some((name) => step.startsWith(`${String(name)}-`))) protocol += seconds;
    }
    return { answering, protocol };
  } finally {
    database.close();
  }
}

function textOf({ rows, stages, numbers, oneProcess, network }: Result): string {
  const { seconds, scores } = oneProcess;
  const lines = [
    `dp-histboost, Adult: ${rows} rows, 5 sites, T = 10, d = 4, k = 5, ε = 1; ${stages} sums of ${numbers} numbers in all; ${machine()}`,
    `one process:  ${seconds.toFixed(2)} s; accuracy ${scores.accuracy.toFixed(3)}, AUC ${scores.auc.toFixed(3)}`,
  ];
  if (network !== null) {
    const beyond = 1 - seconds / network.seconds;
    lines.push(
      `five hospitals: ${network.seconds.toFixed(2)} s, of which sites answered ${network.answering.toFixed(2)} s and keys, shares and unmasking took ${network.protocol.toFixed(2)} s; ${(100 * beyond).toFixed(0)} % beyond one process`,
    );
  }
  return lines.join("\n");
}

function machine(): string {
  const list = cpus();
  return `${list.length} × ${list[0]?.model.trim() ?? "unknown processor"}, Node ${process.versions.node}`;
}
