import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { nameOf, pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { DiskFull, writeFailure } from "./diskFull.js";
import { openLibsql, type SqlDriver, type SqlRow, type SqlStatement, type SqlValue } from "./driver.js";

export type { SqlRow, SqlValue } from "./driver.js";

/** How long a statement waits for another process that writes, such as `backup`. */
const busyTimeoutMs = 5_000;

/** Prepared statements kept per store; a store has a few dozen different ones. */
const statementsMax = 500;

/**
 * One process's SQL store: a SQLite file, or a schema of a PostgreSQL database. All calls are synchronous; a commit
 * returns when the data is on the disk (SQLite: write-ahead log, `synchronous=FULL`, one fsync, about 0.3 ms;
 * PostgreSQL: `synchronous_commit=on`).
 *
 * Statements that write outside `transaction` commit by themselves. A statement that fails inside a transaction leaves
 * nothing to do but to undo the innermost one: so PostgreSQL has it, and SQLite is used as if it were so too.
 */
export interface Store {
  /** @returns how many rows were changed */
  run(sql: string, ...params: SqlValue[]): number;
  /** The first row, or undefined. */
  get(sql: string, ...params: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...params: SqlValue[]): SqlRow[];
  /**
   * Runs `work` in one transaction that takes the write lock at once: all of it is durable when this returns, or
   * none of it is if `work` throws. Inside another transaction it becomes a part of that one, undone alone.
   * @throws RangeError if `work` returns a promise: a transaction must not wait
   */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** A store of this process, as against what only reads like one. */
export interface OpenStore extends Store {
  /** Has every commit told from now on: how long it took until its data was durable, in seconds. */
  observeCommits(observe: (seconds: number) => void): void;
  /** Has every write told from now on that found no room. */
  observeFull(observe: (fault: DiskFull) => void): void;
  /** Writes what is there already, durably. @throws DISK_FULL while there is no room for that */
  probe(): void;
}

/**
 * Opens a store in a SQLite file, creating and migrating it.
 *
 * @param path - of the SQLite file, made readable by its owner only; `:memory:` for tests
 * @param migrations - SQL scripts in their order, in the dialect of `postgresSql.ts`; only ever append. The number that
 *   was applied is kept in the store; each script runs with its number in one transaction.
 * @throws ConsiliumError CONFIG_INVALID if the file was written by newer software, or is not a store; DISK_FULL
 */
export function openStore(path: string, migrations: readonly string[]): OpenStore {
  const folder = path === ":memory:" ? null : dirname(path);
  let driver: SqlDriver;
  try {
    if (folder !== null) {
      closeSync(openSync(path, "a", 0o600));
      chmodSync(path, 0o600);
    }
    driver = openLibsql(path);
  } catch (cause) {
    throw folder === null ? cause : writeFailure(cause, folder);
  }
  const full = (cause: unknown) => (folder === null ? cause : writeFailure(cause, folder));
  return migratedStore({ driver, name: path, full }, migrations, () => {
    driver.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    if (path !== ":memory:") requireWal(driver, path);
    driver.exec("PRAGMA synchronous = FULL");
    driver.exec("PRAGMA foreign_keys = ON");
  });
}

/** A driver that has been opened. */
interface OpenedDriver {
  readonly driver: SqlDriver;
  /** Of the file or database, for messages. */
  readonly name: string;
  /** What the driver threw: DISK_FULL where a write found no room, else as it is. */
  readonly full: (cause: unknown) => unknown;
}

/**
 * A store over a driver that has been opened, migrated.
 * @param prepare - what to do first, within the same care for failures
 */
export function migratedStore(
  opened: OpenedDriver,
  migrations: readonly string[],
  prepare: () => void = () => undefined,
): OpenStore {
  const { driver, name } = opened;
  try {
    prepare();
    const store = new SqlStore(opened, migrations.length);
    migrate(store, driver, migrations, name);
    return store;
  } catch (thrown) {
    driver.close();
    const cause = opened.full(thrown);
    if (cause instanceof ConsiliumError) throw cause;
    const store = pathOf(name);
    const code = cause instanceof Error && "code" in cause ? nameOf(String(cause.code)) : null;
    throw fault("CONFIG_INVALID", "store.no-store", { store, code }, { remedy: "store.right-folder", cause });
  }
}

function requireWal(driver: SqlDriver, path: string): void {
  const mode = driver.prepare("PRAGMA journal_mode = WAL").get([])?.journal_mode;
  if (mode !== "wal") {
    throw fault("CONFIG_INVALID", "store.no-wal", { file: pathOf(path) }, "store.local-disk");
  }
}

function migrate(store: Store, driver: SqlDriver, migrations: readonly string[], name: string): void {
  const version = driver.format();
  if (version > migrations.length) {
    const formats = { store: pathOf(name), format: version, highest: migrations.length };
    throw fault("CONFIG_INVALID", "store.newer-format", formats, "store.run-newer");
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    store.transaction(() => {
      driver.migrate(sql);
      driver.setFormat(index + 1);
    });
  }
}

class SqlStore implements OpenStore {
  readonly #driver: SqlDriver;
  readonly #statements = new Map<string, SqlStatement>();
  #depth = 0;
  readonly #full: (cause: unknown) => unknown;
  readonly #format: number;
  #observe: ((seconds: number) => void) | null = null;
  #observeFull: (fault: DiskFull) => void = () => undefined;

  /** @param format - of the store once it is migrated */
  constructor({ driver, full }: OpenedDriver, format: number) {
    this.#driver = driver;
    this.#full = full;
    this.#format = format;
  }

  run(sql: string, ...params: SqlValue[]): number {
    return this.#asking(() => this.#statement(sql).run(params));
  }

  get(sql: string, ...params: SqlValue[]): SqlRow | undefined {
    return this.#asking(() => this.#statement(sql).get(params));
  }

  all(sql: string, ...params: SqlValue[]): SqlRow[] {
    return this.#asking(() => this.#statement(sql).all(params));
  }

  transaction<T>(work: () => T): T {
    const [begin, commit, undo] =
      this.#depth === 0
        ? ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]
        : [
            `SAVEPOINT s${this.#depth}`,
            `RELEASE s${this.#depth}`,
            `ROLLBACK TO s${this.#depth}; RELEASE s${this.#depth}`,
          ];
    this.#asking(() => this.#driver.exec(begin!));
    this.#depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new RangeError("a transaction must not wait: await before it");
      const begun = this.#observe === null || this.#depth > 1 ? null : performance.now();
      this.#asking(() => this.#driver.exec(commit!));
      if (begun !== null) this.#observe!((performance.now() - begun) / 1000);
      return result;
    } catch (cause) {
      this.#undo(undo!);
      throw cause;
    } finally {
      this.#depth--;
    }
  }

  observeCommits(observe: (seconds: number) => void): void {
    this.#observe = observe;
  }

  observeFull(observe: (fault: DiskFull) => void): void {
    this.#observeFull = observe;
  }

  probe(): void {
    this.transaction(() => this.#asking(() => this.#driver.setFormat(this.#format)));
  }

  #asking<T>(ask: () => T): T {
    try {
      return ask();
    } catch (thrown) {
      const cause = this.#full(thrown);
      if (cause instanceof DiskFull) this.#observeFull(cause);
      throw cause;
    }
  }

  /**
   * SQLite has rolled back by itself after some errors (a full disk), PostgreSQL when the connection was lost: then
   * there is nothing left to undo.
   */
  #undo(sql: string): void {
    try {
      this.#driver.exec(sql);
    } catch {
      // The error that led here is the one to report.
    }
  }

  close(): void {
    this.#statements.clear();
    this.#driver.close();
  }

  #statement(sql: string): SqlStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#driver.prepare(sql);
    if (this.#statements.size >= statementsMax) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}
