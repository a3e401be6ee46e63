import { notificationsMigration } from "@consilium/runtime/notify/notifications";
import { accessMigration } from "@consilium/runtime/store/accessTables";

/** The site console's tables, as an ordered list of migrations; a released one is never edited, only followed. */
export const migrations: readonly string[] = [
  `${accessMigration}
  -- Who did what: signed in, changed accounts, and, copied from the agent's own log, changed what the agent keeps.
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT,
    kind TEXT NOT NULL,
    study TEXT,
    detail TEXT NOT NULL DEFAULT '',
    -- Of the agent's line; null of the console's own.
    agent_id INTEGER,
    UNIQUE (agent_id, at)
  ) STRICT;
  `,
  notificationsMigration,
  `
  CREATE TABLE deputies (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    deputy TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    named_by TEXT NOT NULL
  ) STRICT;
  `,
];
