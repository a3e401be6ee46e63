import { dirname, join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck, DoctorView } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { loadConfig } from "@consilium/runtime/config";
import { type AgentState, askAgent, judgeAgent, judgeExpelledList } from "@consilium/runtime/doctor/agent";
import { check, fail, ok, skipped, type Verdict } from "@consilium/runtime/doctor/check";
import { checkDisk } from "@consilium/runtime/doctor/disk";
import { checkIdentity } from "@consilium/runtime/doctor/identity";
import { checkNetwork } from "@consilium/runtime/doctor/network";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import type { Identity } from "@consilium/runtime/identity/files";
import { identityFolder } from "@consilium/runtime/identity/files";
import { proxyFor, type WebProxy } from "@consilium/runtime/network/proxy";
import { parseAddress } from "@consilium/runtime/tls/address";
import { type SiteConfig, siteConfigSchema } from "../config.js";
import { resolveTableConfig } from "../data/tableConfig.js";
import { checkPolicy } from "./policy.js";
import { checkTables } from "./tables.js";

export interface ExamineOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** For each step on the network. */
  readonly timeoutMs: number;
  /** Whose columns the tables are held against. */
  readonly studies?: readonly Study[];
  /** Of the agent itself, where it is the one that examines. */
  readonly agent?: AgentState;
  /** Called with a message to the aggregator before it is sent. */
  readonly sending?: (message: Uint8Array) => void;
}

/**
 * Looks at an enrolled site: configuration, identity, disk, the way to the aggregator, the agent and the tables. It
 * changes nothing, sends nothing about the records, and works whether or not the agent runs.
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
  const { config, proxy } = configuration;
  checks.push(...(await checkWay(config, proxy, identity, options)));
  const agent = options.agent ?? (await askAgent(stateFolder));
  checks.push(
    check("agent", "Agent", judgeAgent(agent, stateFolder)),
    check("expelled", "List of expelled sites", judgeExpelledList(agent, now)),
  );
  if (config !== null) {
    const tables = config.tables.map((table) => resolveTableConfig(table, dirname(configPath)));
    checks.push(check("policy", "Policy and units of privacy", await checkPolicy(stateFolder, tables)));
    checks.push(...(await checkTables(tables, options.studies ?? [])));
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

async function readConfiguration(
  configPath: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ verdict: Verdict; config: SiteConfig | null; proxy: WebProxy | null }> {
  try {
    const config = await loadConfig(configPath, siteConfigSchema);
    const address = unwrap(parseAddress(config.aggregator));
    const proxy = proxyFor(address, { config: config.proxy, configPath, environment });
    return { verdict: ok(`${configPath} is in order`), config, proxy };
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    return { verdict: fail(error.message, error.remedy), config: null, proxy: null };
  }
}

async function checkWay(
  config: SiteConfig | null,
  proxy: WebProxy | null,
  identity: Identity | null,
  { now, timeoutMs, sending }: ExamineOptions,
): Promise<DoctorCheck[]> {
  if (config === null || identity === null) {
    const why = config === null ? "the configuration does not say where it is" : "this site is not enrolled";
    return [check("tcp", "Way to the aggregator", skipped(`not looked at: ${why}`))];
  }
  return checkNetwork({
    address: unwrap(parseAddress(config.aggregator)),
    proxy,
    serverRole: "aggregator",
    rootFingerprint: rootFingerprint(identity.rootPem),
    identity,
    now,
    timeoutMs,
    sending,
  });
}
