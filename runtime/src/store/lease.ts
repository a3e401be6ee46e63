import { Worker } from "node:worker_threads";
import type { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import type { PostgresConnectOptions } from "../postgres/connectOptions.js";
import { lockKey, sessionSettings, storeTable } from "./postgresFence.js";

export interface LeaseOptions {
  readonly connect: PostgresConnectOptions;
  /** Of the store's tables, which the lease's table stands beside. */
  readonly schema: string;
  /** For messages, such as `database consilium at db.example.org:5432`. */
  readonly name: string;
  /** This process, as others see it. */
  readonly holder: string;
  /** Without a renewal for so long the lease may be taken by another process. */
  readonly leaseMs: number;
  /**
   * Told once, with STORE_FENCED where another process has the lease, or STORE_LOST where it could not be renewed in time: this
   * process must end then. It must not throw.
   */
  readonly onLost: (error: ConsiliumError) => void;
  /** How often a process that stands by looks at the lease; by default a tenth of the lease, at most a second. */
  readonly watchEveryMs?: number;
}

/** The lease as this process knows it. */
export interface LeaseView {
  /** This process holds it. */
  readonly isHeld: boolean;
  /** Who holds it; null where it was given back, or nobody ever took it. */
  readonly holder: string | null;
  /** How often the store was taken. */
  readonly epoch: number;
  /** Since the last renewal that this process has seen, by its own clock. */
  readonly ageMs: number;
  /** Milliseconds since 1970, by the database's clock; null where nobody ever took it. */
  readonly takenAt: number | null;
  /** From whom it was last taken without being given back; null where it was given back. */
  readonly takenFrom: string | null;
  /** Why this process cannot look at the lease, or take it; null where it can. */
  readonly fault: string | null;
}

type Message =
  | { readonly kind: "view"; readonly view: LeaseView }
  | { readonly kind: "taken"; readonly epoch: number }
  | { readonly kind: "lost"; readonly reason: "fenced" | "expired" }
  | { readonly kind: "released" };

/** The database is asked again over another connection after this: also by a process that is to stop within 10 s. */
const answerMostMs = 5_000;
/** A lease is renewed so often within its time that two renewals may fail. */
const renewals = 4;

/**
 * The thread renews the lease however long the main thread computes. It is embedded as text, so that it is the same from
 * sources, from a build and from a bundle. Whether a lease has run out is judged by this thread's own monotonic clock: the
 * counter of renewals has not moved for the lease's time. Who takes it raises the store's epoch in the same transaction, after
 * ending the sessions of the one before; that the database then refuses that one's writes does not depend on any clock.
 */
const workerText = `
const { parentPort, workerData } = require("node:worker_threads");
const { connect, holder, leaseMs, answerWithinMs, watchEveryMs, renewEveryMs, key, setup, from } = workerData;
const { Client } = require("node:module").createRequire(from)("pg");
const now = () => performance.now();

let client = null;
let epoch = null;
let ended = false;
let seen = null;
let seenAt = now();
let fault = null;

const columns = "epoch, holder, renewals, taken_from, extract(epoch FROM taken_at) * 1000 AS taken_at";

async function session() {
  if (client !== null) return client;
  const next = new Client({ ...connect, query_timeout: answerWithinMs, connectionTimeoutMillis: answerWithinMs });
  const drop = () => { if (client === next) client = null; };
  next.on("error", drop);
  next.on("end", drop);
  try {
    await next.connect();
    for (const text of setup) await next.query(text);
  } catch (error) {
    next.end().catch(() => {});
    throw error;
  }
  client = next;
  return next;
}

function look(found) {
  if (seen === null || found.renewals !== seen.renewals || found.epoch !== seen.epoch) seenAt = now();
  seen = found;
}

async function take(on) {
  const before = seen;
  await on.query("BEGIN");
  try {
    const { rows: [free] } = await on.query("SELECT pg_try_advisory_xact_lock_shared(" + key + ") AS got");
    if (!free.got) throw new Error("a process without a lease uses the store");
    const taken = await on.query(
      "UPDATE consilium_lease SET holder = $1, taken_from = holder, renewals = renewals + 1, taken_at = clock_timestamp() " +
        "WHERE epoch = $2 AND renewals = $3 RETURNING " + columns,
      [holder, before.epoch, before.renewals],
    );
    if (taken.rowCount !== 1) return await on.query("ROLLBACK");
    // Their transactions are undone at once; one that is being committed is waited for by the next statement.
    await on.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ShareLock' " +
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid() " +
        "AND (classid::bigint << 32 | objid::bigint) = " + key,
    );
    const { rows: [raised] } = await on.query("UPDATE consilium_store SET epoch = epoch + 1 RETURNING epoch");
    await on.query("UPDATE consilium_lease SET epoch = $1", [raised.epoch]);
    await on.query("COMMIT");
    epoch = raised.epoch;
    seen = taken.rows[0];
    seenAt = now();
  } catch (error) {
    await on.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function renew(on) {
  const askedAt = now();
  const renewed = await on.query(
    "UPDATE consilium_lease SET renewals = renewals + 1 WHERE epoch = $1 AND holder IS NOT NULL " +
      "AND EXISTS (SELECT 1 FROM consilium_store WHERE epoch = $1)",
    [epoch],
  );
  if (renewed.rowCount !== 1) return lose("fenced");
  seenAt = askedAt;
}

function lose(reason) {
  ended = true;
  parentPort.postMessage({ kind: "lost", reason });
}

async function watch(on) {
  const { rows: [found] } = await on.query("SELECT " + columns + " FROM consilium_lease");
  look(found);
  if (found.holder === null || now() - seenAt > leaseMs) await take(on);
}

async function tick() {
  const stoodBy = epoch === null;
  try {
    const on = await session();
    await (epoch === null ? watch(on) : renew(on));
    fault = null;
  } catch (error) {
    fault = String(error.message);
    if (client !== null) client.end().catch(() => {});
    client = null;
  }
  if (ended) return;
  // A renewal that came late and was taken is one: nobody else had taken the lease.
  if (epoch !== null && fault !== null && now() - seenAt > leaseMs) return lose("expired");
  const found = seen ?? { holder: null, epoch: 0, taken_at: null, taken_from: null };
  const view = {
    isHeld: epoch !== null,
    holder: found.holder,
    epoch: Number(epoch ?? found.epoch),
    ageMs: now() - seenAt,
    takenAt: found.taken_at === null ? null : Number(found.taken_at),
    takenFrom: found.taken_from,
    fault,
  };
  parentPort.postMessage({ kind: "view", view });
  if (stoodBy && epoch !== null) parentPort.postMessage({ kind: "taken", epoch: Number(epoch) });
}

async function release() {
  if (epoch !== null && !ended) {
    const on = await session();
    await on.query("UPDATE consilium_lease SET holder = NULL WHERE epoch = $1", [epoch]);
  }
}

let next = null;
let ticking = Promise.resolve();
function run() {
  ticking = tick().then(() => {
    if (!ended) next = setTimeout(run, epoch === null ? watchEveryMs : renewEveryMs);
  });
}
parentPort.on("message", async () => {
  clearTimeout(next);
  await ticking;
  clearTimeout(next);
  await release().catch(() => {});
  ended = true;
  if (client !== null) await client.end().catch(() => {});
  parentPort.postMessage({ kind: "released" });
});
run();
`;

/**
 * A lease on a store in PostgreSQL that two processes may hold in turn, one of them at a time. From `watch` on this process
 * stands by; it holds the lease once `taken` has resolved.
 */
export class Lease {
  /** Resolves with the store's epoch that this process writes under. */
  readonly taken: Promise<number>;
  readonly #options: LeaseOptions;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #isReleased = false;
  #view: LeaseView = {
    isHeld: false,
    holder: null,
    epoch: 0,
    ageMs: 0,
    takenAt: null,
    takenFrom: null,
    fault: null,
  };
  #viewedAt = performance.now();

  constructor(options: LeaseOptions) {
    this.#options = options;
    const { connect, schema, holder, leaseMs } = options;
    this.#worker = new Worker(workerText, {
      eval: true,
      execArgv: [],
      workerData: {
        connect,
        holder,
        leaseMs,
        answerWithinMs: Math.min(leaseMs, answerMostMs),
        watchEveryMs: options.watchEveryMs ?? Math.min(1_000, leaseMs / 10),
        renewEveryMs: leaseMs / renewals,
        key: String(lockKey(schema)),
        setup: sessionSetup(schema),
        from: import.meta.url,
      },
    });
    this.taken = new Promise((resolve) => {
      this.#worker.on("message", (message: Message) => this.#heard(message, resolve));
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", () => resolve());
    });
    this.#worker.on("error", (cause) => {
      if (!this.#isReleased) options.onLost(fault("INTERNAL", "lease.failed", {}, { cause }));
    });
  }

  get view(): LeaseView {
    return { ...this.#view, ageMs: this.#view.ageMs + performance.now() - this.#viewedAt };
  }

  /** Gives the lease back, so that the one that stands by takes it at once; the store must be closed. */
  async release(): Promise<void> {
    this.#isReleased = true;
    const released = new Promise<void>((resolve) => {
      this.#worker.on("message", (message: Message) => {
        if (message.kind === "released") resolve();
      });
    });
    this.#worker.postMessage("release");
    await Promise.race([released, this.#ended]);
    await this.#worker.terminate();
  }

  #heard(message: Message, taken: (epoch: number) => void): void {
    switch (message.kind) {
      case "view":
        this.#view = message.view;
        this.#viewedAt = performance.now();
        return;
      case "taken":
        taken(message.epoch);
        return;
      case "lost": {
        const { name, leaseMs, onLost } = this.#options;
        onLost(
          message.reason === "fenced"
            ? fault("STORE_FENCED", "lease.taken-over", { store: nameOf(name) })
            : fault("STORE_LOST", "lease.not-renewed", { store: nameOf(name), seconds: leaseMs / 1000 }),
        );
        return;
      }
      case "released":
    }
  }
}

/** The table's one row exists before anyone takes the lease. */
function sessionSetup(schema: string): string[] {
  return [
    ...sessionSettings,
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    `SET search_path = ${schema}`,
    storeTable,
    `CREATE TABLE IF NOT EXISTS consilium_lease (
      only_one BOOLEAN PRIMARY KEY DEFAULT true CHECK (only_one),
      epoch BIGINT NOT NULL,
      holder TEXT,
      renewals BIGINT NOT NULL DEFAULT 0,
      taken_at TIMESTAMPTZ,
      taken_from TEXT
    )`,
    "INSERT INTO consilium_lease (epoch) SELECT epoch FROM consilium_store ON CONFLICT DO NOTHING",
  ];
}
