/** A hospital under the sample policy, and an operator who counts its patients by valid studies: docs/THREAT_MODEL.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countByAsking, countWith, patients, patientsTable } from "./countingAttack.js";
import { ObservedHospital, observed } from "./observedHospital.js";

const withHiv = patients({ john: "HIV" });
const without = patients({ john: "flu" });
const kind = { dx: "HIV" };

let folder: string;
let hospital: ObservedHospital;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-counting-"));
  const first = await patientsTable(folder, "first", withHiv);
  const second = await patientsTable(folder, "second", without);
  hospital = await ObservedHospital.start(folder, {
    tables: { first, second },
    elsewhere: () => first,
    policy: {
      perStudy: { epsilon: 1, delta: 1e-5 },
      approval: { automatic: { maxEpsilon: 0.5, maxDelta: 1e-5, variants: ["sound"] } },
    },
  });
});

afterAll(async () => {
  await hospital?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function spent(): Promise<number> {
  const { stdout } = await hospital.federation.cli(
    "ledger",
    "show",
    "--state",
    hospital.federation.site(observed).state,
    "--json",
  );
  const { populations } = JSON.parse(stdout) as { populations: { spent: number }[] };
  return populations.reduce((sum, population) => sum + population.spent, 0);
}

describe("an operator who asks how many patients have a diagnosis", () => {
  it("hears the same of two hospitals that differ in one man", async () => {
    const [first, second] = [
      await countByAsking(hospital, "first", kind),
      await countByAsking(hospital, "second", kind),
    ];
    expect(first.studies).toBeGreaterThan(5);
    expect(first).toEqual(second);
    expect(new Set(first.answers)).toEqual(new Set(["decided"]));
  });

  it("pays for a sum that is read, which is noisy", async () => {
    const before = await spent();
    const id = await hospital.run({
      name: "asked-openly",
      table: "first",
      analysis: "correlation-tree",
      method: "dp-pcc",
      variant: "sound",
      parameters: { depth: 1, bins: 2 },
      privacy: { epsilon: 0.5, delta: 1e-6 },
      features: [{ name: "sex", type: "categorical", levels: ["f", "m"] }],
      label: { name: "dx", levels: ["HIV", "flu"] },
      participation: { minimumSites: 3, maxRowsPerSite: 400, phaseDeadline: "2m" },
    });
    expect((await hospital.federation.study(id)).status).toBe("released");
    expect(await spent()).toBeGreaterThan(before + 0.3);
  });

  it("had the exact number for nothing, when the table was read before it was charged", async () => {
    await hospital.restart("weakened", "preflight");
    const before = await spent();
    const [first, second] = [
      await countByAsking(hospital, "first", kind),
      await countByAsking(hospital, "second", kind),
    ];
    expect(first.count).toBe(countWith(withHiv, kind));
    expect(second.count).toBe(countWith(without, kind));
    expect(first.count - second.count).toBe(1);
    expect((await spent()) - before).toBeLessThan(2);
  });
});
