import { hostname } from "node:os";
import { join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import type { Study } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { configText } from "@consilium/runtime/config";
import { diskFacts } from "@consilium/runtime/doctor/diskFacts";
import type { WebProxy } from "@consilium/runtime/network/proxy";
import type { PolicyFile } from "../policy/policyFile.js";
import type { Connection } from "../rpc/connection.js";
import type { Greeting } from "../rpc/greeting.js";
import type { ExpelledList } from "../studies/expelledList.js";
import type { SiteRecords } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import { isReadApart } from "../tables/apart.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Examined, Tables } from "../tables/tables.js";
import { policyFacts } from "./policy.js";
import { withLeftOut } from "./withLeftOut.js";

interface RunningAgent {
  readonly stateFolder: string;
  readonly tables: Pick<Tables, "examine">;
  readonly aggregator: string;
  readonly proxy: WebProxy | null;
  readonly connection: Pick<Connection, "status" | "identity">;
  readonly expelledList: Pick<ExpelledList, "view">;
  readonly records: Pick<SiteRecords, "open">;
  readonly methods: Pick<SiteMethods, "load">;
  readonly policy: PolicyFile;
  readonly greeting: Pick<Greeting, "leftOut">;
  readonly knownTables: KnownTables & { readonly names: readonly string[] };
  /** Socket of the door of another user, who reads the tables; null where there is none. */
  readonly tablesDoor: string | null;
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
  const { stateFolder, proxy, connection, policy, knownTables } = agent;
  const { federation, role, id, notAfter, renewAtMs } = connection.identity;
  const { connected, since, lastFault, aggregatorSoftware } = connection.status;
  const studies: Study[] = [];
  for (const { text, hash } of agent.records.open()) {
    const read = await agent.methods.load(text, hash);
    if (read.ok) studies.push(read.value.study);
  }
  const path = join(stateFolder, "config.yaml");
  // As it is by now: it may have been edited since the agent began.
  const examined = await configText(path).then(
    (text) => agent.tables.examine(studies, text),
    (thrown: unknown): Examined => {
      const { message, remedy } = toConsiliumError(thrown);
      return { configuration: { path, fault: { message, remedy } }, tables: [], strangers: [] };
    },
  );
  return {
    checkedAt: new Date(agent.now()).toISOString(),
    software: softwareVersion,
    machine: hostname(),
    aggregator: agent.aggregator,
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
    tablesApart: await isReadApart(agent.tablesDoor),
    ...examined,
    tables: withLeftOut(examined.tables, agent.greeting.leftOut),
  };
}
