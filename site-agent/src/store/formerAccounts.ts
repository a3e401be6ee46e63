import type { FormerAccounts } from "@consilium/core/hospital/agentApi";
import { accessTables } from "@consilium/runtime/store/accessTables";
import type { Store } from "@consilium/runtime/store/store";

/**
 * Accounts, sessions, tokens and links that an agent of a version before the site console kept in its own store. The
 * console takes them over at its first start; of every secret they hold a hash.
 */
export function formerAccounts(store: Store): FormerAccounts {
  return Object.fromEntries(
    accessTables.map((table) => [table, store.all(`SELECT * FROM ${table}`)]),
  ) as FormerAccounts;
}

/** Once the console has them durably. */
export function removeFormerAccounts(store: Store): void {
  store.transaction(() => {
    for (const table of accessTables.toReversed()) store.run(`DELETE FROM ${table}`);
  });
}
