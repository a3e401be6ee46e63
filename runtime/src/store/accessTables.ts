/**
 * Accounts, sessions, tokens and one-time links in a process's store. Of every secret only a hash is kept.
 * Times are milliseconds since 1970.
 */
export const accessMigration = `
  CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    -- scrypt; null while there is none, and of those who sign in by an identity provider.
    password TEXT,
    -- Issuer and subject at the identity provider.
    oidc_issuer TEXT,
    oidc_subject TEXT,
    created_at INTEGER NOT NULL,
    last_sign_in_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX accounts_by_subject ON accounts(oidc_issuer, oidc_subject);

  CREATE TABLE sessions (
    -- SHA-256 of what the cookie holds.
    hash TEXT PRIMARY KEY,
    account TEXT REFERENCES accounts(name) ON DELETE CASCADE,
    -- JSON, of sessions that have no account here.
    holder TEXT,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_account ON sessions(account, created_at);

  -- Browsers that have signed in to an account before.
  CREATE TABLE devices (
    hash TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX devices_by_account ON devices(account, created_at);

  CREATE TABLE api_tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT;

  CREATE TABLE setup_links (
    hash TEXT PRIMARY KEY,
    -- Whose password it sets; null: it makes an account.
    account TEXT REFERENCES accounts(name) ON DELETE CASCADE,
    role TEXT NOT NULL,
    -- 1: of the first run; worth nothing once there is an account.
    is_first INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
`;

/** The tables of `accessMigration`, each after those that it refers to. */
export const accessTables = ["accounts", "sessions", "devices", "api_tokens", "setup_links"] as const;
