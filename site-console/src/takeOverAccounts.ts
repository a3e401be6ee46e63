import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { Logger } from "@consilium/runtime/log";
import type { AccessRecords } from "@consilium/runtime/store/accessRecords";
import { accessTables } from "@consilium/runtime/store/accessTables";
import type { Store } from "@consilium/runtime/store/store";

/**
 * Takes accounts, sessions, tokens and links over from an agent of a version that kept them itself, so that nobody has to
 * do anything after an upgrade. They are removed there once they are durable here. Where the console has accounts of its
 * own, an old copy of the agent's store has come back, and its accounts are dropped.
 */
export async function takeOverAccounts(options: {
  readonly agent: Pick<HospitalAgent, "formerAccounts" | "formerAccountsTaken">;
  readonly store: Store;
  readonly records: Pick<AccessRecords, "accounts">;
  readonly log: Logger;
}): Promise<void> {
  const { agent, store, records, log } = options;
  const former = await agent.formerAccounts({});
  const accounts = former.accounts?.length ?? 0;
  if (accessTables.every((table) => (former[table]?.length ?? 0) === 0)) return;
  if (records.accounts().length > 0) {
    log.warn("dropped accounts of an older copy of the agent's store", { accounts });
  } else {
    store.transaction(() => {
      for (const table of accessTables) {
        store.run(`DELETE FROM ${table}`);
        for (const row of former[table] ?? []) insert(store, table, row);
      }
    });
    log.info("migrated the accounts from the agent", { accounts });
  }
  await agent.formerAccountsTaken({});
}

/** Only columns that the table has: the statement is made of their names. */
function insert(store: Store, table: string, row: Readonly<Record<string, string | number | null>>): void {
  const known = store.all(`PRAGMA table_info(${table})`).map(({ name }) => String(name));
  const columns = known.filter((name) => Object.hasOwn(row, name));
  store.run(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...columns.map((name) => row[name]!),
  );
}
