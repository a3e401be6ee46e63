/**
 * Another aggregator takes over before every write of three sums, while the one before still runs and still hears its sites:
 * the database refuses what that one writes, and the other one comes to the same sums from the store alone. The processes
 * are in memory, the store is a PostgreSQL server; test/faults/standby.test.ts does it to real processes.
 */

import { inGate } from "@consilium/core/testing/wholeRun";
import { openPostgresStore } from "@consilium/runtime/store/postgresStore";
import { PostgresThread } from "@consilium/runtime/store/postgresThread";
import type { OpenStore } from "@consilium/runtime/store/store";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { testPostgresOptions } from "@consilium/runtime/testing/store/store";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Crash, TestFleet, type TestProcess } from "../../testing/rounds/fleet.js";
import { migrations } from "../store/schema.js";

const programs = postgresPrograms();
const everySite = [0, 1, 2, 3];
/** Of the gate every third write of the three sums. */
const stride = inGate(3, { whole: 1 });

describe.skipIf(programs === null)("a standby takes over", () => {
  let server: TestPostgres;
  let admin: PostgresThread;
  let fleet: TestFleet;
  let options: ReturnType<typeof testPostgresOptions>;
  let epoch: number;
  const stores: OpenStore[] = [];
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
    admin = new PostgresThread({ answerWithinMs: 30_000 });
    admin.connect(testPostgresOptions(server.url()).connect);
  });
  afterAll(async () => {
    admin?.close();
    await server?.remove();
  });
  afterEach(async () => {
    await fleet.close();
    for (const store of stores.splice(0)) store.close();
  });

  const sql = (text: string) => admin.query({ text }).rows;

  /** A process's store, under the epoch that its lease would have brought. */
  function openUnder(next: number): OpenStore {
    epoch = next;
    const store = openPostgresStore({ ...options, epoch }, migrations);
    stores.push(store);
    return store;
  }

  async function begin(): Promise<void> {
    options = testPostgresOptions(server.url());
    const { schema } = options;
    sql(`CREATE SCHEMA ${schema}`);
    sql(`CREATE TABLE ${schema}.consilium_store (format INTEGER NOT NULL, epoch BIGINT NOT NULL)`);
    sql(`INSERT INTO ${schema}.consilium_store VALUES (0, 1)`);
    fleet = await TestFleet.open({ sites: everySite.length, store: openUnder(1) });
  }

  /** What a standby does to the store first; the sessions of the one before stay as they are. */
  const raiseEpoch = () => sql(`UPDATE ${options.schema}.consilium_store SET epoch = epoch + 1`);

  const stages = () => fleet.sums;
  const due = () => stages().map((stage) => fleet.sumOf(stage, everySite));
  /** Ends also where the process is dead and its sums never come. */
  const outcome = (process: TestProcess, isOver: () => boolean) =>
    Promise.race([
      process.run(stages()).catch((thrown: unknown) => thrown),
      (async () => {
        while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 2));
        return new Crash();
      })(),
    ]);

  it("before every write of three sums: the same sums, each answer once, nothing of the old one's after it", async () => {
    let takeovers = 0;
    for (let at = 1; ; at += stride) {
      await begin();
      fleet.beforeWrite = (write) => {
        if (write === at) raiseEpoch();
      };
      const first = await outcome(fleet.process, () => fleet.fenced > 0);
      if (fleet.fenced === 0) {
        expect(first).toEqual(due());
        break;
      }
      takeovers++;
      fleet.beforeWrite = () => undefined;
      const sums = await outcome(await fleet.takeOver(openUnder(epoch + 1)), () => false);
      expect(sums, `write ${at}`).toEqual(due());
      expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
      expect(new Set(fleet.records.attempts.all(fleet.id).map((one) => one.attempt))).toEqual(new Set([1]));
      await fleet.close();
      for (const store of stores.splice(0)) store.close();
    }
    expect(takeovers).toBeGreaterThanOrEqual(Math.floor(40 / stride));
  });

  it("and only the fence is in the old one's way: without it, what that one writes goes through", async () => {
    await begin();
    for (const [table] of sql(
      `SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'consilium_fence' AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = '${options.schema}'::regnamespace)`,
    ))
      sql(`ALTER TABLE ${table} DISABLE TRIGGER consilium_fence`);
    const sums = () => sql(`SELECT step FROM ${options.schema}.results`).length;
    let atTakeover = Number.NaN;
    fleet.beforeWrite = (write) => {
      if (write !== 8) return;
      raiseEpoch();
      atTakeover = sums();
    };
    expect(await outcome(fleet.process, () => fleet.fenced > 0)).toEqual(due());
    expect([atTakeover, sums()]).toEqual([0, fleet.sums.length]);
  });
});
