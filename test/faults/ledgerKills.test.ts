/** SIGKILL at random moments: a ledger loses nothing that left and charges nothing twice. */
import { inGate } from "@consilium/core/testing/wholeRun";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FaultFederation } from "../support/faultFederation.js";
import { killAgents, killSpenders } from "../support/ledgerKills.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const seed = Number(process.env.CONSILIUM_FAULT_SEED ?? 20260104);
/** `npm run bench -- ledger-kills` makes a thousand. */
const kills = inGate(12, { whole: 30 });

describe("a process that spends", () => {
  it(`loses and doubles nothing over ${kills} kills`, async () => {
    const report = await killSpenders({ kills, seed });
    console.info(`seed ${seed}: ${JSON.stringify({ ...report, faults: report.faults.length })}`);
    expect(report.faults).toEqual([]);
    expect(report.commits).toBeGreaterThan(kills);
  });

  it("is found out where it lets bytes leave before they are charged", async () => {
    // A life is killed between the two with a probability of two thirds: all twelve miss it once in 500,000 runs. The first that is caught is enough.
    const report = await killSpenders({ kills: 12, seed, late: true });
    expect(report.faults.join("\n")).toMatch(/it is not charged so/);
  });
});

describe("site agents in the middle of studies", () => {
  let federation: FaultFederation;

  beforeAll(async () => {
    federation = await FaultFederation.create({ anna: 300, bodo: 250, cleo: 200, dora: 350, emil: 300 });
  });
  afterAll(() => federation?.remove());

  it(`lose and double nothing over ${kills} kills`, async () => {
    const report = await killAgents(federation, { kills, seed });
    console.info(`seed ${seed}: ${JSON.stringify({ ...report, faults: report.faults.length })}`);
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(kills);
    expect(report.studies.released).toBeGreaterThan(1);
    // Enough of them met a study under way; on a busy machine more come between two.
    expect(kills - (report.moments.idle ?? 0)).toBeGreaterThanOrEqual(kills / 4);
    for (const site of federation.local.sites.values())
      await federation.local.cliOrThrow("ledger", "verify", "--state", site.state);
  });
});
