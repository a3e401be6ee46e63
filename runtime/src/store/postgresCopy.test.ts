import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postgresPrograms, TestPostgres } from "../../testing/postgres/postgres.js";
import { testPostgresOptions } from "../../testing/store/store.js";
import { copyPostgres } from "./postgresCopy.js";
import type { PostgresDriverOptions } from "./postgresDriver.js";
import { openPostgresStore } from "./postgresStore.js";
import { type OpenStore, openStore } from "./store.js";

const first = `CREATE TABLE notes (id TEXT PRIMARY KEY, atMs INTEGER NOT NULL, share REAL, bytes BLOB, gone INTEGER) STRICT`;
const second = "ALTER TABLE notes ADD COLUMN title TEXT";
const programs = postgresPrograms();

describe.skipIf(programs === null)("a copy of a store in PostgreSQL", () => {
  let server: TestPostgres;
  let options: PostgresDriverOptions;
  let store: OpenStore;
  let folder: string;
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
  });
  afterAll(() => server?.remove());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "consilium-copy-"));
    options = testPostgresOptions(server.url());
    store = openPostgresStore(options, [first]);
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const note = (id: string, bytes: Uint8Array | null = null) =>
    store.run(
      "INSERT INTO notes (id, atMs, share, bytes, gone) VALUES (?, ?, ?, ?, NULL)",
      id,
      2 ** 53 - 1,
      0.1 + 0.2,
      bytes,
    );
  /** Opens the copy as this version's software, which may have a newer format. */
  const copied = (migrations: readonly string[]) => {
    const path = join(folder, "copy.db");
    copyPostgres(options, migrations, path);
    return openStore(path, migrations);
  };
  const state = () => server.psql(`SELECT format || ' ' || epoch FROM ${options.schema}.consilium_store`);

  it("has every value as it is, in the order in which rows came, in the format of who reads it", () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 256);
    for (let i = 0; i < 100; i++) note(`note-${99 - i}`, i === 7 ? bytes : null);
    const before = state();
    const copy = copied([first, second]);
    expect(copy.all("SELECT id FROM notes ORDER BY rowid").map(({ id }) => id)).toEqual(
      Array.from({ length: 100 }, (_, i) => `note-${99 - i}`),
    );
    expect(copy.get("SELECT * FROM notes WHERE id = 'note-92'")).toEqual({
      id: "note-92",
      atMs: 2 ** 53 - 1,
      share: 0.1 + 0.2,
      bytes,
      gone: null,
      title: null,
    });
    copy.close();
    // Nothing was written there, nobody was fenced off, and the process that has the store continues.
    expect(state()).toBe(before);
    note("later");
    expect(server.psql(`SELECT count(*) FROM ${options.schema}.notes`)).toBe("101");
  });

  it("is of one moment, while another process writes", async () => {
    store.transaction(() => {
      for (let i = 0; i < 3_000; i++) note(`note-${i}`);
    });
    // Each transaction takes the oldest away and puts a new one at the end: a moment has as many as any other.
    const turn = `DO $$ BEGIN FOR i IN 1..100000 LOOP
      INSERT INTO ${options.schema}.notes (id, "atMs") VALUES ('turn-' || i, i);
      DELETE FROM ${options.schema}.notes WHERE rowid = (SELECT min(rowid) FROM ${options.schema}.notes);
      COMMIT; END LOOP; END $$`;
    const { port } = server;
    const at = ["-h", "127.0.0.1", "-p", String(port), "-U", "consilium", "-d", "postgres", "-Xq"];
    const epoch = server.psql(`SELECT epoch FROM ${options.schema}.consilium_store`);
    const set = `SET consilium.epoch = '${epoch}'`;
    const writer = spawn(join(programs!, "psql"), [...at, "-c", set, "-c", turn], { stdio: "ignore" });
    try {
      const turns = () =>
        Number(server.psql(`SELECT count(*) FROM ${options.schema}.notes WHERE id LIKE 'turn-%'`));
      await expect.poll(turns, { timeout: 30_000 }).toBeGreaterThan(0);
      const before = turns();
      const copy = copied([first]);
      expect(copy.get("SELECT count(*) AS notes FROM notes")).toEqual({ notes: 3_000 });
      copy.close();
      // It was written to meanwhile.
      expect(turns()).toBeGreaterThan(before);
    } finally {
      writer.kill();
      await once(writer, "close");
    }
  });

  it("is refused of a newer format, where there is no store, and where nobody answers", () => {
    store.close();
    store = openPostgresStore(options, [first, second]);
    const code = (of: PostgresDriverOptions, migrations = [first]) => {
      try {
        copyPostgres(of, migrations, join(folder, "refused.db"));
        return "copied";
      } catch (thrown) {
        return (thrown as { readonly code: string }).code;
      }
    };
    expect(code(options)).toBe("CONFIG_INVALID");
    expect(code({ ...options, schema: "nothing_here" }, [first, second])).toBe("STATE_MISSING");
    const nowhere = { ...options, connect: { ...options.connect, database: "nowhere" } };
    expect(code(nowhere, [first, second])).toBe("UNREACHABLE");
    expect(server.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'nothing_here'")).toBe("0");
  });
});
