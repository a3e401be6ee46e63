import { join, resolve } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { z } from "zod";
import { describeDatabase, parsePostgresUrl } from "../postgres/address.js";
import { postgresConnectOptions } from "../postgres/connectOptions.js";
import { openPostgresStore } from "./postgresStore.js";
import { type OpenStore, openStore } from "./store.js";

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
  },
): OpenStore {
  const { stateFolder, role, migrations, onLost } = options;
  if (config.store === undefined) return openStore(join(stateFolder, "state.db"), migrations);
  const parsed = unwrap(parsePostgresUrl(config.store));
  const address = {
    ...parsed,
    caFile: parsed.caFile === null ? null : resolve(stateFolder, parsed.caFile),
  };
  const { storePasswordFile } = config;
  const connect = postgresConnectOptions(address, {
    passwordFile: storePasswordFile === undefined ? null : resolve(stateFolder, storePasswordFile),
    application: `consilium ${role}`,
  });
  return openPostgresStore(
    { connect, schema: role, name: describeDatabase(address), onLost, reachWithinMs, answerWithinMs },
    migrations,
  );
}
