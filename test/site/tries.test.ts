/** How often a stage reads a table whose records end the connection, the process that reads, or both in turn: over real processes and PostgreSQL. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SiteId } from "@consilium/core/ids";
import { siteSideOf } from "@consilium/core/method/method";
import { planStudy } from "@consilium/core/study/plan";
import { lengthOf } from "@consilium/gate/query";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { maxRetries } from "@consilium/site-agent/tables/retries";
import { startTables } from "@consilium/site-agent/tables/startProcess";
import { TableProcess } from "@consilium/site-agent/tables/tableProcess";
import { documentOf } from "@consilium/site-agent/testing/engines/stages";
import { afterAll, beforeAll, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../site-agent/dist/tables/main.js", import.meta.url));
const programs = postgresPrograms();

let folder: string;
let server: TestPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-tries-"));
  if (programs === null) return;
  server = await TestPostgres.start(programs);
});
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Connections over which rows are waited for. */
const readingNow = () =>
  server.psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'").split("\n").filter(Boolean);

it.skipIf(programs === null)(
  "takes one number of tries for a stage, whatever ends which of them",
  async () => {
    const configPath = join(folder, "config.yaml");
    const visits = {
      postgres: { url: server.url(), query: "SELECT 31 AS age, pg_sleep(600)::text AS slept" },
      unit: "rows",
    };
    const configText = JSON.stringify({ aggregator: "localhost:1", tables: { visits } });
    await writeFile(configPath, configText);
    const pids: number[] = [];
    const tables = await TableProcess.start({
      opening: { configPath, configText, secret: new Uint8Array(32), sourceKey: new Uint8Array(32) },
      log: { warn: () => undefined, error: () => undefined },
      start: (needs) => {
        const started = startTables(needs, { path: program, execArgv: [] });
        if (needs !== null) pids.push(started.pid!);
        return started;
      },
    });
    const document = documentOf({
      name: "described",
      analysis: "describe",
      table: "visits",
      features: [{ name: "age", type: "numeric", min: 0, max: 100 }],
      privacy: { epsilon: 1, delta: 1e-6 },
      participation: { minimumSites: 3, maxRowsPerSite: 1000 },
      parameters: { bins: 4 },
    });
    const { study } = document;
    const stage = planStudy(study).stages[0]!.id;
    const site = "hospital-a" as SiteId;
    const broadcasts = new Map();
    const { proposal } = await siteSideOf(study);
    const entries = lengthOf(proposal!(stage, { study, site, broadcasts }).query);
    const over = new AbortController();
    const { signal } = over;
    const asked = {
      document,
      stage,
      site,
      broadcasts,
      entries,
      approval: null,
      found: () => undefined,
      signal,
    };
    const part = tables.part(asked).then(
      () => "a part",
      ({ code }: { code: string }) => code,
    );
    let isOver = false;
    void part.then(() => {
      isOver = true;
    });
    // Every other reading loses its connection; of the rest the process is killed.
    const readings = new Set<string>();
    try {
      for (; !isOver; await setTimeout(50))
        for (const reading of readingNow()) {
          if (readings.has(reading)) continue;
          readings.add(reading);
          if (readings.size % 2 === 0) process.kill(pids.at(-1)!, "SIGKILL");
          server.psql(`SELECT pg_terminate_backend(${reading})`);
        }
      expect(await part).toBe("ENGINE_FAILED");
      expect(readings.size).toBe(1 + maxRetries);
    } finally {
      await tables.close();
    }
  },
);
