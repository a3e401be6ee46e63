import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { AgentAnswers } from "@consilium/core/hospital/agentApi";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { type HospitalAgent, hospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { sayReady } from "@consilium/runtime/executable";
import { createConsoleAccess } from "@consilium/runtime/http/access/access";
import { siteRoles } from "@consilium/runtime/http/access/accountRoles";
import { siteConsoleSettings } from "@consilium/runtime/http/access/siteConsole";
import { PagesCertificate } from "@consilium/runtime/http/tls";
import { createLogger, type Logger } from "@consilium/runtime/log";
import { exitOnceSent, openProcessLog, type ProcessLog } from "@consilium/runtime/logging/send/processLog";
import { logsSettings } from "@consilium/runtime/logging/settings";
import { createMetrics } from "@consilium/runtime/metrics";
import { channelsOf } from "@consilium/runtime/notify/channels";
import { Notifications } from "@consilium/runtime/notify/notifications";
import { measureCertificate } from "@consilium/runtime/processMetrics";
import { osRandom } from "@consilium/runtime/random";
import { createShutdown } from "@consilium/runtime/shutdown";
import { AccessRecords, peopleOf } from "@consilium/runtime/store/accessRecords";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { lockState } from "@consilium/runtime/store/lock";
import { openStore } from "@consilium/runtime/store/store";
import { formatAddress, parseAddress, reachableAddress } from "@consilium/runtime/tls/address";
import { forwardAgentLog } from "./agentLog.js";
import { listenForOwner, listenOnConsole } from "./api.js";
import { AuditLog } from "./auditLog.js";
import { Changes } from "./changes.js";
import { Deputies } from "./deputies.js";
import { doctorOf } from "./doctor.js";
import { installedMethods } from "./methods.js";
import { migrations } from "./schema.js";
import { notifyOfStudies } from "./studyNotices.js";
import { takeOverAccounts } from "./takeOverAccounts.js";

/** How often an agent that does not answer yet is asked again. */
const agentEveryMs = 250;
/** What people did by the command line is in the console's audit log after so long, also where nobody reads it. */
const auditEveryMs = 10_000;
/** How often the agent is asked which studies wait, where people are told by mail or webhook. */
const notifyEveryMs = 15_000;

interface SiteConsoleOptions {
  /** Of the site's agent; the console waits until one answers there. */
  readonly agentSocket: string;
  /** `host:port` in place of the configured one. */
  readonly listen: string | null;
}

/**
 * Serves the hospital's pages; returns once they can be reached. What is configured of them comes from the agent, whose
 * config.yaml also says where the tables are.
 * @param stateFolder - the console's own
 */
export async function startSiteConsole(
  stateFolder: string,
  { agentSocket, listen }: SiteConsoleOptions,
): Promise<void> {
  // Until the agent has said what is configured.
  const first = createLogger({ service: "site-console", level: "info" });
  let processLog: ProcessLog | null = null;
  const shutdown = createShutdown({
    log: first,
    exit: (code) => (processLog === null ? process.exit(code) : exitOnceSent(processLog)(code)),
  });
  const now = Date.now;
  const lock = await lockState(stateFolder);
  shutdown.onStop("lock", () => lock.release());
  const store = openStore(join(stateFolder, "state.db"), migrations);
  shutdown.onStop("store", () => store.close());

  const agent = hospitalAgent({ socketPath: agentSocket, timeoutMs: null, methods: installedMethods });
  const configured = await settingsOf(agent, { log: first, stopping: () => shutdown.stopping });
  processLog = await openProcessLog({
    service: "site-console",
    level: configured.logLevel,
    settings: logsSettings(configured.logs),
    configPath: configured.configPath,
    node: configured.site,
  });
  const { log } = processLog;
  if (processLog.isSent) {
    const forwarding = forwardAgentLog({ agent, processLog });
    shutdown.onStop("agent's log", () => forwarding.stop());
  }
  const settings = siteConsoleSettings(configured.settings);
  const records = new AccessRecords(store);
  await takeOverAccounts({ agent, store, records, log });
  const auditLog = new AuditLog({ store, agent, now, log });
  await auditLog.copyFromAgent();
  const copying = setInterval(() => void auditLog.copyFromAgent(), auditEveryMs);
  shutdown.onStop("audit log", () => clearInterval(copying));

  const access = await createConsoleAccess({
    store,
    roles: siteRoles,
    configuration: settings,
    configPath: configured.configPath,
    stateFolder,
    random: osRandom,
    now,
    log: log.child("access"),
    record: (event) => auditLog.record(event),
  });
  const notifying = settings.notifications;
  const notifications = new Notifications({
    store,
    channels:
      notifying === undefined
        ? []
        : await channelsOf(notifying, { configPath: configured.configPath, key: "console.notifications" }),
    pages: access.pagesUrl,
    random: osRandom,
    now,
    log: log.child("notifications"),
  });
  const certificate =
    settings.tls === undefined
      ? null
      : await PagesCertificate.open({
          files: settings.tls,
          configPath: configured.configPath,
          key: "console.tls",
          log: log.child("pages"),
        });
  const metrics = createMetrics({ service: "site-console", version: softwareVersion });
  if (certificate !== null) {
    const following = certificate.follow();
    shutdown.onStop("certificate", () => following.stop());
    measureCertificate(metrics, () => certificate.notAfter);
  }
  const context = {
    agent,
    access,
    auditLog,
    deputies: new Deputies({ store, random: osRandom, now, auditLog }),
    changes: new Changes(agent),
    doctor: doctorOf({ agent, agentSocket, stateFolder, notifications, certificate, now }),
    notifications,
    site: configured.site,
    people: () => peopleOf(records),
    metrics,
    trustedProxies: settings.trustedProxies,
    certificate,
    log,
  };
  const owners = await listenForOwner(stateFolder, context);
  shutdown.onStop("socket", () => owners.close());
  const address = unwrap(parseAddress(listen ?? settings.listen));
  const server = await listenOnConsole(address, context);
  shutdown.onStop("console", () => server.close());
  const bound = server.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  const listening = formatAddress({ host: address.host, port });
  const scheme = certificate === null ? "http" : "https";
  await access.announce(`${scheme}://${formatAddress(reachableAddress({ host: address.host, port }))}`);
  const addresses = { console: listening, ...(certificate !== null && { scheme }) };
  await writeFileDurable(join(stateFolder, "addresses.json"), `${JSON.stringify(addresses)}\n`);
  if (notifying !== undefined) {
    const look = () =>
      notifyOfStudies({ agent, notifications, reminderBeforeMs: notifying.reminderBefore, now }).catch(
        (thrown: unknown) => log.warn("cannot look for studies that wait", {}, thrown),
      );
    void look();
    const looking = setInterval(() => void look(), notifyEveryMs);
    shutdown.onStop("notifications", () => clearInterval(looking));
  }
  log.info("ready", { site: configured.site, console: listening });
  sayReady();
}

/** Of the agent, once it answers. @throws ConsiliumError as the agent does, but for its silence */
async function settingsOf(
  agent: HospitalAgent,
  { log, stopping }: { readonly log: Logger; readonly stopping: () => boolean },
): Promise<AgentAnswers<"consoleSettings">> {
  for (let told = false; ; told = true) {
    try {
      return await agent.consoleSettings({});
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError) || thrown.code !== "UNREACHABLE" || stopping()) throw thrown;
      if (!told) log.info("waiting for the site's agent", {});
    }
    await sleep(agentEveryMs);
  }
}
