import { notificationsMigration } from "@consilium/runtime/notify/notifications";
import { accessMigration } from "@consilium/runtime/store/accessTables";

/** The aggregator's tables, as an ordered list of migrations; a released one is never edited, only followed. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sites (
    id TEXT PRIMARY KEY,
    enrolled_at INTEGER,
    signing_key BLOB,
    fingerprint TEXT,
    chain TEXT,
    certificate_expires_at INTEGER,
    software TEXT,
    tables TEXT NOT NULL DEFAULT '[]',
    clock_skew_ms INTEGER,
    last_seen_at INTEGER
  ) STRICT;

  CREATE TABLE invitations (
    secret_hash TEXT PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites(id),
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    -- The key that used the token: the same site may repeat the call when the answer was lost.
    used_by TEXT
  ) STRICT;

  CREATE TABLE studies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    hash TEXT NOT NULL,
    software TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    failure_code TEXT,
    failure_message TEXT,
    rows INTEGER,
    release_url TEXT
  ) STRICT;

  -- One row per invited site.
  CREATE TABLE participants (
    study TEXT NOT NULL REFERENCES studies(id),
    site TEXT NOT NULL,
    decision TEXT NOT NULL DEFAULT 'none',
    refusal_code TEXT,
    chain TEXT,
    signing_key BLOB,
    exchange_key BLOB,
    join_signature BLOB,
    on_roster INTEGER NOT NULL DEFAULT 0,
    told_end INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (study, site)
  ) STRICT;

  CREATE TABLE steps (
    study TEXT NOT NULL REFERENCES studies(id),
    step TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    position INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    done_at INTEGER,
    PRIMARY KEY (study, step, attempt)
  ) STRICT;

  CREATE TABLE posts (
    study TEXT NOT NULL,
    step TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    site TEXT NOT NULL,
    public_part BLOB NOT NULL,
    signature BLOB NOT NULL,
    -- JSON: {site: base64 of what is sealed for it}
    envelopes TEXT NOT NULL,
    PRIMARY KEY (study, step, attempt, site)
  ) STRICT;

  -- Written before use, so that a replay sends the same bytes.
  CREATE TABLE broadcasts (
    study TEXT NOT NULL,
    stage TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    length INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (study, stage, name)
  ) STRICT;

  CREATE TABLE uploads (
    study TEXT NOT NULL,
    step TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    site TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    complete_at INTEGER,
    PRIMARY KEY (study, step, attempt, site)
  ) STRICT;

  -- What a step came to: a sum, shuffled rows, or a value drawn once. Large ones are blobs under their hash.
  CREATE TABLE results (
    study TEXT NOT NULL,
    step TEXT NOT NULL,
    sha256 TEXT,
    value TEXT,
    PRIMARY KEY (study, step)
  ) STRICT;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    study TEXT,
    site TEXT,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX events_by_study ON events(study, id);
  `,
  `
  -- One attempt at a stage of the plan, at a sum or at rows.
  CREATE TABLE attempts (
    study TEXT NOT NULL REFERENCES studies(id),
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    -- When vectors were first asked for: from then on a site may have been charged.
    asked_at INTEGER,
    -- JSON: the sites whose answers are taken, once no other's is.
    survivors TEXT,
    done_at INTEGER,
    failure_code TEXT,
    failure_message TEXT,
    PRIMARY KEY (study, stage, attempt)
  ) STRICT;

  -- What a secure sum's machine was given, in order: replayed, it comes to the same state.
  CREATE TABLE sum_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    study TEXT NOT NULL,
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    kind TEXT NOT NULL,
    site TEXT,
    -- JSON, bytes in base64
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sum_events_by_attempt ON sum_events(study, stage, attempt, id);

  -- Sites that a step went on without.
  CREATE TABLE dropouts (
    study TEXT NOT NULL,
    step TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    site TEXT NOT NULL,
    -- What the site said of it; NULL when it said nothing before the deadline.
    code TEXT,
    PRIMARY KEY (study, step, attempt, site)
  ) STRICT;

  CREATE TABLE countersignatures (
    study TEXT NOT NULL,
    site TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (study, site)
  ) STRICT;

  ALTER TABLE sites ADD COLUMN ledger_head TEXT;
  ALTER TABLE sites ADD COLUMN ledger_head_signature BLOB;
  ALTER TABLE sites ADD COLUMN ledger_sequence INTEGER;
  `,
  accessMigration,
  `
  -- Whoever it was at the operator's side: an account, a token. NULL: a site, or the process itself.
  ALTER TABLE events ADD COLUMN actor TEXT;
  `,
  `
  -- Since when the site's present signing key is in force, and which one it replaced.
  ALTER TABLE sites ADD COLUMN key_since INTEGER;
  ALTER TABLE sites ADD COLUMN replaced_fingerprint TEXT;
  ALTER TABLE sites ADD COLUMN replaced_at INTEGER;
  UPDATE sites SET key_since = enrolled_at;

  -- The one enrolled key that whoever holds the token may replace; NULL: none.
  ALTER TABLE invitations ADD COLUMN replaces TEXT;
  -- 1: the audit log has the event that it expired unused.
  ALTER TABLE invitations ADD COLUMN expiry_noted INTEGER NOT NULL DEFAULT 0;

  -- Their sites may be gone with them: a name that was only invited is free again.
  CREATE TABLE withdrawn_invitations (
    secret_hash TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    withdrawn_at INTEGER NOT NULL
  ) STRICT;

  -- A ledger's heads are signed: those of a key that was replaced say nothing about its successor's ledger.
  CREATE TABLE ledger_heads (
    site TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    head TEXT NOT NULL,
    signature BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (site, fingerprint)
  ) STRICT;
  INSERT INTO ledger_heads (site, fingerprint, head, signature, sequence)
    SELECT id, coalesce(fingerprint, ''), ledger_head, ledger_head_signature, ledger_sequence
    FROM sites WHERE ledger_head IS NOT NULL;
  `,
  `
  -- Of what is small, the bytes themselves, durable in the transaction that they count in; NULL: there is a file, or they
  -- are no longer needed.
  ALTER TABLE uploads ADD COLUMN content BLOB;
  ALTER TABLE broadcasts ADD COLUMN content BLOB;
  ALTER TABLE results ADD COLUMN content BLOB;
  `,
  `
  -- Files of studies that run, where another aggregator may take over; a file without its row here is not whole yet.
  CREATE TABLE file_copies (
    study TEXT NOT NULL,
    file TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (study, file)
  ) STRICT;
  CREATE TABLE file_pieces (
    study TEXT NOT NULL,
    file TEXT NOT NULL,
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (study, file, position)
  ) STRICT;

  -- The newest list of expelled sites, as the authority signed it.
  CREATE TABLE revocation_lists (
    sequence INTEGER PRIMARY KEY,
    list BLOB NOT NULL
  ) STRICT;
  `,
  `
  -- The columns of a site's tables as its last hello named them. A table of sites.tables without a row here, or with an
  -- empty list: the site shares none of its columns.
  CREATE TABLE site_tables (
    site TEXT NOT NULL,
    name TEXT NOT NULL,
    -- JSON: [{name, type}]
    columns TEXT NOT NULL,
    PRIMARY KEY (site, name)
  ) STRICT;

  -- The later deadline that an operator gave the step; NULL: none.
  ALTER TABLE steps ADD COLUMN extended_until INTEGER;
  `,
  notificationsMigration,
  `
  -- What lists of studies show and are narrowed by: thousands are listed without reading the text of any.
  ALTER TABLE studies ADD COLUMN analysis TEXT NOT NULL DEFAULT '';
  ALTER TABLE studies ADD COLUMN method TEXT NOT NULL DEFAULT '';
  ALTER TABLE studies ADD COLUMN variant TEXT NOT NULL DEFAULT '';
  UPDATE studies SET analysis = coalesce(text ->> 'analysis', ''), method = coalesce(text ->> 'method', ''),
    variant = coalesce(text ->> 'variant', '');
  CREATE INDEX studies_newest ON studies (created_at DESC, id, name, status, analysis, method, variant);
  CREATE INDEX studies_by_status ON studies (status);
  CREATE INDEX studies_by_end ON studies (coalesce(ended_at, 9007199254740991) DESC, id);
  CREATE INDEX participants_on_roster ON participants (study, on_roster);
  CREATE INDEX participants_by_site ON participants (site, told_end);
  `,
  `
  -- What this aggregator has signed of releases since their publication (withdrawal.jws), kept before it is sent.
  CREATE TABLE withdrawals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    release TEXT NOT NULL,
    -- withdrawn or superseded
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    superseded_by TEXT,
    issued_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    file BLOB NOT NULL,
    -- NULL: the publisher has yet to take it.
    delivered_at INTEGER,
    UNIQUE (release, status)
  ) STRICT;
  `,
  `
  -- What people at hospitals asked about a study. The site drew the id.
  CREATE TABLE questions (
    study TEXT NOT NULL REFERENCES studies(id),
    id TEXT NOT NULL,
    site TEXT NOT NULL,
    text TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    answer TEXT,
    answered_at INTEGER,
    answered_by TEXT,
    PRIMARY KEY (study, id)
  ) STRICT;
  CREATE INDEX questions_by_site ON questions (site, answered_at);
  `,
  `
  -- Facts of the plan that sites are invited with and of that on the roster: a version that plans the study otherwise does not continue it.
  ALTER TABLE studies ADD COLUMN invited_plan TEXT;
  ALTER TABLE studies ADD COLUMN running_plan TEXT;
  `,
  `
  -- 1: the hospital lets the code of its refusal be published.
  ALTER TABLE participants ADD COLUMN refusal_public INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- JSON: formats and methods' editions that the site's software speaks, by its last hello; NULL: it did not say.
  ALTER TABLE sites ADD COLUMN speaks TEXT;
  `,
  `
  -- JSON: what the hospital's policy lets studies ask, and what is left of a table's budget, by its last hello; NULL: it does not say.
  -- Columns may have unit, bounds and levels beside name and type. A site shares no columns of a table with an empty list.
  ALTER TABLE sites ADD COLUMN admits TEXT;
  ALTER TABLE site_tables ADD COLUMN budget TEXT;
  `,
];
