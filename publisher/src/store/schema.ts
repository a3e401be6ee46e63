import { accessMigration } from "@consilium/runtime/store/accessTables";

/** The publisher's tables, as an ordered list of migrations; a released one is never edited, only followed. */
export const migrations: readonly string[] = [
  // Sessions of readers; the publisher has no accounts.
  accessMigration,
];
