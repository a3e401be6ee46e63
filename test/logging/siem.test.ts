/** A federation whose services send their logs to a SIEM: syslog over TLS and OTLP over HTTP, up, down, and up again. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ecsFaults } from "@consilium/runtime/testing/logging/ecsFaults";
import { otlpReceiverForTests, syslogReceiverForTests } from "@consilium/runtime/testing/logging/receivers";
import { foreignAuthority } from "@consilium/runtime/testing/network/certificates";
import { afterAll, beforeAll, expect, it } from "vitest";
import { editConfig } from "../../scripts/localFederation.js";
import { FaultFederation } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["one", "two", "three"];
const privacy = { epsilon: 1, delta: 1e-5 };
let federation: FaultFederation;
let tls: { readonly key: string; readonly cert: string };
let syslog: Awaited<ReturnType<typeof syslogReceiverForTests>>;
let otlp: Awaited<ReturnType<typeof otlpReceiverForTests>>;

beforeAll(async () => {
  const authority = await foreignAuthority("SIEM");
  tls = await authority.leaf("127.0.0.1");
  syslog = await syslogReceiverForTests(tls);
  otlp = await otlpReceiverForTests();
  const logs = {
    format: "ecs",
    syslog: { tls: `127.0.0.1:${syslog.port}`, caFile: "siem-ca.pem" },
    otlp: { url: `http://127.0.0.1:${otlp.port}/v1/logs` },
    bufferLines: 100,
  };
  const configure = async (folder: string) => {
    await writeFile(join(folder, "siem-ca.pem"), authority.caPem);
    await editConfig(folder, (config) => {
      config.logs = logs;
    });
  };
  federation = await FaultFederation.create({ one: 2_000, two: 2_000, three: 2_000 }, async (local) => {
    for (const member of [local.publisher, local.aggregator]) {
      await member.stop();
      await configure(member.state);
      await member.start();
    }
  });
  const agent = federation.site("one");
  await agent.stop();
  await configure(agent.state);
  await agent.start();
  await federation.local.startConsole("one");
  await federation.waitForPresence(sites, "online");
});
afterAll(async () => {
  await federation?.remove();
  await syslog?.close();
  await otlp?.close();
});

const bySyslog = (service: string, action: string) =>
  syslog.received.filter(({ messageId, line }) => messageId === action && line["service.name"] === service);
const byOtlp = (service: string, action: string) =>
  otlp.received.filter(
    ({ record, resource }) => record.eventName === action && resource["service.name"] === service,
  );

it("sends every service's events to both, and no value of a record", async () => {
  const study = await federation.start({ name: "watched", privacy });
  await federation.ended(study, "released");
  const expected = [
    ["aggregator", "study-started"],
    ["aggregator", "site-joined"],
    ["aggregator", "study-ended"],
    ["publisher", "release-published"],
    ["site-agent", "aggregator-connected"],
    ["site-agent", "study-joined"],
    ["site-agent", "stage-answered"],
    ["site-agent", "study-ended-at-site"],
    ["site-console", "service-ready"],
  ] as const;
  for (const [service, action] of expected) {
    await federation.until(`${service} ${action}`, async () =>
      bySyslog(service, action).length > 0 && byOtlp(service, action).length > 0 ? true : null,
    );
  }
  // A study's lines have one trace, whichever service writes them; a site's lines have its id.
  const traces = new Set(
    [...bySyslog("aggregator", "study-started"), ...bySyslog("site-agent", "study-joined")].map(
      ({ line }) => line["trace.id"],
    ),
  );
  expect(traces.size).toBe(1);
  expect(bySyslog("site-agent", "study-joined")[0]?.line["service.node.name"]).toBe("one");
  expect(bySyslog("site-console", "service-ready")[0]?.line["service.node.name"]).toBe("one");

  expect(syslog.received.flatMap(({ line }) => ecsFaults(line))).toEqual([]);
  const everything = JSON.stringify([syslog.received, otlp.received]);
  const cells = (await readFile(federation.tablePath("one"), "utf8"))
    .split("\n")
    .slice(1)
    .join(",")
    .split(",");
  const values = new Set(cells.filter((cell) => /\d\.\d{5}$/.test(cell)));
  expect(values.size).toBeGreaterThan(10_000);
  // The positive control: the search finds a cell in a text that has one.
  const found = (text: string) =>
    (text.match(/-?\d+\.\d{5}\b/g) ?? []).filter((number) => values.has(number));
  expect(found(`${everything} ${[...values][7]}`)).toEqual([[...values][7]]);
  expect(found(everything)).toEqual([]);
  const token = (await readFile(join(federation.aggregator.state, "operator-token"), "utf8")).trim();
  expect(everything).not.toContain(token);
});

it("writes ECS lines on the process's own stream too", async () => {
  const lines = (await federation.aggregator.log())
    .split("\n")
    .filter((line) => line.includes('"ecs.version"'));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(ecsFaults(JSON.parse(line) as Record<string, unknown>)).toEqual([]);
});

it("reports denied sign-ins with their source", async () => {
  const { http } = await federation.aggregator.addresses();
  const answer = await fetch(`http://${http}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "mallory", password: "a guess of many words" }),
  });
  expect(answer.status).toBe(401);
  await federation.until(
    "the event",
    async () => bySyslog("aggregator", "sign-in-denied").length > 0 || null,
  );
  expect(bySyslog("aggregator", "sign-in-denied")[0]?.line).toMatchObject({
    "event.outcome": "failure",
    "event.category": ["authentication"],
    "event.code": "SIGN_IN_FAILED",
    "source.ip": "127.0.0.1",
    "url.path": "/api/session",
  });
  expect(JSON.stringify(syslog.received)).not.toContain("mallory");
});

it("runs studies while both receivers are down, and sends what it kept once they are back", async () => {
  const ports = { syslog: syslog.port, otlp: otlp.port };
  await syslog.close();
  await otlp.close();
  for (const name of ["unwatched", "unwatched-too"])
    await federation.ended(await federation.start({ name, privacy }), "released");
  expect(await federation.aggregator.log()).toContain("log-delivery-failed");
  syslog = await syslogReceiverForTests(tls, { port: ports.syslog });
  otlp = await otlpReceiverForTests(() => 200, { port: ports.otlp });
  for (const service of ["aggregator", "site-console"]) {
    await federation.until(`${service} to send again`, async () =>
      bySyslog(service, "log-delivery-resumed").length > 0 &&
      byOtlp(service, "log-delivery-resumed").length > 0
        ? true
        : null,
    );
  }
  expect(bySyslog("site-agent", "study-joined").length).toBeGreaterThan(0);
});
