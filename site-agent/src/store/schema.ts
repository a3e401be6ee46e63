import { accessMigration } from "@consilium/runtime/store/accessTables";

/** The site agent's tables, as an ordered list of migrations; a released one is never edited, only followed. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE studies (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Why it was refused or could not go on: stays at the site.
    local_code TEXT,
    local_reason TEXT,
    content_hash TEXT,
    rows INTEGER,
    exchange_key BLOB,
    join_signature BLOB,
    -- Sealed under the state folder's key; gone when the study ends.
    exchange_secret BLOB,
    setup BLOB,
    roster_hash TEXT,
    roster_fixed_at INTEGER,
    first_seen_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT;

  -- What was answered, stored before its first byte leaves: it is sent again as it is, never computed again.
  CREATE TABLE answers (
    study TEXT NOT NULL REFERENCES studies(id),
    step TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- Hash of everything the answer was computed from: a second, different request is refused.
    input_hash TEXT NOT NULL,
    -- An exchange's post as bytes; a vector's or rows' file is named by study, step and attempt.
    post TEXT,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (study, step, attempt)
  ) STRICT;

  CREATE TABLE broadcasts (
    study TEXT NOT NULL REFERENCES studies(id),
    stage TEXT NOT NULL,
    name TEXT NOT NULL,
    length INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (study, stage, name)
  ) STRICT;

  -- What left this hospital for a study, and when.
  CREATE TABLE egress (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    study TEXT NOT NULL,
    step TEXT NOT NULL,
    what TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL
  ) STRICT;

  CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT;
  `,
  `
  -- The roster as it was first shown, JSON, so that later tasks need not carry it.
  ALTER TABLE studies ADD COLUMN roster TEXT;

  -- One attempt at one secure sum.
  CREATE TABLE sums (
    study TEXT NOT NULL REFERENCES studies(id),
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    -- The state machine's, sealed under the state folder's key; gone when the attempt or the study ends.
    state BLOB,
    -- JSON, ascending: the survivors that this site signed or answered for.
    survivors TEXT,
    PRIMARY KEY (study, stage, attempt)
  ) STRICT;

  -- What was posted in an attempt, stored before it leaves: it is sent again as it is, never made again.
  CREATE TABLE sum_posts (
    study TEXT NOT NULL REFERENCES studies(id),
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    phase TEXT NOT NULL,
    -- Hash of the request that it answers: a second, different request is refused.
    input_hash TEXT NOT NULL,
    post TEXT NOT NULL,
    PRIMARY KEY (study, stage, attempt, phase)
  ) STRICT;
  `,
  `
  -- Studies that wait for a person at the hospital, and what persons have decided. Outlives the study's own row.
  CREATE TABLE approvals (
    study TEXT PRIMARY KEY,
    -- Until when the study can be joined, by this site's clock.
    deadline_at INTEGER NOT NULL,
    -- approved or refused; null while nobody has decided.
    decision TEXT,
    decided_at INTEGER,
    -- As the person wrote it: stays at the site.
    reason TEXT
  ) STRICT;
  `,
  `
  -- The hospital's account of what its records have cost; a chain that is only ever added to (site-agent/src/ledger).
  CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY,
    -- Canonical JSON.
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    signature BLOB NOT NULL
  ) STRICT;

  -- For whom it was, and the ledger's entry that charges for it.
  ALTER TABLE egress ADD COLUMN whom TEXT NOT NULL DEFAULT 'the aggregator';
  ALTER TABLE egress ADD COLUMN charge INTEGER;
  `,
  accessMigration,
  `
  -- Who it was; null of decisions from before this was asked.
  ALTER TABLE approvals ADD COLUMN decided_by TEXT;

  -- Who did what at this site's console, or by its command line.
  CREATE TABLE trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT,
    kind TEXT NOT NULL,
    study TEXT,
    detail TEXT NOT NULL DEFAULT ''
  ) STRICT;
  `,
  `
  -- JSON: what the last pass over a study's table found, in counts, for the hospital alone.
  ALTER TABLE studies ADD COLUMN table_found TEXT;
  `,
  `
  -- A line may stand for several messages of one day (site-agent/src/outbox/egressLog.ts). No study: the empty text.
  ALTER TABLE egress ADD COLUMN messages INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE egress ADD COLUMN last_at INTEGER;
  -- 1: the hash is that of several different messages, chained.
  ALTER TABLE egress ADD COLUMN chained INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX egress_lines ON egress (study, what, at);
  `,
  `
  -- What a list of studies shows, so that it reads no texts, and what is left of a study whose text is not kept.
  ALTER TABLE studies ADD COLUMN data_table TEXT NOT NULL DEFAULT '';
  ALTER TABLE studies ADD COLUMN analysis TEXT NOT NULL DEFAULT '';
  ALTER TABLE studies ADD COLUMN method TEXT NOT NULL DEFAULT '';
  ALTER TABLE studies ADD COLUMN variant TEXT NOT NULL DEFAULT '';
  UPDATE studies SET data_table = coalesce(json_extract(text, '$.table'), ''),
    analysis = coalesce(json_extract(text, '$.analysis'), ''), method = coalesce(json_extract(text, '$.method'), ''),
    variant = coalesce(json_extract(text, '$.variant'), '')
  WHERE json_valid(text);
  CREATE INDEX studies_seen ON studies (first_seen_at);

  -- A study's text can be 1.5 MB, and whoever runs the federation chooses it: it is kept of studies that wait or are
  -- under way and of releases that this hospital took part in, else up to 64 KiB of what a person refused or joined.
  UPDATE studies SET text = '' WHERE status = 'refused'
    AND NOT (length(CAST(text AS BLOB)) <= 65536
      AND id IN (SELECT study FROM approvals WHERE decision = 'refused'));
  UPDATE studies SET text = '' WHERE ended_at IS NOT NULL
    AND (exchange_key IS NULL OR (status = 'cancelled' AND length(CAST(text AS BLOB)) > 65536));
  `,
  `
  -- Content hashes are now of the multiset of rows, under a key of the site. One of before cannot be compared with them:
  -- a study under way that holds its site to an approved table ends at its next step (site-agent/src/studies/stageWork.ts).
  INSERT INTO trail (at, actor, kind, study, detail)
    SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'consilium', 'approval lapsed', id,
      'the approved table was hashed by an earlier version; start the study again and approve it again'
    FROM studies WHERE status IN ('joined', 'waiting') AND content_hash IS NOT NULL
      AND (variant <> 'sound' OR json_extract(text, '$.privacy') = 'none');
  UPDATE studies SET local_code = 'TABLE_CHANGED',
    local_reason = 'an earlier version hashed the approved table in a way that this one cannot check; start the study again and approve it again'
    WHERE id IN (SELECT study FROM trail WHERE kind = 'approval lapsed');
  UPDATE studies SET content_hash = NULL;
  `,
  `
  -- Small vectors and broadcasts themselves, durable in the transaction that says that they are there; NULL: in a file, or gone
  -- with the study.
  ALTER TABLE answers ADD COLUMN content BLOB;
  ALTER TABLE broadcasts ADD COLUMN content BLOB;
  `,
  `
  -- JSON: of a study that two people must approve, the first approval, and what it was of (site-agent/src/studies/approvals.ts).
  ALTER TABLE approvals ADD COLUMN first TEXT;

  -- What people at the hospital asked the operator. received_at: the aggregator has it.
  CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    study TEXT NOT NULL,
    text TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    received_at INTEGER,
    answer TEXT,
    answered_at INTEGER
  ) STRICT;
  `,
  `
  -- A message is looked for among those of its step: a study's lines of one kind may be hundreds a day.
  CREATE INDEX egress_steps ON egress (study, what, step);
  `,
  `
  -- As JSON, or none: lists say what is proven of a study's privacy, also where its text is not kept.
  ALTER TABLE studies ADD COLUMN privacy TEXT NOT NULL DEFAULT '';
  UPDATE studies SET privacy = coalesce(json_extract(text, '$.privacy'), '') WHERE json_valid(text);
  `,
  `
  -- Of the plan on the roster, which everything of the study is charged by from then on.
  ALTER TABLE studies ADD COLUMN plan_hash TEXT;
  -- Terms of first approvals under codes, where they were under names for people; the policy's hash was of what was read of it.
  UPDATE approvals SET first = json_set(first, '$.terms', json_object(
    'study', json_extract(first, '$.terms."the study''s text"'), 'plan', json_extract(first, '$.terms."the plan"'),
    'policy', 'as-read:' || json_extract(first, '$.terms."the policy"'),
    'table', json_extract(first, '$.terms."the table''s entry in config.yaml"'),
    'content', json_extract(first, '$.terms."the table''s content"')))
  WHERE first IS NOT NULL;
  `,
  `
  -- JSON: the stages that were answered with zeros, and why (site-agent/src/studies/zeros.ts).
  ALTER TABLE studies ADD COLUMN zeros TEXT;
  -- When a study that this site had joined, or had read the table for, first ended or was refused without anything charged; NULL: it
  -- did not, or something was charged since.
  ALTER TABLE studies ADD COLUMN unanswered_at INTEGER;
  `,
  `
  -- When a person last looked at what the study makes of the table.
  ALTER TABLE studies ADD COLUMN looked_at INTEGER;
  `,
  `
  -- The plan on the roster itself, canonical JSON: what differs from it is named. NULL of earlier rosters, which have its hash.
  ALTER TABLE studies ADD COLUMN plan_text TEXT;
  `,
  `
  -- What persons have approved (core/src/hospital/approvalRecords.ts), each held by an entry of the ledger with its hash, which programs
  -- of before cannot read.
  CREATE TABLE approval_records (
    -- SHA-256 of the record.
    hash TEXT PRIMARY KEY,
    study TEXT NOT NULL,
    -- Canonical JSON.
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX approval_records_of ON approval_records (study);
  `,
];
