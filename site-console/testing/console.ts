import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { agentRequests } from "@consilium/core/hospital/agentRequests";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { createConsoleAccess } from "@consilium/runtime/http/access/access";
import { siteRoles } from "@consilium/runtime/http/access/accountRoles";
import { createLogger } from "@consilium/runtime/log";
import { createMetrics } from "@consilium/runtime/metrics";
import { Notifications } from "@consilium/runtime/notify/notifications";
import { osRandom } from "@consilium/runtime/random";
import { AccessRecords, peopleOf } from "@consilium/runtime/store/accessRecords";
import { openStore } from "@consilium/runtime/store/store";
import type { ConsoleContext } from "../src/api.js";
import { AuditLog } from "../src/auditLog.js";
import { Changes } from "../src/changes.js";
import { Deputies } from "../src/deputies.js";
import { doctorOf } from "../src/doctor.js";
import { migrations } from "../src/schema.js";

export const testLog = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });

/** An agent that answers what a test gives, and to everything else not at all. `asked` has every call. */
export function fakeAgent(answers: Partial<Record<keyof HospitalAgent, unknown>>) {
  const asked: [name: string, asked: unknown][] = [];
  const calls = Object.keys(agentRequests).map((name) => [
    name,
    async (given: unknown) => {
      asked.push([name, given]);
      const answer = answers[name as keyof HospitalAgent];
      if (answer === undefined) throw new ConsiliumError("UNREACHABLE", "no agent runs here");
      return typeof answer === "function" ? answer(given) : answer;
    },
  ]);
  return { agent: Object.fromEntries(calls) as HospitalAgent, asked, answers };
}

/** A console with real accounts, in a folder of its own. */
export async function testConsole(answers: Parameters<typeof fakeAgent>[0]) {
  const stateFolder = await mkdtemp(join(tmpdir(), "consilium-console-"));
  const store = openStore(":memory:", migrations);
  const { agent, asked } = fakeAgent(answers);
  const auditLog = new AuditLog({ store, agent, now: Date.now, log: testLog });
  const notifications = new Notifications({
    store,
    channels: [],
    pages: () => "http://console.test",
    random: osRandom,
    now: Date.now,
    log: testLog,
  });
  const context: ConsoleContext = {
    notifications,
    site: "st-mary",
    agent,
    auditLog,
    deputies: new Deputies({ store, random: osRandom, now: Date.now, auditLog }),
    changes: new Changes(agent),
    doctor: doctorOf({
      agent,
      agentSocket: "/nowhere/agent.sock",
      stateFolder,
      notifications,
      certificate: null,
      now: Date.now,
    }),
    people: () => peopleOf(new AccessRecords(store)),
    metrics: createMetrics({ service: "site-console", version: "0" }),
    trustedProxies: [],
    certificate: null,
    log: testLog,
    access: await createConsoleAccess({
      store,
      roles: siteRoles,
      configuration: { hosts: [] },
      configPath: join(stateFolder, "config.yaml"),
      stateFolder,
      random: osRandom,
      now: Date.now,
      log: testLog,
      record: (event) => auditLog.record(event),
      // Fast: the cost itself is tested once.
      passwords: { cost: { log2N: 4, r: 8, p: 1 } },
    }),
  };
  const remove = async () => {
    store.close();
    await rm(stateFolder, { recursive: true, force: true });
  };
  return { context, asked, store, stateFolder, remove };
}
