import { DiskFull, databaseFull, saysDiskFull } from "./diskFull.js";
import { openPostgres, type PostgresDriverOptions } from "./postgresDriver.js";
import { migratedStore, type OpenStore } from "./store.js";

/**
 * Opens a store in a PostgreSQL schema, creating and migrating it. Apart from `store.ts`, so that a site agent, which has
 * a SQLite store alone, does not even load what could connect.
 * Every table is behind the fence of the store's epoch when it returns.
 * @throws ConsiliumError as `openPostgres`, DISK_FULL, and CONFIG_INVALID if it was written by newer software
 */
export function openPostgresStore(options: PostgresDriverOptions, migrations: readonly string[]): OpenStore {
  const { name } = options;
  const full = (cause: unknown) =>
    saysDiskFull(cause) && !(cause instanceof DiskFull) ? databaseFull(name, cause) : cause;
  const driver = openPostgres(options);
  const store = migratedStore({ driver, name, full }, migrations);
  try {
    driver.fence();
  } catch (cause) {
    driver.close();
    throw cause;
  }
  return store;
}
