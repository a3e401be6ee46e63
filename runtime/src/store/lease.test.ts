import { setTimeout as delay } from "node:timers/promises";
import type { ConsiliumError } from "@consilium/core/errors";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postgresPrograms, TestPostgres } from "../../testing/postgres/postgres.js";
import { testPostgresOptions } from "../../testing/store/store.js";
import { Lease } from "./lease.js";
import type { PostgresDriverOptions } from "./postgresDriver.js";
import { openPostgresStore } from "./postgresStore.js";
import type { OpenStore } from "./store.js";

const migrations = ["CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT"];
const programs = postgresPrograms();
const leaseMs = 1_500;

describe.skipIf(programs === null)("a lease on a store in PostgreSQL", () => {
  let server: TestPostgres;
  let options: PostgresDriverOptions;
  const leases: Lease[] = [];
  const stores: OpenStore[] = [];
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
  });
  afterAll(() => server?.remove());
  beforeEach(() => {
    options = testPostgresOptions(server.url(), { reachWithinMs: 3_000 });
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) store.close();
    await Promise.all(leases.splice(0).map((lease) => lease.release()));
  });

  const watch = (holder: string, onLost: (error: ConsiliumError) => void = () => undefined) => {
    const lease = new Lease({ ...options, holder, leaseMs, onLost });
    leases.push(lease);
    return lease;
  };
  const open = (epoch: number, onLost: (error: ConsiliumError) => void = () => undefined) => {
    const store = openPostgresStore({ ...options, epoch, onLost }, migrations);
    stores.push(store);
    return store;
  };
  const note = (store: OpenStore, text: string) => store.run("INSERT INTO notes (text) VALUES (?)", text);
  const notes = () => server.psql(`SELECT text FROM ${options.schema}.notes ORDER BY text`).split("\n");
  const coded = (code: string) => expect.objectContaining({ code });
  /** Keeps a holder from renewing, as a partition between it and the database does, and its sessions open. */
  const freeze = (epoch: number) =>
    server.psql(`UPDATE ${options.schema}.consilium_lease SET epoch = -1 WHERE epoch = ${epoch}`);

  it("is held by one process, and taken by the next one at once when it is given back", async () => {
    const first = watch("first");
    const epoch = await first.taken;
    note(open(epoch), "first");
    const second = watch("second");
    // Longer than the lease: the first one renews it.
    await delay(2 * leaseMs);
    expect(second.view).toMatchObject({
      isHeld: false,
      holder: "first",
      epoch,
      takenFrom: null,
      fault: null,
    });
    expect(first.view).toMatchObject({ isHeld: true, holder: "first", epoch });
    expect(first.view.ageMs).toBeLessThan(leaseMs);
    stores.pop()!.close();
    await leases.shift()!.release();
    expect(await second.taken).toBe(epoch + 1);
    note(open(epoch + 1), "second");
    expect(notes()).toEqual(["first", "second"]);
  });

  it("is taken from a process that stops renewing it, and whose writes the database refuses from then on", async () => {
    let tell: (error: ConsiliumError) => void = () => undefined;
    const fenced = new Promise<ConsiliumError>((resolve) => {
      tell = resolve;
    });
    const first = watch("first", tell);
    const epoch = await first.taken;
    const lost: ConsiliumError[] = [];
    const old = open(epoch, (error) => void lost.push(error));
    note(old, "first");
    freeze(epoch);
    expect(await fenced).toEqual(coded("STORE_FENCED"));
    const second = watch("second");
    expect(await second.taken).toBe(epoch + 1);
    expect(second.view).toMatchObject({ isHeld: true, holder: "second", epoch: epoch + 1 });
    const current = open(epoch + 1);
    note(current, "second");
    expect(() => note(old, "too late")).toThrow(coded("STORE_FENCED"));
    expect(lost).toEqual([coded("STORE_FENCED")]);
    expect(notes()).toEqual(["first", "second"]);
  });

  it("does not wait for a transaction that its old holder left open, and undoes it", async () => {
    const first = watch("first");
    const old = open(await first.taken);
    let second: Lease | null = null;
    await first.release();
    leases.length = 0;
    // A session that holds the fence's row and never ends its transaction: its process is gone.
    old.run("INSERT INTO notes (text) VALUES ('whole')");
    const hung = () =>
      old.transaction(() => {
        note(old, "half");
        second = watch("second");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * leaseMs);
        note(old, "other half");
      });
    expect(hung).toThrow(coded("STORE_LOST"));
    await second!.taken;
    expect(notes()).toEqual(["whole"]);
  });

  it("keeps out a process without a lease, and is kept out by one", async () => {
    const first = watch("first");
    open(await first.taken);
    const { epoch: _, ...alone } = options;
    expect(() => openPostgresStore({ ...alone, reachWithinMs: 300 }, migrations)).toThrow(
      coded("STATE_LOCKED"),
    );
    stores.pop()!.close();
    await leases.pop()!.release();
    const single = openPostgresStore(alone, migrations);
    stores.push(single);
    const second = watch("second");
    await delay(2 * leaseMs);
    expect(second.view).toMatchObject({
      isHeld: false,
      fault: "a process without a lease uses the store",
    });
    single.close();
    await second.taken;
  });
});

describe.skipIf(programs === null)("the fence before a store in PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
  });
  afterAll(() => server?.remove());

  /** A process that took the store, and another one after it, whose sessions both stay open. */
  function twoWriters(): { old: OpenStore; schema: string; close(): void } {
    const options = testPostgresOptions(server.url());
    server.psql(`CREATE SCHEMA ${options.schema}`);
    server.psql(
      `CREATE TABLE ${options.schema}.consilium_store (format INTEGER NOT NULL, epoch BIGINT NOT NULL)`,
    );
    server.psql(`INSERT INTO ${options.schema}.consilium_store VALUES (0, 1)`);
    const old = openPostgresStore({ ...options, epoch: 1 }, migrations);
    server.psql(`UPDATE ${options.schema}.consilium_store SET epoch = 2`);
    const current = openPostgresStore({ ...options, epoch: 2 }, migrations);
    current.run("INSERT INTO notes (text) VALUES ('current')");
    return {
      old,
      schema: options.schema,
      close() {
        old.close();
        current.close();
      },
    };
  }

  const writes: readonly (readonly [string, (store: OpenStore) => unknown])[] = [
    ["an insertion", (store) => store.run("INSERT INTO notes (text) VALUES ('old')")],
    ["an update", (store) => store.run("UPDATE notes SET text = 'old'")],
    ["a removal", (store) => store.run("DELETE FROM notes")],
    ["a transaction", (store) => store.transaction(() => store.run("DELETE FROM notes"))],
    ["a probe", (store) => store.probe()],
  ];

  it.each(writes)("refuses %s of an older epoch", (_, write) => {
    const { old, schema, close } = twoWriters();
    try {
      expect(() => write(old)).toThrow(expect.objectContaining({ code: "STORE_FENCED" }));
      expect(server.psql(`SELECT text FROM ${schema}.notes`)).toBe("current");
    } finally {
      close();
    }
  });

  it.each(writes.slice(0, 4))(
    "is what refuses it: weakened, %s of an older epoch goes through",
    (_, write) => {
      const { old, schema, close } = twoWriters();
      try {
        server.psql(`ALTER TABLE ${schema}.notes DISABLE TRIGGER consilium_fence`);
        write(old);
        expect(server.psql(`SELECT text FROM ${schema}.notes ORDER BY text`)).not.toBe("current");
      } finally {
        close();
      }
    },
  );

  it("refuses a session that declares no epoch", () => {
    const { schema, close } = twoWriters();
    expect(() => server.psql(`DELETE FROM ${schema}.notes`)).toThrow(/does not hold the store/);
    close();
  });
});
