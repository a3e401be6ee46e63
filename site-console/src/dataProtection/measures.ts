import type { ProtectionTopic } from "@consilium/core/hospital/dataProtectionViews";
import { counted, listed } from "@consilium/core/words";
import { allowsUnproved, consoleIsLocal, type SiteFacts } from "./facts.js";

/** Technical and organisational measures (GDPR, Art. 32), as far as this configuration has them. */
export function measuresOf(facts: SiteFacts): ProtectionTopic[] {
  return [
    { title: "Minimisation and pseudonymisation", paragraphs: minimisation(facts) },
    { title: "Confidentiality on the way", paragraphs: transport(facts) },
    { title: "Who may do what", paragraphs: access(facts) },
    { title: "At rest", paragraphs: atRest(facts) },
    { title: "Integrity and accountability", paragraphs: accountability(facts) },
    { title: "Availability", paragraphs: availability() },
  ];
}

function minimisation({ policy }: SiteFacts): string[] {
  const { ruledTables: ruled } = policy;
  return [
    "Records are read in place and stay there. Studies can only use tables in the configuration.",
    "A study uses only the columns that it names, and of them values clamped to the bounds that it declares.",
    ...(ruled.length === 0
      ? []
      : [`The policy restricts the columns of ${listed(ruled)}; see the tables above.`]),
    `Of masked data only sums over several hospitals are readable: at least ${policy.minimumSites} take part in a study that starts from now on; earlier ones state their number above.`,
    "Error messages and log lines contain no record values.",
  ];
}

function transport({ proxy, config }: SiteFacts): string[] {
  const database = config.databases.some(({ verified }) => verified);
  return [
    "Every connection of the federation is TLS 1.3; older versions are refused. Both sides show certificates of the federation's own authority, whose root this site has pinned since its enrolment; certificates of public authorities are not accepted.",
    "The agent connects outwards to one address. The federation cannot connect inwards.",
    "Messages between hospitals are sealed end to end (X25519 and ML-KEM-768, HKDF-SHA256, AES-256-GCM) and bound to study, step, sender and receiver.",
    ...(proxy === null ? [] : ["The proxy forwards TLS unchanged; interception is detected and refused."]),
    ...(database ? ["The database is reached by TLS, with its certificate and host name checked."] : []),
  ];
}

function access(facts: SiteFacts): string[] {
  const { administrators, approvers, byProvider, tokens } = facts.people;
  const { console: pages } = facts.config;
  const people = [counted(administrators, "administrator"), counted(approvers, "approver")];
  const provider = byProvider === 0 ? "" : `; ${byProvider} of these by the identity provider`;
  return [
    `Accounts at the console: ${listed(people)}${provider}. Administrators have full access; approvers can view everything and decide on studies. API tokens: ${tokens}, each with a role.`,
    "Every route has a role and refuses without it. There is no default password; the first account is created with a one-time link, valid for a day.",
    "Passwords have at least 12 characters and are kept as scrypt hashes (N = 2^17, r = 8, p = 1); of sessions, tokens and links only hashes are kept.",
    "Failed sign-ins are limited by address and by account, without locking accounts: five at one account from one address, then one in two minutes. Strangers may ask 600 times a minute.",
    "Sessions end after 8 hours without use and after 7 days. Their cookie is HttpOnly and SameSite=Strict; a change needs the page's own origin and a second secret.",
    "Pages run only their own scripts, from their own address (Content-Security-Policy), and cannot be framed.",
    ...(pages.oidcIssuer === null
      ? []
      : [
          `Staff may sign in by the identity provider ${pages.oidcIssuer} (OpenID Connect with PKCE); its groups make the role.`,
        ]),
    `The console answers to ${pages.hosts.length === 0 && pages.publicUrl === null ? "the names of this machine's loopback alone" : "loopback's and configured names alone"}, so that a page of another site cannot reach it through a browser.`,
    "Records are read by a process without keys, which can run as a user of its own who cannot open them. The agent listens on a Unix socket that only the owner of the state folder can open: the command line and the console ask there, and the console reads neither tables nor keys.",
  ];
}

function atRest({ permissions }: SiteFacts): string[] {
  const closed = permissions.filter(({ mode }) => isClosed(mode)).map(permissionWords);
  return [
    ...(closed.length === 0 ? [] : [`For the agent's user alone: ${listed(closed)}.`]),
    "Secrets of studies under way lie in the database sealed by AES-256-GCM, under a key in the same folder: this helps where the database alone gets out, not where the folder does.",
    "State and tables are not encrypted by the agent: encryption of the disk is the hospital's.",
  ];
}

function isClosed(mode: number): boolean {
  return (mode & 0o077) === 0;
}

function permissionWords({ path, mode }: SiteFacts["permissions"][number]): string {
  return `${path === "" ? "the state folder" : path} (${mode.toString(8).padStart(4, "0")})`;
}

function accountability({ kept }: SiteFacts): string[] {
  return [
    "What a study costs is reserved when it is joined and committed before the first byte leaves; a commitment is never taken back.",
    `The ledger (${counted(kept.ledgerEntries, "entry", "entries")}) is a chain of signed entries; consilium ledger verify finds any change, and heads kept elsewhere find that the newest are missing.`,
    "All data for a study are recorded in the egress log before they are sent: consilium ledger egress.",
    "The audit log records by name who signed in, changed the policy, approved or denied.",
    "The site parses and plans each study itself. A study, roster or broadcast modified in transit is refused.",
    "A table is fixed by its content's hash at approval; if it changes while a study runs, the study ends.",
  ];
}

function availability(): string[] {
  return [
    "consilium backup site writes keys, ledger and configuration while the agent runs; with a passphrase, encrypted. A restored copy with missing spending spends nothing until the missing amount is charged.",
    "After a crash or a power cut the agent resumes; nothing is charged twice or sent in a different version.",
  ];
}

/** What this configuration leaves open, with what to do. */
export function gapsOf(facts: SiteFacts): string[] {
  const { config, policy, permissions, people, proxy } = facts;
  const { publicUrl, tls } = config.console;
  const open = permissions.filter(({ mode }) => !isClosed(mode)).map(permissionWords);
  const plain = config.databases.filter(({ plainRemote }) => plainRemote);
  return [
    ...(allowsUnproved(facts)
      ? [
          "Studies without a proof of privacy are allowed: take paper out of variants in policy.yaml, and allowNoPrivacy out of config.yaml.",
        ]
      : []),
    ...(policy.approval === "automatic"
      ? [
          "This hospital joins studies without manual approval: write approval: person in policy.yaml, or set a limit.",
        ]
      : []),
    ...policy.unlimited.map((name) => `Population ${name} has no budget: write an epsilon in policy.yaml.`),
    ...(policy.pinned === 0
      ? [
          "No hospital's key is pinned: an aggregator could invent hospitals. Write members in policy.yaml, with fingerprints told by telephone.",
        ]
      : []),
    ...(!consoleIsLocal(facts) && !tls && publicUrl?.startsWith("https://") !== true
      ? [
          `The console listens on ${config.console.listen} without TLS: passwords and cookies can be read on the way. Listen on 127.0.0.1, set console.tls, or put a proxy with TLS before it and set console.publicUrl.`,
        ]
      : []),
    ...(open.length === 0
      ? []
      : [`Other users of this machine may read ${listed(open)}: chmod 700 the folder, chmod 600 files.`]),
    ...(people.administrators === 0
      ? [
          "No administrator has a console account: users with access to the state folder decide on the command line, under their user name on this machine.",
        ]
      : []),
    ...(people.administrators === 1 ? ["Only one administrator: add a deputy."] : []),
    ...(proxy?.hasCredentials && !proxy.isTls
      ? ["The proxy's password goes to it without TLS: give its address as https://, where it takes that."]
      : []),
    ...plain.map(
      ({ table }) =>
        `Table ${table} is read from another machine without TLS: take sslmode=disable out of its address.`,
    ),
  ];
}
