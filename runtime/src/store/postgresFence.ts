import { createHash } from "node:crypto";

/**
 * What keeps a store in PostgreSQL to one writer, in the database itself.
 *
 * `consilium_store.epoch` counts the processes that have taken the store. A session says once which epoch it writes under
 * (`consilium.epoch`), and a trigger on every table compares the two before each statement that writes, with a lock on the
 * row that holds until the transaction ends. So a process that raises the epoch waits for the transactions that have passed the
 * comparison, and every later write of an older epoch fails, whatever the process that sends it believes.
 */

/** What the fence raises; classes from I on are free for applications (SQL:2023, 24.1). */
export const fencedState = "ZF001";

/** The advisory lock of a schema: exclusive for a process that takes the store by itself, shared under a lease. */
export function lockKey(schema: string): bigint {
  return createHash("sha256").update(`consilium/${schema}`).digest().readBigInt64BE();
}

/** The session must have the schema first in its search path. */
export const storeTable = `
CREATE TABLE IF NOT EXISTS consilium_store (format INTEGER NOT NULL, epoch BIGINT NOT NULL);
INSERT INTO consilium_store SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM consilium_store)`;

/** Settings that every session of a store has. */
export const sessionSettings = [
  "SET synchronous_commit = on",
  // Under another level the fence would refuse a writer that had to wait for it, though the epoch is its own.
  "SET default_transaction_isolation = 'read committed'",
] as const;

/** Declares the epoch that the session writes under. */
export function declareEpoch(epoch: number): string {
  return `SET consilium.epoch = '${epoch}'`;
}

/** Puts the fence before every table of the schema that has none yet: what migrations made. */
export function fenceTables(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.consilium_fence() RETURNS trigger LANGUAGE plpgsql AS $fence$
BEGIN
  PERFORM 1 FROM ${schema}.consilium_store
    WHERE epoch::text = current_setting('consilium.epoch', true) FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this session does not hold the store' USING ERRCODE = '${fencedState}';
  END IF;
  RETURN NULL;
END $fence$;
DO $tables$
DECLARE unfenced regclass;
BEGIN
  FOR unfenced IN
    SELECT oid FROM pg_class c
    WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'
      AND relname NOT IN ('consilium_store', 'consilium_lease')
      AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND tgname = 'consilium_fence')
  LOOP
    EXECUTE format('CREATE TRIGGER consilium_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s '
      'FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.consilium_fence()', unfenced);
  END LOOP;
END $tables$`;
}
