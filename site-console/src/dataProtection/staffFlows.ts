import type { ProtectionFlow } from "@consilium/core/hospital/dataProtectionViews";
import { consoleIsLocal, type SiteFacts } from "./facts.js";

/** Data that the process sends within the hospital, or about its staff. */
export function staffFlows(facts: SiteFacts): ProtectionFlow[] {
  const { console: pages, logLevel, logReceivers } = facts.config;
  return [
    {
      name: "Pages of the console",
      what: "Studies, ledger, egress log, policy, a table's profile as counts without values, accounts, the audit log.",
      to: "browsers of staff who have signed in",
      when: "when they open it",
      personal: "Staff: names of accounts and who decided what. Patients: counts by column, in the profile",
      protection: consoleWords(facts),
      sent: null,
    },
    ...(pages.oidcIssuer === null
      ? []
      : [
          {
            name: "Sign-in by the identity provider",
            what: "OpenID Connect with code and PKCE: the browser goes there and comes back; the console reads name and groups.",
            to: `the identity provider ${pages.oidcIssuer}`,
            when: "when staff sign in by it",
            personal:
              "Staff: who signs in and when; the console keeps the name, the issuer and the subject's id",
            protection: "TLS to the provider",
            sent: null,
          },
        ]),
    ...(pages.notified.length === 0
      ? []
      : [
          {
            name: "Messages to approvers",
            what: "That a study waits for approval, with the study's name and a link to its page. The site console sends them, not the agent.",
            to: pages.notified.join("; "),
            when: "when a study waits, and before its deadline; once each",
            personal: "Staff: the addresses they go to",
            protection:
              "TLS to the mail server, with its certificate checked; to the webhook TLS and a signature",
            sent: null,
          },
        ]),
    {
      name: "The command line",
      what: "What the console shows, and in a profile also the least, mean and largest value of a column, each of which may be one patient's. It is shown and not stored.",
      to: "the user of this machine who owns the state folder",
      when: "when a verb such as consilium site profile is given",
      personal: "Patients: statistics of columns. Staff: as the console",
      protection: "a Unix socket that only the folder's owner can open (mode 0600)",
      sent: null,
    },
    {
      name: "Health and metrics",
      what: "Whether the agent is up and connected; numbers of studies and messages, bytes, durations. What the ledger has spent is at an address of its own, for callers on this machine with a token.",
      to: `anyone who can reach ${pages.listen}`,
      when: "when asked",
      personal: "none",
      protection: consoleIsLocal(facts)
        ? "only this machine reaches it"
        : "none: anyone who can reach the address may read them",
      sent: null,
    },
    {
      name: "Logs",
      what: `Lines of JSON at level ${logLevel}: ids, counts, codes, durations, names of files and tables. No value of a record, no key, no token.`,
      to: ["standard error, hence whatever collects it on this machine", ...logReceivers].join("; "),
      when: "while the agent runs",
      personal:
        "Patients: none. Staff: names of accounts at sign-ins and changes; addresses of denied requests; the provider's id of somebody whom the identity provider knows and who has no role here",
      protection: "as the hospital protects its logs",
      sent: null,
    },
    {
      name: "Backups",
      what: "The state folder: keys, ledger, records of studies and, with the console's folder in it, of staff, policy, and of running studies what is about to be sent. No table.",
      to: "the file that consilium backup site is told to write",
      when: "when somebody gives that command",
      personal:
        "Patients: masked vectors of running studies, and of variant paper their rows. Staff: accounts and the audit log",
      protection: "mode 0600; with a passphrase AES-256-GCM under a key by scrypt",
      sent: null,
    },
  ];
}

function consoleWords(facts: SiteFacts): string {
  const { listen, publicUrl, tls: ownTls } = facts.config.console;
  const address = consoleIsLocal(facts)
    ? `only this machine reaches it (${listen})`
    : `it listens on ${listen}`;
  if (ownTls) return `${address}; TLS 1.3 with the hospital's certificate`;
  if (publicUrl === null) return `${address}; without TLS`;
  const tls = publicUrl.startsWith("https://") ? "a proxy with TLS stands before it" : "without TLS";
  return `${address}; browsers reach it at ${publicUrl}: ${tls}`;
}
