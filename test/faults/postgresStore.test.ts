/**
 * The aggregator keeps its records in PostgreSQL: it is killed, its database is killed, and a second one is refused. One
 * of the hospitals has its table in a PostgreSQL database of its own.
 */
import { execFile } from "node:child_process";
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { StudyView } from "@consilium/core/operator/views";
import { inGate } from "@consilium/core/testing/wholeRun";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editConfig } from "../../scripts/localFederation.js";
import { computedStages, egressOf, FaultFederation } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["north", "east", "south"];
const programs = postgresPrograms();
/** Between what is dealt and what is summed, and of rows: what is stored of each is different. */
const stages = inGate(["moments", "projection"], { whole: ["deal", "moments", "covariance", "projection"] });

describe.skipIf(programs === null)("an aggregator with its store in PostgreSQL", () => {
  let server: TestPostgres;
  let hospital: TestPostgres;
  let federation: FaultFederation;
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
    hospital = await TestPostgres.start(programs!);
    federation = await FaultFederation.create({ north: 9_000, east: 6_000, south: 8_000 }, undefined, [
      "--store",
      server.url(),
    ]);
    await moveTable("south");
  });
  afterAll(async () => {
    await federation?.remove();
    await server?.remove();
    await hospital?.remove();
  });

  /** From now on the site reads its table from its own database. */
  async function moveTable(id: string): Promise<void> {
    const names = (await readFile(federation.tablePath(id), "utf8")).split("\n", 1)[0]!.split(",");
    const columns = names.map((name) => `${name} ${name === "outcome" ? "text" : "float8"}`);
    hospital.psql(`CREATE TABLE records (${columns.join(", ")})`);
    hospital.psql(`\\copy records FROM '${federation.tablePath(id)}' CSV HEADER`);
    const site = federation.site(id);
    await site.stop();
    await editConfig(site.state, (config) => {
      const postgres = { url: hospital.url(), query: "SELECT * FROM records" };
      config.tables = { records: { postgres, unit: "rows" } };
    });
    await rm(federation.tablePath(id));
    await site.start();
    await federation.waitForPresence(sites, "online");
  }

  const opened = (study: StudyView, step: string) =>
    federation.until(`${step} of ${study.id} to be open`, async () => {
      const sql = `SELECT count(*) FROM aggregator.steps WHERE study = '${study.id}' AND step = '${step}'`;
      return server.psql(sql) === "1" || null;
    });

  async function expectSameAnswers(study: StudyView): Promise<void> {
    for (const site of sites) {
      const bySteps = new Map<string, string[]>();
      for (const entry of await egressOf(federation.site(site))) {
        if (entry.study !== study.id) continue;
        const key = `${entry.step}: ${entry.what}`;
        bySteps.set(key, [...(bySteps.get(key) ?? []), entry.sha256]);
      }
      expect(bySteps.size).toBeGreaterThanOrEqual(5);
      for (const [key, hashes] of bySteps) {
        expect(new Set(hashes).size, `${site}, ${key}`).toBe(1);
      }
      const computed = await computedStages(federation.site(site), study.id);
      expect([...computed.values()], site).toEqual([1, 1, 1]);
    }
  }

  it("is killed in its stages, continues, and asks for nothing that was answered", async () => {
    const study = await federation.start({ name: "killed" });
    for (const step of stages) {
      await opened(study, step);
      await federation.aggregator.stop("SIGKILL");
      await federation.aggregator.start();
    }
    const view = await federation.ended(study, "released");
    await expectSameAnswers(view);
    await federation.verify(view);
    const model = JSON.parse(await federation.released(view, "model.json")) as { rows: number };
    expect(model.rows).toBe(23_000);
  });

  it("ends when its database dies under a transaction, and continues after it", async () => {
    const study = await federation.start({ name: "database-killed" });
    const { aggregator } = federation;
    for (const step of stages) {
      await opened(study, step);
      await server.down("SIGQUIT");
      await delay(200);
      await server.up();
      // It may have been waiting for sites just then, and have connected again.
      await federation.until("the aggregator to answer or to have ended", async () => {
        if (!aggregator.running) return true;
        return (await federation.local.study(study.id)) !== null || null;
      });
      if (aggregator.running) continue;
      expect(await aggregator.log()).toMatch(/STORE_LOST/);
      await aggregator.start();
    }
    const view = await federation.ended(study, "released");
    await expectSameAnswers(view);
    await federation.verify(view);
  });

  it("is read as of one moment by another version, which tells whether its studies would continue there", async () => {
    const east = federation.site("east");
    const study = await federation.start({ name: "in-the-middle" });
    await opened(study, "moments");
    await east.stop("SIGKILL");
    const checked = async () => {
      const of = ["--state", federation.aggregator.state, "--json"];
      const { code, stdout, stderr } = await federation.local.cli("upgrade", "check", "aggregator", ...of);
      expect(stderr).toBe("");
      const { studies } = JSON.parse(stdout) as {
        studies: { id: string; paused: { code: string } | null }[];
      };
      return { code, studies: studies.map(({ id, paused }) => [id, paused?.code ?? null]) };
    };
    const epoch = server.psql("SELECT epoch FROM aggregator.consilium_store");
    expect(await checked()).toEqual({ code: 0, studies: [[study.id, null]] });
    // As another version would have planned it: the aggregator, which runs, has its plan in memory.
    const change = (from: string, to: string) =>
      server.psql(
        `SET consilium.epoch = '${epoch}'; UPDATE aggregator.studies SET running_plan = replace(running_plan, '"maxAttempts":${from}', '"maxAttempts":${to}')`,
      );
    change("20", "19");
    expect(await checked()).toEqual({ code: 1, studies: [[study.id, "PLAN_DIFFERS"]] });
    change("19", "20");
    expect(server.psql("SELECT epoch FROM aggregator.consilium_store")).toBe(epoch);
    await east.start();
    await federation.verify(await federation.ended(study, "released"));
  });

  it("is alone on its database", async () => {
    const copy = join(federation.home, "second");
    await cp(federation.aggregator.state, copy, {
      recursive: true,
      filter: (path) => !path.includes("lock."),
    });
    const main = fileURLToPath(new URL("../../aggregator/dist/main.js", import.meta.url));
    const ended = await new Promise<{ code: number | null; said: string }>((resolve) => {
      const child = execFile(process.execPath, [main, "--state", copy], (_, __, stderr) =>
        resolve({ code: child.exitCode, said: stderr }),
      );
    });
    expect(ended.code).toBe(1);
    expect(ended.said).toContain("[STATE_LOCKED]");
    expect((await federation.local.api<unknown[]>("GET", "/api/sites")).length).toBe(3);
  });
});
