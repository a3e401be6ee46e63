import { accessMigration } from "@consilium/runtime/store/accessTables";

/** The publisher's tables, as an ordered list of migrations; a released one is never edited, only followed. */
export const migrations: readonly string[] = [
  // Sessions of readers; the publisher has no accounts.
  accessMigration,
  `
  -- Releases as they were last verified (catalogue/releaseIndex.ts). The folders are what counts: lost rows are made anew.
  CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    -- SHA-256 over names, lengths, inodes and times of change of its files
    stamp TEXT NOT NULL,
    -- SHA-256 over the root certificate and the version of the rules that it was verified by
    verifier TEXT NOT NULL,
    -- JSON: what lists show, and names of columns
    listed TEXT NOT NULL,
    -- JSON: [{name, bytes, sha256}]
    files TEXT NOT NULL
  ) STRICT;
  `,
];
