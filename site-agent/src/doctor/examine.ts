import { dirname, join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck, DoctorView } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { loadConfig } from "@consilium/runtime/config";
import { askAgent, askFacts, judgeAgent, judgeExpelledList } from "@consilium/runtime/doctor/agent";
import { judgeBudgets } from "@consilium/runtime/doctor/budget";
import { check, fail, ok, skipped, type Verdict } from "@consilium/runtime/doctor/check";
import { checkDisk } from "@consilium/runtime/doctor/disk";
import { checkIdentity } from "@consilium/runtime/doctor/identity";
import { checkNetwork, checkStandby, type NetworkTarget } from "@consilium/runtime/doctor/network";
import { judgePolicy } from "@consilium/runtime/doctor/policy";
import { judgeReader, judgeTables } from "@consilium/runtime/doctor/tables";
import { siteConsoleSettings } from "@consilium/runtime/http/access/siteConsole";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import type { Identity } from "@consilium/runtime/identity/files";
import { identityFolder } from "@consilium/runtime/identity/files";
import { proxyFor, type WebProxy } from "@consilium/runtime/network/proxy";
import { osRandom } from "@consilium/runtime/random";
import { parseAddress } from "@consilium/runtime/tls/address";
import { type SiteConfig, siteConfigSchema } from "../config.js";
import { attempt } from "../data/fault.js";
import { describeDeclared, type TableDescription } from "../data/schema.js";
import { resolveTableConfig, type TableConfig } from "../data/tableConfig.js";
import { TableSources } from "../data/tableSources.js";
import { type TableMemory, unreadTable } from "../data/tables.js";
import { Engines } from "../engines/engines.js";
import { takenTables } from "../policy/leftOut.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { policyFacts } from "./policy.js";
import { strangeTables, tableFacts } from "./tables.js";
import { withLeftOut } from "./withLeftOut.js";

export interface ExamineOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** For each step on the network. */
  readonly timeoutMs: number;
  /** Whose columns the tables are held against. */
  readonly studies?: readonly Study[];
}

/**
 * Looks at an enrolled site: configuration, identity, disk, the network path to the aggregator, the agent and the tables. It
 * changes nothing, sends nothing about the records, and works whether or not the agent runs. The running agent loads
 * nothing of it: what it says of itself is in `running.ts`.
 */
export async function examineSite(stateFolder: string, options: ExamineOptions): Promise<DoctorView> {
  const now = options.now();
  const configPath = join(stateFolder, "config.yaml");
  const configuration = await readConfiguration(configPath, options.environment);
  const { identity, verdict: identityVerdict } = await checkIdentity(identityFolder(stateFolder), now);
  const checks: DoctorCheck[] = [
    check("configuration", "Configuration", configuration.verdict),
    check("identity", "Keys and certificate of this site", identityVerdict),
    check("disk", "State folder", await checkDisk(stateFolder)),
  ];
  const { config } = configuration;
  checks.push(...(await checkWay(configuration, identity, options)));
  const agent = await askAgent(stateFolder);
  checks.push(
    check("agent", "Agent", judgeAgent(agent, stateFolder)),
    check("expelled", "List of expelled sites", judgeExpelledList(agent, now)),
    ...judgeBudgets(agent, now),
  );
  if (config !== null) {
    const tables = config.tables.map((table) => resolveTableConfig(table, dirname(configPath)));
    const studies = options.studies ?? [];
    // Hashes of sources are compared with one another alone, and kept nowhere.
    const known = new TableSources(tables, osRandom.bytes(32));
    await known.resolve();
    const file = new PolicyFile(join(stateFolder, policyFileName), { tables: known });
    const engines = new Engines(config.engines);
    const examined = await tableFacts(tables, studies, {
      engines,
      memoryOf: agent === null ? undefined : await memoryKnown(stateFolder),
    });
    const facts = {
      tables: withLeftOut(examined, takenTables(await described(tables)).leftOut),
      strangers: strangeTables(tables, studies),
    };
    await engines.close();
    checks.push(check("policy", "Policy and units of privacy", judgePolicy(policyFacts(file, known))));
    checks.push(judgeReader(agent?.tablesApart ?? null, examined));
    checks.push(...judgeTables(facts));
  }
  return {
    checkedAt: new Date(now).toISOString(),
    software: softwareVersion,
    subject: "site",
    name: identity?.id ?? null,
    aggregator: config?.aggregator ?? null,
    checks,
  };
}

/** The tables as they would be greeted with; one that cannot be described is left to its own check. */
async function described(tables: readonly TableConfig[]): Promise<TableDescription[]> {
  const looked = await Promise.all(
    tables.map((table) => attempt(table, undefined, () => describeDeclared(table))),
  );
  return looked.flatMap((one) => (one.ok ? [one.value] : []));
}

/** What the running agent has read of its tables; nothing of them without its answer. */
async function memoryKnown(stateFolder: string): Promise<(table: string) => TableMemory> {
  const facts = await askFacts(stateFolder);
  return (table) => facts?.tables.find(({ name }) => name === table)?.memory ?? unreadTable();
}

interface Configuration {
  readonly verdict: Verdict;
  readonly config: SiteConfig | null;
  readonly proxy: WebProxy | null;
  readonly standbys: readonly { readonly address: string; readonly proxy: WebProxy | null }[];
}

async function readConfiguration(configPath: string, environment: NodeJS.ProcessEnv): Promise<Configuration> {
  try {
    const config = await loadConfig(configPath, siteConfigSchema);
    siteConsoleSettings(config.console);
    const way = (address: string) =>
      proxyFor(unwrap(parseAddress(address)), { config: config.proxy, configPath, environment });
    const standbys = config.standbys.map((address) => ({ address, proxy: way(address) }));
    return { verdict: ok(`${configPath} is in order`), config, proxy: way(config.aggregator), standbys };
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    return { verdict: fail(error.message, error.remedy), config: null, proxy: null, standbys: [] };
  }
}

async function checkWay(
  { config, proxy, standbys }: Configuration,
  identity: Identity | null,
  { now, timeoutMs }: ExamineOptions,
): Promise<DoctorCheck[]> {
  if (config === null || identity === null) {
    const why = config === null ? "the configuration does not say where it is" : "this site is not enrolled";
    return [check("tcp", "Network path to the aggregator", skipped(`not looked at: ${why}`))];
  }
  const target = (address: string, proxy: WebProxy | null): NetworkTarget => ({
    address: unwrap(parseAddress(address)),
    proxy,
    serverRole: "aggregator",
    rootFingerprint: rootFingerprint(identity.rootPem),
    identity,
    now,
    timeoutMs,
  });
  const checks = await checkNetwork(target(config.aggregator, proxy));
  for (const { address, proxy } of standbys) checks.push(await checkStandby(target(address, proxy)));
  return checks;
}
