import type { Study } from "@consilium/core/study/study";
import type { SiteConfig } from "../config.js";
import type { TableDescription } from "../data/schema.js";
import type { EgressEntry } from "../ledger/egressLog.js";
import type { ReadLedger } from "../ledger/views.js";
import type { Policy } from "../policy/policy.js";
import type { Approval } from "../studies/approvals.js";
import type { SiteStudy } from "../studies/records.js";
import type { KnownTables } from "../tables/knownTables.js";

/** What the agent knows for the data-protection document. Nothing of it is a value of a table. */
export interface SiteFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly software: string;
  /** Null where the state folder was read without its agent. */
  readonly agent: { readonly aggregatorSoftware: string | null } | null;
  readonly identity: {
    readonly site: string;
    readonly federation: string;
    readonly rootFingerprint: string;
    readonly signingKeyFingerprint: string;
    readonly notAfter: number;
  };
  readonly config: SiteConfig;
  readonly proxy: ProxyFacts | null;
  /** Of every table that the configuration names; without columns where one could not be read. */
  readonly descriptions: readonly TableDescription[];
  readonly knownTables: KnownTables;
  readonly policy: Policy;
  /** Whether the hospital has written a policy of its own. */
  readonly hasPolicyFile: boolean;
  /** Newest first; those whose text is kept. */
  readonly studies: readonly StudyFacts[];
  /** How many studies are kept without their text, by code; null where there is none. */
  readonly withoutText: readonly { readonly code: string | null; readonly studies: number }[];
  readonly egress: readonly EgressEntry[];
  readonly ledger: Pick<ReadLedger, "entries" | "totals">;
  readonly permissions: readonly Permission[];
  readonly kept: KeptFacts;
}

export interface StudyFacts {
  readonly record: SiteStudy;
  readonly study: Study;
  readonly approval: Approval | null;
}

export interface ProxyFacts {
  /** `host:port`. */
  readonly address: string;
  /** Whether the proxy itself is spoken to by TLS. */
  readonly isTls: boolean;
  readonly hasCredentials: boolean;
  /** `config.yaml` or the name of a variable. */
  readonly source: string;
}

/** Of a file or folder of the state folder. */
export interface Permission {
  /** Within the state folder; empty for the folder itself. */
  readonly path: string;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
}

/** How much there is of what grows. */
interface KeptFacts {
  readonly ledgerEntries: number;
  readonly trailEvents: number;
  readonly policyVersions: number;
}
