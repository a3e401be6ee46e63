import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postgresPrograms, TestPostgres } from "../../testing/postgres/postgres.js";
import { testPostgresOptions } from "../../testing/store/store.js";
import { openLibsql } from "./driver.js";
import { openPostgresStore } from "./postgresStore.js";
import { openStore, type Store } from "./store.js";

const first = `CREATE TABLE sites (id TEXT PRIMARY KEY, rows INTEGER, share REAL, key BLOB) STRICT;
  CREATE TABLE entries (site TEXT NOT NULL REFERENCES sites (id), n INTEGER NOT NULL) STRICT;
  CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL DEFAULT '?') STRICT`;
const second = "ALTER TABLE sites ADD COLUMN note TEXT";

interface Place {
  open(migrations: readonly string[]): Store;
  forget(): void;
}

function sqlitePlace(): Place & { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "consilium-store-"));
  const path = join(folder, "state.db");
  return {
    folder,
    path,
    open: (migrations) => openStore(path, migrations),
    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function postgresPlace(server: TestPostgres): Place {
  const { schema } = testPostgresOptions(server.url());
  const open = (migrations: readonly string[]) =>
    openPostgresStore(testPostgresOptions(server.url(), { schema }), migrations);
  return { open, forget: () => undefined };
}

const programs = postgresPrograms();
let server: TestPostgres;
beforeAll(async () => {
  if (programs !== null) server = await TestPostgres.start(programs);
});
afterAll(() => server?.remove());

describe.each([
  ["SQLite", { missing: false, makePlace: sqlitePlace }],
  ["PostgreSQL", { missing: programs === null, makePlace: () => postgresPlace(server) }],
])("a store in %s", (_, { missing, makePlace }) => {
  let place: Place;
  let store: Store;
  beforeEach((context) => {
    if (missing) context.skip();
    place = makePlace();
    store = place.open([first]);
  });
  afterEach(() => {
    store?.close();
    place?.forget();
  });

  describe("values", () => {
    it("come back as they went in, from get and from all", () => {
      const key = new Uint8Array([9, 0, 1, 2, 255, 9]).subarray(1, 5);
      const insert = "INSERT INTO sites VALUES (?, ?, ?, ?)";
      expect(store.run(insert, "a", 2 ** 53 - 1, 0.1, key)).toBe(1);
      store.run(insert, "b", null, -0.5, new Uint8Array(0));
      const a = { id: "a", rows: 2 ** 53 - 1, share: 0.1, key: Uint8Array.from(key) };
      const b = { id: "b", rows: null, share: -0.5, key: new Uint8Array(0) };
      expect(store.get("SELECT * FROM sites WHERE id = ?", "a")).toEqual(a);
      expect(store.get("SELECT * FROM sites WHERE key = ?", key)).toEqual(a);
      expect(store.all("SELECT * FROM sites ORDER BY id")).toEqual([a, b]);
      expect(store.get("SELECT * FROM sites WHERE id = 'z'")).toBeUndefined();
      expect(store.get("INSERT INTO sites (id) VALUES ('c') RETURNING id")).toEqual({ id: "c" });
    });

    it("of expressions are numbers, truth is 1 or 0, and names keep their case", () => {
      store.run("INSERT INTO sites (id, rows) VALUES ('a', 3), ('b', 4)");
      const sql = "SELECT count(*) AS siteCount, sum(rows) AS allRows, max(rows) > 3 AS isMany FROM sites";
      expect(store.get(sql)).toEqual({ siteCount: 2, allRows: 7, isMany: 1 });
      expect(store.get("SELECT rows IS NULL AS isEmpty FROM sites WHERE id = 'a'")).toEqual({ isEmpty: 0 });
    });

    it("that SQL cannot hold are refused before they reach it", () => {
      const insert = (value: unknown) => store.run("INSERT INTO sites (id) VALUES (?)", value as string);
      for (const value of [true, undefined, Number.NaN, Infinity, 2 ** 53, 1n, "a\0b", {}, []]) {
        expect(() => insert(value)).toThrow(RangeError);
      }
      expect(store.all("SELECT * FROM sites")).toEqual([]);
    });

    it("hold quotes, question marks and every character", () => {
      const text = 'it\'s "?" -- $1 \\x41 \u{1f600} \u0001';
      store.run("INSERT INTO notes (text) VALUES (?)", text);
      store.run("INSERT INTO notes (text) VALUES ('why?') -- or ? not");
      store.run("INSERT INTO notes DEFAULT VALUES");
      expect(store.all("SELECT text FROM notes ORDER BY id").map((row) => row.text)).toEqual([
        text,
        "why?",
        "?",
      ]);
    });
  });

  describe("order", () => {
    it("of text is that of its bytes", () => {
      for (const id of ["b", "a", "B", "é", "_", "a-b", "ab"])
        store.run("INSERT INTO sites (id) VALUES (?)", id);
      const ids = store.all("SELECT id FROM sites ORDER BY id").map((row) => row.id);
      expect(ids).toEqual(["B", "_", "a", "a-b", "ab", "b", "é"]);
    });

    it("of rows is the one they came in", () => {
      for (const id of ["z", "a", "m"]) store.run("INSERT INTO sites (id) VALUES (?)", id);
      store.run("UPDATE sites SET rows = 1 WHERE id = 'z'");
      expect(store.all("SELECT id FROM sites ORDER BY rowid").map((row) => row.id)).toEqual(["z", "a", "m"]);
    });
  });

  it("tells how many rows were changed, and what a conflict did", () => {
    expect(store.run("INSERT INTO sites (id) VALUES ('a'), ('b')")).toBe(2);
    expect(store.run("INSERT INTO sites (id) VALUES ('a') ON CONFLICT DO NOTHING")).toBe(0);
    const upsert =
      "INSERT INTO sites (id, rows) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET rows = excluded.rows";
    expect(store.run(upsert, "a", 5)).toBe(1);
    expect(store.run("UPDATE sites SET rows = 1 WHERE rows IS NULL OR rows < ?", 9)).toBe(2);
    expect(store.run("DELETE FROM sites")).toBe(2);
  });

  describe("a transaction", () => {
    it("keeps all or nothing", () => {
      expect(() =>
        store.transaction(() => {
          store.run("INSERT INTO sites (id) VALUES ('a')");
          throw new Error("stop");
        }),
      ).toThrow("stop");
      expect(store.all("SELECT id FROM sites")).toEqual([]);
      expect(
        store.transaction(() => {
          store.run("INSERT INTO sites (id) VALUES ('a')");
          return 7;
        }),
      ).toBe(7);
      expect(store.all("SELECT id FROM sites")).toEqual([{ id: "a" }]);
    });

    it("inside another one is undone alone, or with it", () => {
      const inner = (id: string, fail: boolean) =>
        store.transaction(() => {
          store.run("INSERT INTO sites (id) VALUES (?)", id);
          if (fail) throw new Error("inner");
        });
      store.transaction(() => {
        inner("kept", false);
        expect(() => inner("undone", true)).toThrow("inner");
      });
      expect(store.all("SELECT id FROM sites")).toEqual([{ id: "kept" }]);
      expect(() =>
        store.transaction(() => {
          inner("lost", false);
          throw new Error("outer");
        }),
      ).toThrow("outer");
      expect(store.all("SELECT id FROM sites")).toEqual([{ id: "kept" }]);
    });

    it("inside another one may fail in its SQL, and the outer one continues", () => {
      store.transaction(() => {
        store.run("INSERT INTO sites (id) VALUES ('kept')");
        expect(() => store.transaction(() => store.run("INSERT INTO sites (id) VALUES ('kept')"))).toThrow();
        store.run("INSERT INTO sites (id) VALUES ('after')");
      });
      expect(store.all("SELECT id FROM sites ORDER BY id")).toEqual([{ id: "after" }, { id: "kept" }]);
    });

    it("refuses to wait", () => {
      expect(() => store.transaction(async () => store.run("INSERT INTO sites (id) VALUES ('a')"))).toThrow(
        RangeError,
      );
      expect(store.all("SELECT id FROM sites")).toEqual([]);
    });

    it("leaves the store usable after a constraint failed", () => {
      const orphan = () => store.transaction(() => store.run("INSERT INTO entries VALUES ('nobody', 1)"));
      expect(orphan).toThrow(/foreign key/i);
      store.run("INSERT INTO sites (id) VALUES ('nobody')");
      expect(orphan()).toBe(1);
    });
  });

  describe("migrations", () => {
    it("are applied once each, in order, and data stays", () => {
      store.run("INSERT INTO sites (id) VALUES ('a')");
      store.close();
      store = place.open([first, second]);
      expect(store.get("SELECT id, note FROM sites")).toEqual({ id: "a", note: null });
      store.close();
      store = place.open([first, second]);
      expect(store.get("SELECT id, note FROM sites")).toEqual({ id: "a", note: null });
    });

    it("that fail leave the store as it was", () => {
      store.close();
      expect(
        inEnglish(() => place.open([first, "CREATE TABLE extra (x TEXT) STRICT; SELECT nonsense"])),
      ).toThrow(/cannot be opened/);
      store = place.open([first, "CREATE TABLE extra (y TEXT) STRICT"]);
      expect(store.run("INSERT INTO extra (y) VALUES ('made')")).toBe(1);
    });

    it("of a newer software are refused", () => {
      store.close();
      place.open([first, second]).close();
      expect(() => place.open([first])).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
      store = place.open([first, second]);
    });
  });
});

describe("a SQLite file", () => {
  let place: ReturnType<typeof sqlitePlace>;
  let store: Store;
  beforeEach(() => {
    place = sqlitePlace();
    store = place.open([first]);
  });
  afterEach(() => {
    store.close();
    place.forget();
  });

  it("is durable by write-ahead log with full synchronisation, for its owner only", () => {
    expect(store.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
    expect(store.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
    expect(store.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
    expect(store.get("PRAGMA user_version")).toEqual({ user_version: 1 });
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(place.path + suffix).mode & 0o777).toBe(0o600);
  });

  it("holds whole numbers as integers", () => {
    expect(store.get("SELECT typeof(?) AS kind", 5)).toEqual({ kind: "integer" });
  });

  it("lets another connection read and checkpoint between calls: no statement stays open", () => {
    for (const id of ["a", "b", "c"]) store.run("INSERT INTO sites (id) VALUES (?)", id);
    expect(store.get("SELECT id FROM sites ORDER BY id")).toEqual({ id: "a" });
    const other = openLibsql(place.path);
    expect(other.prepare("SELECT count(*) AS n FROM sites").all([])).toEqual([{ n: 3 }]);
    expect(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([])).toMatchObject({ busy: 0, log: 0 });
    other.close();
  });

  it("that is no store is left alone", () => {
    const other = join(place.folder, "other.db");
    writeFileSync(other, "This is a text file, and a rather long one, so that it has a header. ".repeat(20));
    expect(() => openStore(other, [first])).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});
