import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLibsql } from "./driver.js";
import { openStore, type Store } from "./store.js";

const first = `CREATE TABLE sites (id TEXT PRIMARY KEY, rows INTEGER, share REAL, key BLOB) STRICT;
  CREATE TABLE entries (site TEXT NOT NULL REFERENCES sites (id), n INTEGER NOT NULL) STRICT`;
const second = "ALTER TABLE sites ADD COLUMN note TEXT";

let folder: string;
let path: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "consilium-store-"));
  path = join(folder, "state.db");
  store = openStore(path, [first]);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("values", () => {
  it("come back as they went in, from get and from all", () => {
    const key = new Uint8Array([9, 0, 1, 2, 255, 9]).subarray(1, 5);
    expect(store.run("INSERT INTO sites VALUES (?, ?, ?, ?)", "a", 2 ** 53 - 1, 0.1, key)).toBe(1);
    store.run("INSERT INTO sites VALUES (?, ?, ?, ?)", "b", null, -0.5, new Uint8Array(0));
    const a = { id: "a", rows: 2 ** 53 - 1, share: 0.1, key: Uint8Array.from(key) };
    const b = { id: "b", rows: null, share: -0.5, key: new Uint8Array(0) };
    expect(store.get("SELECT * FROM sites WHERE id = ?", "a")).toEqual(a);
    expect(store.get("SELECT * FROM sites WHERE key = ?", key)).toEqual(a);
    expect(store.all("SELECT * FROM sites ORDER BY id")).toEqual([a, b]);
    expect(store.get("SELECT * FROM sites WHERE id = 'z'")).toBeUndefined();
    expect(store.get("SELECT typeof(?) AS kind", 5)).toEqual({ kind: "integer" });
    expect(store.get("INSERT INTO sites (id) VALUES ('c') RETURNING id")).toEqual({ id: "c" });
  });

  it("that SQL cannot hold are refused before they reach it", () => {
    const insert = (value: unknown) => store.run("INSERT INTO sites (id) VALUES (?)", value as string);
    for (const value of [true, undefined, Number.NaN, Infinity, 2 ** 53, 1n, "a\0b", {}, []]) {
      expect(() => insert(value)).toThrow(RangeError);
    }
    expect(store.all("SELECT * FROM sites")).toEqual([]);
  });
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

  it("refuses to wait", () => {
    expect(() => store.transaction(async () => store.run("INSERT INTO sites (id) VALUES ('a')"))).toThrow(
      RangeError,
    );
    expect(store.all("SELECT id FROM sites")).toEqual([]);
  });

  it("leaves the store usable after a constraint failed", () => {
    const orphan = () => store.transaction(() => store.run("INSERT INTO entries VALUES ('nobody', 1)"));
    expect(orphan).toThrow(/FOREIGN KEY/);
    store.run("INSERT INTO sites (id) VALUES ('nobody')");
    expect(orphan()).toBe(1);
  });
});

describe("the file", () => {
  it("is durable by write-ahead log with full synchronisation, for its owner only", () => {
    expect(store.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
    expect(store.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
    expect(store.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
  });

  it("lets another connection read and checkpoint between calls: no statement stays open", () => {
    for (const id of ["a", "b", "c"]) store.run("INSERT INTO sites (id) VALUES (?)", id);
    expect(store.get("SELECT id FROM sites ORDER BY id")).toEqual({ id: "a" });
    const other = openLibsql(path);
    expect(other.prepare("SELECT count(*) AS n FROM sites").all([])).toEqual([{ n: 3 }]);
    expect(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([])).toMatchObject({ busy: 0, log: 0 });
    other.close();
  });
});

describe("migrations", () => {
  it("are applied once each, in order, and data stays", () => {
    store.run("INSERT INTO sites (id) VALUES ('a')");
    store.close();
    store = openStore(path, [first, second]);
    expect(store.get("SELECT id, note FROM sites")).toEqual({ id: "a", note: null });
    store.close();
    store = openStore(path, [first, second]);
    expect(store.get("PRAGMA user_version")).toEqual({ user_version: 2 });
  });

  it("that fail leave the file as it was", () => {
    store.close();
    expect(() => openStore(path, [first, "CREATE TABLE extra (x); SELECT nonsense"])).toThrow(
      /cannot be opened/,
    );
    store = openStore(path, [first]);
    expect(store.get("SELECT count(*) AS n FROM sqlite_master WHERE name = 'extra'")).toEqual({ n: 0 });
    expect(store.get("PRAGMA user_version")).toEqual({ user_version: 1 });
  });

  it("of a newer software are refused", () => {
    store.close();
    openStore(path, [first, second]).close();
    expect(() => openStore(path, [first])).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    store = openStore(path, [first, second]);
  });

  it("are not tried on a file that is no store", () => {
    const other = join(folder, "other.db");
    writeFileSync(other, "This is a text file, and a rather long one, so that it has a header. ".repeat(20));
    expect(() => openStore(other, [first])).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});
