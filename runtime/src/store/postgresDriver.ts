import { createHash } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import type { PostgresConnectOptions } from "../postgres/connectOptions.js";
import { databaseFull, saysDiskFull } from "./diskFull.js";
import type { SqlDriver, SqlRow, SqlValue } from "./driver.js";
import { checkParameter } from "./parameters.js";
import {
  declareEpoch,
  fencedState,
  fenceTables,
  lockKey,
  sessionSettings,
  storeTable,
} from "./postgresFence.js";
import { fromPostgres, postgresSchema, postgresStatement } from "./postgresSql.js";
import {
  codeName,
  type PostgresAnswer,
  PostgresFault,
  type PostgresQuery,
  PostgresThread,
} from "./postgresThread.js";

export interface PostgresDriverOptions {
  readonly connect: PostgresConnectOptions;
  /** Of the store's own tables: one database may hold several stores. */
  readonly schema: string;
  /** For messages, such as `database consilium at db.example.org:5432`. */
  readonly name: string;
  /** Told once, when the store can no longer be used; the process is to stop. It must not throw. */
  readonly onLost: (error: ConsiliumError) => void;
  /** How long to try to connect, and to take the lock, at the start and whenever the connection was lost. */
  readonly reachWithinMs: number;
  /** The longest that one statement may take. */
  readonly answerWithinMs: number;
  /** The store's epoch, where a lease has taken it for this process (lease.ts); left out, the driver takes the store. */
  readonly epoch?: number;
}

const retryEveryMs = 250;
const schemaName = /^[a-z][a-z0-9_]{0,40}$/;
const oldestVersion = 130_000;

/** A server that is still starting, or has no connection left. */
const passing = new Set(["57P03", "53300"]);

/**
 * A store in a PostgreSQL schema.
 *
 * One writer: the connection holds an advisory lock on the schema as long as it lives, and each process that takes it
 * raises `consilium_store.epoch`, which the database compares before each write (postgresFence.ts). After a loss the driver
 * connects again, takes the lock again and continues only if the epoch is still its own: otherwise somebody else has written
 * in between, and what this process has in memory is old. Under a lease the epoch came with it, and the lock is shared: it
 * only keeps out processes without a lease.
 *
 * A lost connection is opened again where nothing was under way, or only reading. Anything else may or may not have
 * become durable: the driver refuses all that follows and says so to `onLost`.
 *
 * @throws ConsiliumError UNREACHABLE, STATE_LOCKED, STORE_FENCED, or CONFIG_INVALID if the server does not keep what it
 *   confirms
 */
export function openPostgres(options: PostgresDriverOptions): FencedDriver {
  return new PostgresDriver(options);
}

export interface FencedDriver extends SqlDriver {
  /** Has the database refuse writes of an older epoch to every table that there is now. */
  fence(): void;
}

class PostgresDriver implements FencedDriver {
  readonly #options: PostgresDriverOptions;
  readonly #thread: PostgresThread;
  #epoch: number | null;
  #inTransaction = false;
  #gone: ConsiliumError | null = null;

  constructor(options: PostgresDriverOptions) {
    if (!schemaName.test(options.schema)) throw new RangeError("invalid schema name");
    this.#options = options;
    this.#epoch = options.epoch ?? null;
    this.#thread = new PostgresThread(options);
    try {
      this.#reach();
    } catch (cause) {
      this.#thread.close();
      throw cause;
    }
  }

  exec(sql: string): void {
    const { command } = this.#query({ text: postgresStatement(sql) });
    if (sql.startsWith("BEGIN")) this.#inTransaction = true;
    if (sql !== "COMMIT" && sql !== "ROLLBACK") return;
    this.#inTransaction = false;
    // After a statement that failed the server answers COMMIT by undoing everything, which is no error to it.
    if (command !== sql) {
      throw fault("INTERNAL", "store.rolled-back", {});
    }
  }

  migrate(sql: string): void {
    this.#query({ text: postgresSchema(sql) });
  }

  prepare(sql: string) {
    const text = postgresStatement(sql);
    const name = createHash("sha256").update(text).digest("base64url");
    const ask = (params: readonly SqlValue[]) => {
      for (const value of params) checkParameter(value);
      return this.#query({ text, name, values: params });
    };
    return {
      run: (params: readonly SqlValue[]) => ask(params).changed,
      get: (params: readonly SqlValue[]) => rowsOf(ask(params), 1)[0],
      all: (params: readonly SqlValue[]) => rowsOf(ask(params)),
    };
  }

  format(): number {
    return this.#number("SELECT format FROM consilium_store");
  }

  setFormat(format: number): void {
    const text = "UPDATE consilium_store SET format = $1 WHERE epoch = $2";
    const { changed } = this.#query({ text, values: [format, this.#epoch] });
    if (changed === 0) throw this.#lose(fencedError(this.#options));
  }

  fence(): void {
    this.#query({ text: fenceTables(this.#options.schema) });
  }

  close(): void {
    this.#gone ??= fault("INTERNAL", "store.closed", {});
    this.#thread.close();
  }

  #number(text: string): number {
    return Number(Object.values(rowsOf(this.#query({ text }))[0] ?? { none: Number.NaN })[0]);
  }

  #query(query: PostgresQuery): PostgresAnswer {
    if (this.#gone !== null) throw this.#gone;
    try {
      return this.#thread.query(query);
    } catch (thrown) {
      if (thrown instanceof PostgresFault && thrown.code === fencedState)
        throw this.#lose(fencedError(this.#options));
      if (!(thrown instanceof PostgresFault) || thrown.connection === "holds") throw thrown;
      if (this.#inTransaction || !isRepeatable(query, thrown))
        throw this.#lose(lostError(this.#options, thrown));
    }
    try {
      this.#reach();
      return this.#thread.query(query);
    } catch (thrown) {
      if (thrown instanceof PostgresFault && thrown.connection === "holds") throw thrown;
      throw this.#lose(thrown instanceof ConsiliumError ? thrown : lostError(this.#options, thrown));
    }
  }

  #lose(error: ConsiliumError): ConsiliumError {
    this.#gone = error;
    this.#thread.close();
    this.#options.onLost(error);
    return error;
  }

  /** Connects, prepares the session, and takes the schema's lock and epoch, within the time that there is for it. */
  #reach(): void {
    const giveUpAt = Date.now() + this.#options.reachWithinMs;
    for (;;) {
      try {
        this.#thread.connect(this.#options.connect);
        this.#prepareSession();
        if (this.#takeLock()) break;
        if (Date.now() >= giveUpAt) throw lockedError(this.#options);
      } catch (thrown) {
        if (!(thrown instanceof PostgresFault)) throw thrown;
        const isPassing = thrown.connection !== "holds" || passing.has(thrown.code);
        const said = /^[0-9][0-9A-Z]{4}$/.test(thrown.code) && !/^(08|57P|53)/.test(thrown.code);
        if (!isPassing || said || Date.now() >= giveUpAt) throw unreachableError(this.#options, thrown);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryEveryMs);
    }
    this.#takeEpoch();
    this.#thread.query({ text: declareEpoch(this.#epoch!) });
  }

  #prepareSession(): void {
    const { schema, name } = this.#options;
    const set = (text: string) => this.#thread.query({ text });
    for (const setting of sessionSettings) set(setting);
    set("SET bytea_output = hex");
    // A process whose machine vanished lets go of its lock within a minute.
    set("SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3");
    for (const [setting, needed] of [
      ["synchronous_commit", "on"],
      ["fsync", "on"],
      ["full_page_writes", "on"],
      ["server_encoding", "UTF8"],
    ] as const) {
      const found = set(`SHOW ${setting}`).rows[0]?.[0];
      if (found !== needed) {
        throw fault("CONFIG_INVALID", "store.needs-setting", {
          store: nameOf(name),
          setting: nameOf(setting),
          found: nameOf(String(found)),
          needed: nameOf(needed),
        });
      }
    }
    if (Number(set("SHOW server_version_num").rows[0]?.[0]) < oldestVersion) {
      throw fault("CONFIG_INVALID", "store.old-server", { store: nameOf(name) });
    }
    const there = set(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`).rows.length > 0;
    if (!there) set(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    set(`SET search_path = ${schema}`);
  }

  #takeLock(): boolean {
    const { schema, epoch } = this.#options;
    const lock = epoch === undefined ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
    return this.#thread.query({ text: `SELECT ${lock}(${lockKey(schema)})` }).rows[0]?.[0] === "t";
  }

  #takeEpoch(): void {
    const ask = (text: string) => this.#thread.query({ text });
    if (this.#epoch === null) {
      ask(storeTable);
      this.#epoch = Number(ask("UPDATE consilium_store SET epoch = epoch + 1 RETURNING epoch").rows[0]?.[0]);
      return;
    }
    if (Number(ask("SELECT epoch FROM consilium_store").rows[0]?.[0]) !== this.#epoch) {
      throw fencedError(this.#options);
    }
  }
}

/** Nothing was sent, or what was sent has no effect that lasts. */
function isRepeatable(query: PostgresQuery, fault: PostgresFault): boolean {
  return fault.connection === "unsent" || /^(?:BEGIN$|SELECT\b)/.test(query.text);
}

function rowsOf(answer: PostgresAnswer, max = Number.POSITIVE_INFINITY): SqlRow[] {
  return answer.rows.slice(0, max).map((row) => {
    const made: Record<string, SqlValue> = {};
    for (const [i, name] of answer.names.entries()) {
      // Every store's table has this column, to which SQLite gives no name either.
      if (name !== "rowid") made[name] = fromPostgres(row[i]!, answer.types[i]!);
    }
    return made;
  });
}

function lostError(options: PostgresDriverOptions, cause: unknown): ConsiliumError {
  return fault("STORE_LOST", "store.connection-lost", { store: nameOf(options.name) }, { cause });
}

function fencedError({ name, epoch }: PostgresDriverOptions): ConsiliumError {
  return fault("STORE_FENCED", "store.fenced", { store: nameOf(name), epoch: epoch ?? null });
}

function lockedError(options: PostgresDriverOptions): ConsiliumError {
  return fault("STATE_LOCKED", "store.in-use", { store: nameOf(options.name) }, "store.own-database");
}

function unreachableError(options: PostgresDriverOptions, cause: PostgresFault): ConsiliumError {
  if (saysDiskFull(cause)) return databaseFull(options.name, cause);
  return fault(
    "UNREACHABLE",
    "store.refused",
    { store: nameOf(options.name), code: codeName(cause) },
    { remedy: "store.check-database", cause },
  );
}
