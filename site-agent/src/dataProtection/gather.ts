import { X509Certificate } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { parseConfig } from "@consilium/runtime/config";
import { consoleFolderName } from "@consilium/runtime/home";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import { proxyFor } from "@consilium/runtime/network/proxy";
import type { Store } from "@consilium/runtime/store/store";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import { type SiteConfig, siteConfigSchema } from "../config.js";
import type { TableDescription } from "../data/schema.js";
import { EgressLog } from "../ledger/egressLog.js";
import type { ReadLedger } from "../ledger/views.js";
import { policyHistoryFolder } from "../policy/policyEditor.js";
import type { PolicyFile } from "../policy/policyFile.js";
import { AuditLog } from "../socket/auditLog.js";
import { Approvals } from "../studies/approvals.js";
import { SiteRecords } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Permission, ProxyFacts, SiteFacts, StudyFacts } from "./facts.js";

/** What a site's facts are gathered from, of a running agent or of a state folder at rest. */
interface FactSources {
  readonly stateFolder: string;
  readonly config: SiteConfig;
  readonly identity: {
    readonly site: string;
    readonly federation: string;
    readonly signingKeyFingerprint: string;
    readonly rootPem: string;
    readonly chainPem: string;
  };
  readonly policy: Pick<PolicyFile, "read" | "status">;
  readonly store: Store;
  readonly methods: Pick<SiteMethods, "read">;
  readonly ledger: Pick<ReadLedger, "entries" | "totals">;
  readonly descriptions: readonly TableDescription[];
  readonly knownTables: KnownTables;
  readonly agent: SiteFacts["agent"];
  readonly folder: FolderFacts;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: number;
}

/** What the file system says of a state folder. */
interface FolderFacts {
  readonly permissions: readonly Permission[];
  readonly policyVersions: number;
}

/** @throws ConsiliumError POLICY_INVALID, CONFIG_INVALID */
export function gatherFacts(sources: FactSources): SiteFacts {
  const { config, identity, policy, store, ledger, descriptions, knownTables, agent, folder, now } = sources;
  const { site, federation, signingKeyFingerprint, rootPem, chainPem } = identity;
  return {
    at: now,
    software: softwareVersion,
    agent,
    identity: {
      site,
      federation,
      rootFingerprint: rootFingerprint(rootPem),
      signingKeyFingerprint,
      notAfter: Date.parse(new X509Certificate(chainPem).validTo),
    },
    config: { ...config, aggregator: [config.aggregator, ...config.standbys].join(" or ") },
    proxy: proxyFacts(sources),
    descriptions,
    knownTables,
    policy: unwrap(policy.read()),
    hasPolicyFile: policy.status().state === "read",
    studies: studyFacts(store, sources.methods),
    withoutText: new SiteRecords(store).withoutText(),
    egress: new EgressLog(store).entries(),
    ledger,
    permissions: folder.permissions,
    kept: {
      ledgerEntries: ledger.entries().length,
      trailEvents: new AuditLog(store, () => now).count(),
      policyVersions: folder.policyVersions,
    },
  };
}

function proxyFacts({ config, stateFolder, environment }: FactSources): ProxyFacts | null {
  const proxy = proxyFor(unwrap(parseAddress(config.aggregator)), {
    config: config.proxy,
    configPath: join(stateFolder, "config.yaml"),
    environment,
  });
  if (proxy === null) return null;
  const { isTls, credentials, source } = proxy;
  return { address: formatAddress(proxy), isTls, hasCredentials: credentials !== null, source };
}

/** @throws ConsiliumError CONFIG_INVALID */
export const wholeConfig = (text: string, path: string): SiteConfig =>
  parseConfig(text, path, siteConfigSchema);

/** Loads the methods of the studies whose text is kept. */
export async function loadMethods(store: Store, methods: Pick<SiteMethods, "load">): Promise<void> {
  const records = new SiteRecords(store);
  for (const { id } of records.studies()) {
    const { text, hash } = records.study(id)!;
    if (text !== "") await methods.load(text, hash);
  }
}

function studyFacts(store: Store, methods: Pick<SiteMethods, "read">): StudyFacts[] {
  const approvals = new Approvals(store);
  const records = new SiteRecords(store);
  return records.studies().flatMap(({ id }) => {
    const record = records.study(id)!;
    if (record.text === "") return [];
    const read = methods.read(record.text, record.hash);
    // Of methods that are no longer loaded: the ledger has what it was charged.
    if (!read.ok) return [];
    return [{ record, study: read.value.study, approval: approvals.of(id) }];
  });
}

/** Of what a state folder holds, the parts that must not be read by others. */
const guarded = ["", "config.yaml", "state.db", "state-key", "identity", consoleFolderName];

export async function folderFacts(stateFolder: string): Promise<FolderFacts> {
  const found = await Promise.all(
    guarded.map(async (path) => {
      const facts = await stat(join(stateFolder, path)).catch(() => null);
      return facts === null ? [] : [{ path, mode: facts.mode & 0o777 }];
    }),
  );
  const versions = await readdir(join(stateFolder, policyHistoryFolder)).catch(() => []);
  return {
    permissions: found.flat(),
    policyVersions: versions.filter((name) => name.endsWith(".yaml")).length,
  };
}
