import type { ConsiliumError } from "@consilium/core/errors";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postgresPrograms, TestPostgres } from "../../testing/postgres/postgres.js";
import { testPostgresOptions } from "../../testing/store/store.js";
import type { PostgresDriverOptions } from "./postgresDriver.js";
import { openPostgresStore } from "./postgresStore.js";
import type { OpenStore } from "./store.js";

const migrations = ["CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT"];
const programs = postgresPrograms();

describe.skipIf(programs === null)("a store in PostgreSQL", () => {
  let server: TestPostgres;
  let options: PostgresDriverOptions;
  let store: OpenStore;
  let lost: ConsiliumError[];
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
  });
  afterAll(() => server?.remove());
  beforeEach(() => {
    lost = [];
    options = testPostgresOptions(server.url(), {
      onLost: (error) => void lost.push(error),
      reachWithinMs: 3_000,
    });
    store = openPostgresStore(options, migrations);
  });
  afterEach(() => store.close());

  const note = (text: string) => store.run("INSERT INTO notes (text) VALUES (?)", text);
  const notes = () => store.all("SELECT text FROM notes ORDER BY text").map((row) => row.text);
  const coded = (code: string) => expect.objectContaining({ code });
  const endConnections = () =>
    server.psql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'consilium test'",
    );

  it("has one writer", () => {
    const second = { ...options, reachWithinMs: 300 };
    expect(() => openPostgresStore(second, migrations)).toThrow(coded("STATE_LOCKED"));
    openPostgresStore(testPostgresOptions(server.url()), migrations).close();
    note("still mine");
    store.close();
    store = openPostgresStore(options, migrations);
    expect(notes()).toEqual(["still mine"]);
  });

  it("is not trusted to a server that does not keep what it confirms", () => {
    server.psql("ALTER SYSTEM SET fsync = off");
    server.psql("SELECT pg_reload_conf()");
    try {
      store.close();
      // The reload takes a moment.
      expect(
        inEnglish(() => {
          for (let i = 0; i < 100; i++) openPostgresStore(options, migrations).close();
        }),
      ).toThrow(/fsync is off/);
    } finally {
      server.psql("ALTER SYSTEM RESET fsync");
      server.psql("SELECT pg_reload_conf()");
    }
  });

  it("waits for every commit, whatever the user's default", () => {
    server.psql("ALTER ROLE consilium SET synchronous_commit = off");
    try {
      store.close();
      store = openPostgresStore(options, migrations);
      expect(store.get("SELECT current_setting('synchronous_commit') AS setting")).toEqual({ setting: "on" });
    } finally {
      server.psql("ALTER ROLE consilium RESET synchronous_commit");
    }
  });

  it("says that the server's disk is full, and continues once it is not", () => {
    const heard: string[] = [];
    store.observeFull(({ message }) => heard.push(message));
    // disk_full, as the server raises it.
    store.run(
      `CREATE FUNCTION no_room() RETURNS trigger AS $$ BEGIN RAISE SQLSTATE '53100'; END $$ LANGUAGE plpgsql`,
    );
    store.run("CREATE TRIGGER no_room BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION no_room()");
    const before = notes();
    for (const write of [() => note("lost"), () => store.transaction(() => note("lost"))])
      expect(write).toThrow(
        expect.objectContaining({
          code: "DISK_FULL",
          message: `${options.name}: the database server's disk is full`,
        }),
      );
    expect(heard).toHaveLength(2);
    expect(notes()).toEqual(before);
    store.probe();
    store.run("DROP TRIGGER no_room ON notes");
    note("written");
    expect(notes()).toContain("written");
    expect(lost).toEqual([]);
  });

  it("connects again after a restart of the server", async () => {
    note("before");
    await server.down();
    await server.up();
    expect(notes()).toEqual(["before"]);
    await server.down("SIGQUIT");
    await server.up();
    store.transaction(() => note("after"));
    expect(notes()).toEqual(["after", "before"]);
    expect(lost).toEqual([]);
  });

  it("gives up when the server stays away", async () => {
    await server.down();
    try {
      expect(notes).toThrow(coded("UNREACHABLE"));
      expect(lost).toEqual([coded("UNREACHABLE")]);
    } finally {
      await server.up();
    }
    // Also when it is back: the process has been told to end.
    expect(notes).toThrow(coded("UNREACHABLE"));
  });

  it("undoes a transaction whose connection is lost, says so once, and takes nothing more", () => {
    note("before");
    const work = () =>
      store.transaction(() => {
        note("lost");
        endConnections();
        note("never");
      });
    expect(work).toThrow(coded("STORE_LOST"));
    expect(lost).toEqual([coded("STORE_LOST")]);
    expect(() => note("later")).toThrow(coded("STORE_LOST"));
    expect(notes).toThrow(coded("STORE_LOST"));
    expect(lost.length).toBe(1);
    expect(server.psql(`SELECT text FROM ${options.schema}.notes`)).toBe("before");
  });

  it("does not say that a transaction is durable which the server has undone", () => {
    const work = () =>
      store.transaction(() => {
        note("once");
        try {
          note("once");
        } catch {
          // As a caller that takes a failed statement for the end of that statement alone.
        }
      });
    expect(work).toThrow(coded("INTERNAL"));
    expect(notes()).toEqual([]);
    note("usable");
    expect(notes()).toEqual(["usable"]);
  });

  it("does not continue where another process has written while it was away", async () => {
    note("mine");
    endConnections();
    const other = openPostgresStore({ ...options, reachWithinMs: 3_000 }, migrations);
    other.run("INSERT INTO notes (text) VALUES ('theirs')");
    other.close();
    expect(notes).toThrow(coded("STORE_FENCED"));
    expect(lost).toEqual([coded("STORE_FENCED")]);
  });

  it("names the database and no secret when it is not let in", () => {
    const wrong = { ...options, connect: { ...options.connect, database: "nowhere", password: "a-secret" } };
    let thrown: unknown;
    try {
      openPostgresStore(wrong, migrations);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toEqual(coded("UNREACHABLE"));
    expect(String(thrown)).toContain("3D000");
    expect(String(thrown)).not.toContain("a-secret");
  });
});
