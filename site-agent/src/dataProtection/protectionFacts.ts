import type { ProtectionFacts } from "@consilium/core/hospital/protectionFacts";
import { unwrap } from "@consilium/core/result";
import { logReceivers, logsSettings } from "@consilium/runtime/logging/settings";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { isLoopbackAddress } from "@consilium/runtime/tls/address";
import type { SiteConfig } from "../config.js";
import type { EgressEntry } from "../ledger/egressLog.js";
import { populationViews } from "../ledger/views.js";
import type { Policy } from "../policy/policy.js";
import type { SiteFacts } from "./facts.js";
import { studiesAsked } from "./studies.js";
import { tablesNamed } from "./tables.js";

/** A site's facts as they leave the agent's process, for the console to put into words. */
export function protectionFacts(facts: SiteFacts): ProtectionFacts {
  const { at, software, agent, identity, proxy, hasPolicyFile, permissions, kept } = facts;
  return {
    at,
    software,
    agent,
    identity,
    config: configFacts(facts.config),
    proxy,
    policy: policyFacts(facts.policy, facts.config),
    hasPolicyFile,
    tables: tablesNamed(facts),
    studies: studiesAsked(facts),
    withoutText: facts.withoutText.map((one) => ({ ...one })),
    populations: populationViews(facts.ledger, facts.policy, facts.knownTables),
    egress: totalsByKind(facts.egress),
    egressLines: facts.egress.length,
    permissions: permissions.map((one) => ({ ...one })),
    kept,
  };
}

function configFacts(config: SiteConfig): ProtectionFacts["config"] {
  const { aggregator, allowNoPrivacy, logLevel, logs, console, tables } = config;
  return {
    aggregator,
    allowNoPrivacy,
    logLevel,
    logReceivers: logReceivers(logsSettings(logs)),
    console,
    databases: tables.flatMap(({ name, postgres }) => {
      if (postgres === undefined) return [];
      const { host, tls } = unwrap(parsePostgresUrl(postgres.url));
      const isHere = host.startsWith("/") || host === "localhost" || isLoopbackAddress(host);
      return [{ table: name, verified: tls === "verify-full", plainRemote: tls === "disable" && !isHere }];
    }),
  };
}

function policyFacts(policy: Policy, { tables }: SiteConfig): ProtectionFacts["policy"] {
  const { analyses, variants, approval, perStudy, figures } = policy;
  const { minimumSites, minimumRows, tolerateColluding } = policy;
  return {
    analyses,
    variants,
    approval,
    perStudy,
    minimumSites,
    minimumRows,
    tolerateColluding,
    figures,
    pinned: Object.keys(policy.members).length,
    ruledTables: Object.keys(policy.columns).filter((table) => tables.some(({ name }) => name === table)),
    unlimited: Object.entries(policy.populations).flatMap(([name, { epsilon }]) =>
      epsilon === "unlimited" ? [name] : [],
    ),
  };
}

/** In the order in which the first of each kind left. */
function totalsByKind(log: readonly EgressEntry[]): ProtectionFacts["egress"] {
  const totals = new Map<string, { messages: number; bytes: number }>();
  for (const { what, messages, bytes } of log) {
    const before = totals.get(what) ?? { messages: 0, bytes: 0 };
    totals.set(what, { messages: before.messages + messages, bytes: before.bytes + bytes });
  }
  return [...totals].map(([what, sums]) => ({ what, ...sums }));
}
