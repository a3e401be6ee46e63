import { allowsUnproved, type SiteFacts } from "./facts.js";

/** Data that stays in this hospital, incoming data, and recipients of outgoing data. */

/** What this configuration rules out, so that it need not be asked. */
export function notFlowing(facts: SiteFacts): string[] {
  const { config, proxy } = facts;
  return [
    ...(allowsUnproved(facts)
      ? []
      : [
          "Rows of this hospital, generalised or reduced ones included: the policy allows neither variant paper nor studies without privacy.",
        ]),
    ...(proxy === null ? ["Anything to a web proxy: none is on the network path to the aggregator."] : []),
    ...(config.console.oidcIssuer === null
      ? ["Anything to an identity provider: staff sign in at the console itself."]
      : []),
    ...(config.databases.length > 0 ? [] : ["Anything to a database: every table is a file."]),
    "Anything to the makers of the software: there is no telemetry, no search for updates, no licence server.",
  ];
}

/** What no configuration lets out of the process by itself. */
export function neverLeaves(facts: SiteFacts): string[] {
  const rows = allowsUnproved(facts) ? " Methods of variant paper send reduced rows, see above." : "";
  return [
    `Records as they stand in the tables.${rows}`,
    "Patient identities: a patient column is turned into a hash under a key that the process makes at its start and keeps in memory. It is only used to count rows per patient.",
    allowsUnproved(facts)
      ? "The number of this hospital's rows, in studies of variant sound. In other variants the size of an upload may show it."
      : "The number of this hospital's rows: vectors have the length of the plan, whatever the table.",
    "The profile of a table: missing, clamped and rejected cells, least, mean and largest values.",
    "Why this hospital refused, who approved, names of staff, the audit log.",
    "The policy, except for what a refusal's code tells, the names of populations, and what they have spent.",
    "Private keys.",
  ];
}

export function comesIn(): string[] {
  return [
    "Studies: declarations of what to compute, read and judged by the agent. They hold no program code.",
    "For each study the list of its hospitals, with their public keys, and shares sealed for this one.",
    "What the aggregator broadcasts between stages: directions, splits, prototypes, all computed from what the hospitals have sent.",
    "Certificates, and the signed list of hospitals that were expelled.",
  ];
}

export function recipientsOf(facts: SiteFacts): { who: string; receives: string }[] {
  const { config, identity, proxy } = facts;
  const { oidcIssuer } = config.console;
  return [
    {
      who: `The aggregator of the federation ${identity.federation} at ${config.aggregator}, and its operator`,
      receives:
        "what is listed above as going to the aggregator, and of each study the sums over all its hospitals",
    },
    {
      who: "The other hospitals of each study",
      receives: "what is broadcast between stages; sealed shares; that this hospital takes part",
    },
    {
      who: "The publisher, and the readers of each release",
      receives:
        "the release: its results, the study's text, the names of the hospitals, the certificate. Studies above say whether everybody may read it or holders of a token.",
    },
    ...(proxy === null
      ? []
      : [{ who: `The operator of the web proxy ${proxy.address}`, receives: "addresses, times and sizes" }]),
    ...(oidcIssuer === null
      ? []
      : [{ who: `The identity provider ${oidcIssuer}`, receives: "who of the staff signs in, and when" }]),
    {
      who: "This hospital's own staff, monitoring, and the keepers of its logs and backups",
      receives: "see the flows inside the hospital",
    },
  ];
}
