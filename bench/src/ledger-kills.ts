import { parseArgs } from "node:util";
import { FaultFederation } from "../../test/support/faultFederation.js";
import { type KillReport, killAgents, killSpenders } from "../../test/support/ledgerKills.js";

/** Kills of one federation: its ledgers only grow, and a site verifies its own at every start. */
const killsPerFederation = 250;

/**
 * What the tests do 50 times, as often as is asked: SIGKILL of a process that only spends, and of site agents in the
 * middle of studies. Ends with 1 when a ledger has lost or doubled anything.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      /** Of the two parts only this one. */
      only: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const kills = Number(values.kills);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed))
    throw new RangeError("--kills and --seed are whole numbers");
  const { only } = values;
  if (only !== undefined && only !== "spenders" && only !== "agents")
    throw new RangeError("--only takes spenders or agents");
  const startedAt = performance.now();
  const spenders = only === "agents" ? null : await killSpenders({ kills, seed });
  const spendersSeconds = (performance.now() - startedAt) / 1000;
  if (!values.json && spenders !== null) print("a process that only spends", spenders, spendersSeconds);
  const agents: KillReport[] = [];
  for (let done = 0; done < kills && only !== "spenders"; done += killsPerFederation) {
    const from = performance.now();
    const part = await killInFederation(Math.min(killsPerFederation, kills - done), seed + done);
    agents.push(part);
    if (!values.json) print("site agents in studies", part, (performance.now() - from) / 1000);
  }
  const faults = [spenders, ...agents].flatMap((report) => report?.faults ?? []);
  if (values.json)
    console.log(JSON.stringify({ bench: "ledger-kills", kills, seed, spenders, agents, faults }));
  else console.log(faults.length === 0 ? "nothing lost, nothing doubled" : faults.join("\n"));
  if (faults.length > 0) process.exitCode = 1;
}

async function killInFederation(kills: number, seed: number): Promise<KillReport> {
  const federation = await FaultFederation.create({ anna: 300, bodo: 250, cleo: 200, dora: 350, emil: 300 });
  try {
    return await killAgents(federation, { kills, seed });
  } finally {
    await federation.remove();
  }
}

function print(what: string, report: KillReport, seconds: number): void {
  const moments = Object.entries(report.moments)
    .sort(([, a], [, b]) => b - a)
    .map(([moment, count]) => `${count} ${moment}`)
    .join(", ");
  console.log(
    `${what}: ${report.kills} kills in ${seconds.toFixed(0)} s, ${report.commits} commitments, ` +
      `${report.faults.length} faults\n  ${moments}`,
  );
}
