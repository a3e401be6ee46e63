import type { ProtectionRetention } from "@consilium/core/hospital/dataProtectionViews";
import { counted } from "@consilium/core/words";
import type { SiteFacts } from "./facts.js";

/** What is kept where, how long, and how it is removed; with what there is of it now. */
export function retentionOf(facts: SiteFacts): ProtectionRetention[] {
  return [...aboutRecords(facts), ...aboutDecisions(facts), ...aboutStaff(facts), ...elsewhere()];
}

const never = "none by the software; the whole store goes with the state folder";

function aboutRecords({ kept, egressLines }: SiteFacts): ProtectionRetention[] {
  return [
    {
      what: "The tables",
      where: "where the hospital keeps them",
      holds: "records",
      howLong: "as the hospital decides",
      removal: "by the hospital; a study under way then ends here with TABLE_CHANGED",
      growsWithoutLimit: false,
    },
    {
      what: "Rows that are being read",
      where: "the agent's memory; nothing is spilled to disk",
      holds: "records; patients as hashes under a key of the process",
      howLong: "while a study reads them; up to a quarter of the memory for ten minutes after the last stage",
      removal: "by itself; sure wiping of memory does not exist here, so encrypt swap",
      growsWithoutLimit: false,
    },
    {
      what: "Files of running studies",
      where: "studies/ in the state folder",
      holds: "masked vectors; of variant paper this hospital's reduced rows; what was broadcast",
      howLong:
        "until the study is released or cancelled; of one that failed at most as long as retention.failedStudies in config.yaml, or the study, says",
      removal: "by itself at the study's end",
      growsWithoutLimit: false,
    },
    {
      what: "Secrets of running studies",
      where: "state.db, sealed under a key in the same folder",
      holds: "exchange keys, seeds of masks, shares",
      howLong:
        "until the study is released or cancelled; of one that failed at most as long as retention.failedStudies in config.yaml, or the study, says",
      removal: "by itself at the study's end; bytes may stay in the file until they are overwritten",
      growsWithoutLimit: false,
    },
    {
      what: "Ledger",
      where: "state.db; its newest head in ledger-anchor.json",
      holds: `names of studies and populations, what each cost, when; nothing of records (${counted(kept.ledgerEntries, "entry", "entries")})`,
      howLong: "permanently: forgotten costs would void the guarantee",
      removal: `${never}, and with it the record of spending`,
      growsWithoutLimit: true,
    },
    {
      what: "Egress log",
      where: "state.db",
      holds: `of each message time, receiver, study, size and SHA-256; not its content. Heartbeats and repeated messages of a day share a line (${counted(egressLines, "line")})`,
      howLong: "permanently",
      removal: never,
      growsWithoutLimit: true,
    },
  ];
}

function aboutDecisions({ studies, kept }: SiteFacts): ProtectionRetention[] {
  return [
    {
      what: "Offered studies",
      where: "state.db",
      holds: `name, hash, outcome and times; the text of those that wait, are under way, or were released with this hospital, and short ones that a person refused or joined; of joined ones the number of rows used, a SHA-256 of what was read, hashes of answers (${counted(studies.length, "study", "studies")})`,
      howLong:
        "name, hash, outcome and times permanently; the rest as long as retention.studyRecords in config.yaml says",
      removal: "by itself after that period; otherwise none by the software",
      growsWithoutLimit: true,
    },
    {
      what: "Decisions on studies",
      where: "state.db",
      holds: "who approved or refused, when, the reason as written",
      howLong: "permanently",
      removal: never,
      growsWithoutLimit: true,
    },
    {
      what: "Questions to the operator",
      where: "state.db",
      holds: "the text of each question and of its answer, when, and who asked",
      howLong: "permanently",
      removal: never,
      growsWithoutLimit: true,
    },
    {
      what: "Previous policies",
      where: "policy-history/ in the state folder",
      holds: `the text of each; the account that replaced it, in the file's name (${counted(kept.policyVersions, "version")})`,
      howLong: "permanently",
      removal: "by deleting the files",
      growsWithoutLimit: true,
    },
  ];
}

function aboutStaff({ kept, config }: SiteFacts): ProtectionRetention[] {
  return [
    {
      what: "Audit log",
      where: "state.db; with sign-ins and changes of accounts in state.db of the console's folder",
      holds: `who signed in, who changed what, by name (changes: ${counted(kept.trailEvents, "event")})`,
      howLong: "permanently",
      removal: never,
      growsWithoutLimit: true,
    },
    ...(config.console.notified.length === 0
      ? []
      : [
          {
            what: "Messages to approvers",
            where: "state.db in the console's folder",
            holds: "names of studies, and when each was told of; neither address nor content",
            howLong: "permanently, so that none is sent twice",
            removal: never,
            growsWithoutLimit: true,
          },
        ]),
    {
      what: "Accounts and tokens",
      where: "state.db in the console's folder",
      holds: "name, role, hash of the password or the provider's id, last sign-in; hashes of tokens",
      howLong: "until they are removed or revoked",
      removal: "consilium account remove, consilium token revoke; the name stays in the audit log",
      growsWithoutLimit: false,
    },
    {
      what: "Sessions, known browsers, one-time links",
      where: "state.db in the console's folder",
      holds:
        "hashes of secrets, with times; the first link itself, in the file setup-link, until there is an account",
      howLong:
        "sessions 8 hours without use and 7 days at most, links a day; known browsers count for 180 days; at most 20 of each an account",
      removal: "by itself at a later sign-in, the oldest first; all of an account with the account",
      growsWithoutLimit: false,
    },
    {
      what: "Failed sign-ins, for the limit on them",
      where: "memory",
      holds: "network addresses with counts, at most 20,000",
      howLong: "until they are used up or the console ends",
      removal: "by itself",
      growsWithoutLimit: false,
    },
  ];
}

function elsewhere(): ProtectionRetention[] {
  return [
    {
      what: "Keys and certificates",
      where: "identity/ and state-key in the state folder",
      holds: "this site's private keys and its certificate",
      howLong: "the signing key as long as the site is a member; the TLS key until the next renewal",
      removal: "with the state folder",
      growsWithoutLimit: false,
    },
    {
      what: "Logs",
      where: "whatever collects the agent's standard error: journal, container runtime",
      holds: "see the flows",
      howLong: "as that is configured; the agent neither rotates nor removes",
      removal: "by the hospital",
      growsWithoutLimit: true,
    },
    {
      what: "Backups",
      where: "where they were written to",
      holds: "the state folder as it was, keys included; no table",
      howLong: "until the hospital deletes them",
      removal: "by the hospital; what was removed since comes back with a restored copy",
      growsWithoutLimit: true,
    },
    {
      what: "Copies for reading without the agent",
      where: "the folder for temporary files",
      holds: "copies of state.db, while consilium ledger or this document is made without a running agent",
      howLong: "seconds",
      removal: "by itself; after a crash by hand (consilium-ledger-*)",
      growsWithoutLimit: false,
    },
    {
      what: "At the aggregator, outside this hospital",
      where: "its state folder or database",
      holds:
        "this hospital's name, key, names of tables, decisions as codes, sizes and hashes of uploads, heads of the ledger; of running studies the uploads and sums",
      howLong:
        "uploads until the sum is stored, a study's files until it is released or cancelled, the rest permanently",
      removal: "by its operator",
      growsWithoutLimit: true,
    },
    {
      what: "Releases, outside this hospital",
      where: "the publisher, and every reader's copy",
      holds: "results, certificate, names of hospitals",
      howLong: "as long as the publisher serves them; copies permanently",
      removal: "the publisher's operator deletes files; a released result cannot be called back",
      growsWithoutLimit: true,
    },
  ];
}
