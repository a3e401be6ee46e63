/**
 * What a reviewer reads, and how much of it there may be: `npm run size` prints each list beside its limit, and `npm run check`
 * fails above one. A limit counts lines with code, so that comments and blank lines cost nothing, and leaves some 10 % of room; it
 * changes with its reason, never to make room for one change.
 */
export interface ReadingList {
  readonly name: string;
  /** Entries: a folder stands for its own sources; a file for all that it loads, and they load. */
  readonly of: readonly string[];
  /** Lines with code; null where nothing is promised. */
  readonly limit: number | null;
  /** Reason for the limit, or for its absence. */
  readonly reason: string;
  /** Files that are loaded one by one, each with what it loads itself: their lines are printed beside the limit. */
  readonly each?: { readonly files: RegExp; readonly why: string };
  /** Files that import() loads only where a hospital needs them, and what is loaded through them alone. */
  readonly later: readonly LoadedLater[];
}

interface LoadedLater {
  readonly files: RegExp;
  readonly why: string;
  /** Loaded at the hospital of the list `typical-hospital`. */
  readonly isTypical?: true;
  readonly isNeverLoaded?: true;
}

/** Of both processes of a hospital's agent. */
const ofMethods: readonly LoadedLater[] = [
  {
    files: /^methods\/[^/]+\/(?:aggregator|precision)\.ts$/,
    why: "the aggregator's part of each method, never loaded",
    isNeverLoaded: true,
  },
  { files: /^methods-paper\//, why: "methods-paper, loaded where the policy allows published methods" },
  {
    files: /^kernels\/src\/(?:open|inlineGram)\.ts$/,
    why: "kernels/, loaded for a stage that sums products of columns",
    isTypical: true,
  },
  {
    files: /^kernels\/src\/wasmKernels\.ts$/,
    why: "kernels/src/wasmKernels.ts, loaded for a stage of a published method",
  },
];

const secureSum: ReadingList = {
  name: "secure-sum",
  of: ["secure-sum/src"],
  limit: 2_500,
  reason: "read line by line in an hour and a half (docs/REVIEW.md), against its specification",
  later: [],
};

const gate: ReadingList = {
  name: "gate",
  of: ["gate/src"],
  limit: 3_000,
  reason:
    "read line by line in two hours (docs/REVIEW.md): all that a hospital trusts about what its records add",
  later: [],
};

const agent: ReadingList = {
  name: "agent",
  of: ["site-agent/src/main.ts"],
  limit: 16_500,
  reason: "the process with the identity, the ledger and the connection, where no study has come yet",
  each: {
    files: /^methods\/[^/]+\/method\.ts$/,
    why: "methods, each loaded for a study of it that the policy allows: what it proposes, which the gate charges for",
  },
  later: [
    ...ofMethods,
    {
      files:
        /^site-agent\/src\/(?:doctor\/running|dataProtection\/(?:gather|protectionFacts)|ledger\/(?:requests|approvalRecords|ledgerView|report|declared|exportText|series|archives|compaction)|policy\/policyEditor|socket\/(?:status|studies|policy(?:Trial)?)|store\/formerAccounts)\.ts$/,
      why: "what answers `consilium doctor` and the pages of status and studies, the data-protection record, the ledger's views, check, export, curve and archives, the policy's page, a policy that is tried out, accounts of an earlier version, and a reconciliation, loaded when a person asks",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/policy\/described\.ts$/,
      why: "what a greeting under `announce: described` has beside names and types, loaded where the policy says so",
    },
    {
      files: /^site-agent\/src\/ledger\/enrolment\.ts$/,
      why: "what enrolment has sent, loaded once",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/store\/restoredCopy\.ts$/,
      why: "a restored backup's studies, loaded once",
    },
    {
      files: /^site-agent\/src\/tables\/(?:startProcess|throughDoor)\.ts$/,
      why: "what starts the process that reads tables, loaded where the agent's own user reads them; what asks a door for it, where another does",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/tables\/changedTables\.ts$/,
      why: "what serves other tables, loaded when config.yaml has changed",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/studies\/secondApproval\.ts$/,
      why: "second approvals, loaded where the policy asks for two people",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/studies\/terms\.ts$/,
      why: "what an approval is of and was shown, loaded when a person looks at a study or approves it",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/studies\/questions\.ts$/,
      why: "questions to the operator, loaded once a person at the hospital has asked one",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/studies\/publishedStudies\.ts$/,
      why: "exchanges, dealt masks and open answers, loaded for a study of a published method",
    },
    {
      files: /^site-agent\/src\/studies\/countersigning\.ts$/,
      why: "the certificate's check and signature, loaded with a study's roster",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/retention\/retention\.ts$/,
      why: "the removal of old studies' data, loaded where `retention:` is configured",
    },
    {
      files: /^runtime\/src\/http\/spoken\.ts$/,
      why: "the words for why the agent does not start, loaded when it ends",
    },
    {
      files: /^runtime\/src\/logging\/agentOutput\.ts$/,
      why: "other forms of the log, loaded where `logs:` is configured",
    },
    {
      files: /^runtime\/src\/network\/(?:proxy|tunnel)\.ts$/,
      why: "the way through a proxy, loaded where one is configured",
      isTypical: true,
    },
    {
      files: /^runtime\/src\/network\/intercepted\.ts$/,
      why: "who speaks in the aggregator's place, loaded where another certificate than its own is shown",
    },
    {
      files: /^runtime\/src\/identity\/renew\.ts$/,
      why: "the renewal of the certificate, loaded when it is due",
      isTypical: true,
    },
  ],
};

const tables: ReadingList = {
  name: "tables",
  of: ["site-agent/src/tables/main.ts", "site-agent/src/tables/doorMain.ts"],
  limit: 10_500,
  reason:
    "the process that reads records, from a file of CSV, where no study has come yet, and the door that starts it as another user",
  each: {
    files: /^methods\/[^/]+\/method\.ts$/,
    why: "methods, each loaded for a study of it: what each record adds, which the gate bounds",
  },
  later: [
    ...ofMethods,
    {
      files: /^runtime\/src\/http\/spoken\.ts$/,
      why: "the words for why the door does not start, loaded when it ends",
    },
    {
      files: /^site-agent\/src\/doctor\/(?:tablesNow|tableCheck)\.ts$/,
      why: "what the doctor sees of the tables, loaded when a person asks",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/data\/(?:profile|preflight)\.ts$/,
      why: "what people see of a table, loaded when one asks, and its first reading for a study of a published method",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/data\/sources\/(?:shared\/openQuery|postgres\/source)\.ts$/,
      why: "a table in a database, and the source of PostgreSQL, loaded where such a table is configured",
      isTypical: true,
    },
    {
      files:
        /^site-agent\/src\/data\/sources\/(?:(?:parquet|omop|mariadb|sqlserver|oracle|sqlite|jsonl)\/source|omop\/files|(?:duckdb|fhir|omop)\/open)\.ts$/,
      why: "the sources of Parquet, OMOP, MariaDB, SQL Server, Oracle, SQLite, JSON lines, FHIR and queries over files, loaded where such a table is configured",
    },
    {
      files: /^core\/src\/learning\/flowTable\.ts$/,
      why: "what sizes the sum of a study's flow of rows, as its method's: loaded for a study",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/engines\/(?:engines|usual)\.ts$/,
      why: "the engines, loaded where the configuration names one, or the machine has four cores",
      isTypical: true,
    },
    {
      files: /^site-agent\/src\/engines\/processes\.ts$/,
      why: "the engine of worker processes, loaded where a table's entry names one, or the table is large",
    },
    {
      files:
        /^site-agent\/src\/(?:data\/sources\/spark\/(?:source|open)|engines\/(?:spark\/(?:application|applications|probe|sparkStage)|worker\/\w+))\.ts$/,
      why: "the engine of Spark, loaded where such an engine is configured",
    },
  ],
};

const release: ReadingList = {
  name: "release",
  of: ["runtime/src/release/verifyFolder.ts"],
  limit: 3_800,
  reason:
    "all that verifying a release loads: an analyst, or who writes a second verifier, can read it in an afternoon; some 900 of them are format 2, frozen, for releases that were made by it",
  later: [],
};

/** Studies of two methods come to the hospital of the list `typical-hospital`. */
const otherMethods: LoadedLater = {
  files: /^methods\/(?!describe\/|regression\/)[^/]+\/method\.ts$/,
  why: "other methods than describe and regression",
};

const typicalHospital: ReadingList = {
  name: "typical-hospital",
  of: [...agent.of, ...tables.of, "site-console/src/main.ts"],
  limit: null,
  reason:
    "all that a hospital loads in a year, in its three processes: a table of patients in PostgreSQL, two people who approve, studies that describe and regress, a proxy, a machine of four cores; no promise, for it tells what the limits leave out",
  later: [...agent.later, ...tables.later, otherMethods].filter(({ isTypical }) => isTypical !== true),
};

export const readingLists: readonly ReadingList[] = [
  secureSum,
  gate,
  agent,
  tables,
  release,
  typicalHospital,
];

/**
 * What documents may come to, without research/ and the pages that are made from the sources: a newcomer reads a tenth of
 * them, and has to find which. The goal is 90,000 words in 45 documents; the budget goes down with what is taken out, and never up.
 */
export const documentBudget = { words: 110_000, documents: 54 };
