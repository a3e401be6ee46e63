import { hostname } from "node:os";
import { dirname } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import type { Study } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { loadConfig } from "@consilium/runtime/config";
import { diskFacts } from "@consilium/runtime/doctor/diskFacts";
import type { WebProxy } from "@consilium/runtime/network/proxy";
import { siteConfigSchema } from "../config.js";
import { resolveTableConfig, type TableConfig } from "../data/tableConfig.js";
import type { KnownTables } from "../data/tableSources.js";
import { configuredEngines } from "../engines/configuredEngines.js";
import type { EnginesConfig } from "../engines/engineConfig.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { Connection } from "../rpc/connection.js";
import type { ExpelledList } from "../studies/expelledList.js";
import type { SiteRecords } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import { policyFacts } from "./policy.js";
import { strangeTables, tableFacts } from "./tables.js";

interface RunningAgent {
  readonly stateFolder: string;
  readonly configPath: string;
  readonly aggregator: string;
  readonly proxy: WebProxy | null;
  readonly connection: Pick<Connection, "status" | "identity">;
  readonly expelledList: Pick<ExpelledList, "view">;
  readonly records: Pick<SiteRecords, "open">;
  readonly methods: Pick<SiteMethods, "load">;
  readonly policy: PolicyFile;
  readonly knownTables: KnownTables & { readonly names: readonly string[] };
  readonly now: () => number;
}

/**
 * A running agent's facts for the doctor; its tables are checked against the studies that wait or run. A request while it
 * gathers them gets the same answer. Nothing is sent.
 */
export function runningDoctor(agent: RunningAgent): () => Promise<DoctorFacts> {
  let underWay: Promise<DoctorFacts> | null = null;
  return () => {
    underWay ??= factsOf(agent).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

async function factsOf(agent: RunningAgent): Promise<DoctorFacts> {
  const { stateFolder, configPath, proxy, connection, policy, knownTables } = agent;
  const { federation, role, id, notAfter, renewAtMs } = connection.identity;
  const { connected, since, lastFault, aggregatorSoftware } = connection.status;
  const configured = await configuredNow(configPath);
  const studies: Study[] = [];
  for (const { text, hash } of agent.records.open()) {
    const read = await agent.methods.load(text, hash);
    if (read.ok) studies.push(read.value.study);
  }
  return {
    checkedAt: new Date(agent.now()).toISOString(),
    software: softwareVersion,
    machine: hostname(),
    aggregator: agent.aggregator,
    configuration: { path: configPath, fault: configured.fault },
    identity: { federation, role, id, notAfter, renewAtMs },
    stateFolder,
    disk: await diskFacts(stateFolder),
    proxy: proxy && {
      host: proxy.host,
      port: proxy.port,
      source: proxy.source,
      hasCredentials: proxy.credentials !== null,
    },
    connection: {
      connected,
      connectedSince: since === null ? null : new Date(since).toISOString(),
      aggregatorSoftware,
      lastFault,
      expelledList: agent.expelledList.view(),
    },
    policy: policyFacts(policy, knownTables),
    tables: await tableFacts(configured.tables, studies, await configuredEngines(configured.engines)),
    strangers: strangeTables(configured.tables, studies),
  };
}

/** The file as it is by now: it may have been edited since the agent began. */
async function configuredNow(path: string): Promise<{
  readonly tables: readonly TableConfig[];
  readonly engines: EnginesConfig;
  readonly fault: DoctorFacts["configuration"]["fault"];
}> {
  try {
    const { tables, engines } = await loadConfig(path, siteConfigSchema);
    return { engines, tables: tables.map((table) => resolveTableConfig(table, dirname(path))), fault: null };
  } catch (thrown) {
    const { message, remedy } = toConsiliumError(thrown);
    return { tables: [], engines: {}, fault: { message, remedy } };
  }
}
