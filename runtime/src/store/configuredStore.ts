import { join, resolve } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { z } from "zod";
import { fault } from "../fault.js";
import { describeDatabase, parsePostgresUrl } from "../postgres/address.js";
import { type PostgresConnectOptions, postgresConnectOptions } from "../postgres/connectOptions.js";
import { Lease } from "./lease.js";
import { copyPostgres } from "./postgresCopy.js";
import { openPostgresStore } from "./postgresStore.js";
import { type OpenStore, openStore } from "./store.js";
import { withCopy, withStoreCopy } from "./storeCopy.js";

/** A database that restarts is waited for this long; sites' connections bear that. */
const reachWithinMs = 15_000;
const answerWithinMs = 60_000;

/** Keys of a process's `config.yaml` that say where its store is. */
export const storeConfigShape = {
  /** `postgres://user@host:port/database`; left out, the SQLite file `state.db` in the state folder. */
  store: z.string().max(1_000).optional(),
  /** A file whose first line is the database's password, relative to the state folder; left out, PGPASSFILE counts. */
  storePasswordFile: z.string().max(1_000).optional(),
};

interface StoreConfig {
  readonly store?: string | undefined;
  readonly storePasswordFile?: string | undefined;
}

/**
 * Opens a process's store where its configuration says.
 * @param options.role - of the process; its schema in a PostgreSQL database has this name
 * @param options.onLost - a PostgreSQL store is no longer usable: the process must exit immediately
 * @throws ConsiliumError as `openStore` and `openPostgresStore`
 */
export function openConfiguredStore(
  config: StoreConfig,
  options: {
    readonly stateFolder: string;
    readonly role: string;
    readonly migrations: readonly string[];
    readonly onLost: (error: ConsiliumError) => void;
    /** The lease under which this process has taken the store; left out, it takes the store by itself. */
    readonly lease?: { readonly epoch: number; readonly leaseMs: number };
  },
): OpenStore {
  const { stateFolder, role, migrations, onLost, lease } = options;
  if (config.store === undefined) return openStore(join(stateFolder, "state.db"), migrations);
  const database = databaseOf(config.store, config, options);
  const waits =
    lease === undefined
      ? { reachWithinMs, answerWithinMs }
      : // Who waits longer for the database has lost its lease meanwhile.
        { reachWithinMs: lease.leaseMs, answerWithinMs: lease.leaseMs, epoch: lease.epoch };
  return openPostgresStore({ ...database, schema: role, onLost, ...waits }, migrations);
}

/**
 * Stands by for the lease of a process's store in PostgreSQL.
 * @param options.holder - this process's name
 * @throws ConsiliumError CONFIG_INVALID without such a store
 */
export function watchConfiguredLease(
  config: StoreConfig,
  options: {
    readonly stateFolder: string;
    readonly role: string;
    readonly holder: string;
    readonly leaseMs: number;
    readonly onLost: (error: ConsiliumError) => void;
  },
): Lease {
  const { role, holder, leaseMs, onLost } = options;
  if (config.store === undefined) {
    throw fault("CONFIG_INVALID", "store.standby-needs", {}, "store.move-to-postgres");
  }
  return new Lease({ ...databaseOf(config.store, config, options), schema: role, holder, leaseMs, onLost });
}

/**
 * Works on a copy of a process's store, in the format of this version; the store itself stays as it is, and may be in use.
 * @param work - with the copy, and the folder of its own that it is in
 * @throws ConsiliumError STATE_MISSING, UNREACHABLE, CONFIG_INVALID
 */
export function withConfiguredCopy<T>(
  config: StoreConfig,
  options: { readonly stateFolder: string; readonly role: string; readonly migrations: readonly string[] },
  work: (store: OpenStore, folder: string) => Promise<T>,
): Promise<T> {
  const { stateFolder, role, migrations } = options;
  if (config.store === undefined) return withStoreCopy(stateFolder, migrations, work);
  const database = { ...databaseOf(config.store, config, options), schema: role, answerWithinMs };
  return withCopy((to) => copyPostgres(database, migrations, to), migrations, work);
}

function databaseOf(
  url: string,
  { storePasswordFile }: StoreConfig,
  { stateFolder, role }: { readonly stateFolder: string; readonly role: string },
): { readonly connect: PostgresConnectOptions; readonly name: string } {
  const parsed = unwrap(parsePostgresUrl(url));
  const address = {
    ...parsed,
    caFile: parsed.caFile === null ? null : resolve(stateFolder, parsed.caFile),
  };
  const connect = postgresConnectOptions(address, {
    passwordFile: storePasswordFile === undefined ? null : resolve(stateFolder, storePasswordFile),
    application: `consilium ${role}`,
  });
  return { connect, name: describeDatabase(address) };
}
