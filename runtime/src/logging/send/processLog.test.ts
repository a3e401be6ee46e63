import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ecsFaults } from "../../../testing/logging/ecsFaults.js";
import {
  otlpReceiverForTests,
  type SyslogMessage,
  syslogReceiverForTests,
  takeFrames,
} from "../../../testing/logging/receivers.js";
import { foreignAuthority } from "../../../testing/network/certificates.js";
import { LineBuffer } from "../agentOutput.js";
import { traceId } from "../ecs.js";
import { logsSettings } from "../settings.js";
import { openProcessLog } from "./processLog.js";
import { LineQueue } from "./queue.js";

let folder: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-log-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await rm(folder, { recursive: true });
});

async function opened(logs: object, retry = { first: 20, last: 50 }) {
  const local: string[] = [];
  const processLog = await openProcessLog({
    service: "aggregator",
    level: "debug",
    settings: logsSettings(logs),
    configPath: join(folder, "config.yaml"),
    node: "north",
    stream: { write: (line) => void local.push(line) },
    retry,
  });
  closing.push(() => processLog.close());
  return { ...processLog, local };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 10_000) throw new Error("it did not happen within 10 s");
    await delay(5);
  }
}

async function tlsReceiver(options: { readonly port?: number; readonly clientCa?: string } = {}) {
  const authority = await foreignAuthority();
  await writeFile(join(folder, "ca.pem"), authority.caPem);
  const leaf = await authority.leaf("127.0.0.1");
  const demands =
    options.clientCa === undefined
      ? {}
      : { requestCert: true, rejectUnauthorized: true, ca: options.clientCa };
  const start = async (port = 0) => {
    const receiver = await syslogReceiverForTests({ ...leaf, ...demands }, { port });
    closing.push(() => receiver.close());
    return receiver;
  };
  return { start, authority };
}

describe("syslog over TLS", () => {
  it("sends octet-counted RFC 5424 messages with ECS fields, in order", async () => {
    const receiver = await (await tlsReceiver()).start();
    const { log, local } = await opened({
      syslog: { tls: `127.0.0.1:${receiver.port}`, caFile: "ca.pem", facility: "authpriv" },
    });
    for (let entries = 0; entries < 1_200; entries++) log.info("ready", { releases: entries, http: "ä ⚕" });
    log.child("studies").error("the study failed", { study: "pca-1" }, new Error("secret"));
    await until(() => receiver.received.length === 1_201);
    expect(receiver.received.slice(0, -1).map(({ line }) => line["consilium.release.count"])).toEqual(
      Array.from({ length: 1_200 }, (_, index) => index),
    );
    expect(receiver.received[0]?.line["consilium.listen.http"]).toBe("ä ⚕");
    expect(receiver.received.at(-1)).toMatchObject({
      facility: 10,
      severity: 3,
      appName: "consilium-aggregator",
      processId: String(process.pid),
      messageId: "study-failed",
      line: { "trace.id": traceId("pca-1"), "service.node.name": "north", "log.logger": "studies" },
    });
    expect(receiver.received.flatMap(({ line }) => ecsFaults(line))).toEqual([]);
    expect(JSON.stringify(receiver.received)).not.toContain("secret");
    // The local log has every line, too.
    expect(local.length).toBe(1_201);
  });

  it("shows its own certificate where the receiver asks for one", async () => {
    const own = await foreignAuthority();
    const { cert, key } = await own.leaf("aggregator", "clientAuth");
    await writeFile(join(folder, "own.pem"), cert);
    await writeFile(join(folder, "own-key.pem"), key);
    const receiver = await (await tlsReceiver({ clientCa: own.caPem })).start();
    const syslog = { tls: `127.0.0.1:${receiver.port}`, caFile: "ca.pem" };
    const { log } = await opened({ syslog: { ...syslog, certFile: "own.pem", keyFile: "own-key.pem" } });
    log.info("stopped");
    await until(() => receiver.received.length === 1);
  });

  it("reports a receiver that refuses its certificate, and loses nothing", async () => {
    const own = await foreignAuthority();
    const receiver = await (await tlsReceiver({ clientCa: own.caPem })).start();
    const { log, local } = await opened({ syslog: { tls: `127.0.0.1:${receiver.port}`, caFile: "ca.pem" } });
    log.info("stopped");
    await until(() => local.some((line) => line.includes("cannot send the log; retrying")));
    expect(local.length).toBe(2);
    expect(receiver.received).toEqual([]);
  });

  it("sends nothing to a receiver whose certificate is of another authority", async () => {
    const receiver = await (await tlsReceiver()).start();
    const other = await foreignAuthority();
    await writeFile(join(folder, "ca.pem"), other.caPem);
    const { log, local } = await opened({ syslog: { tls: `127.0.0.1:${receiver.port}`, caFile: "ca.pem" } });
    log.info("stopped");
    await until(() => local.length === 2);
    expect(local[1]).toContain("cannot send the log; retrying");
    await delay(200);
    expect(receiver.received).toEqual([]);
  });

  it("keeps what it can while the receiver is down, reports the rest, and never waits", async () => {
    const { start } = await tlsReceiver();
    const first = await start();
    const { port } = first;
    const { log, local } = await opened({
      syslog: { tls: `127.0.0.1:${port}`, caFile: "ca.pem" },
      bufferLines: 100,
    });
    log.info("ready", { releases: 0 });
    await until(() => first.received.length === 1);
    await first.close();
    await delay(50);
    const begun = performance.now();
    for (let line = 1; line <= 5_000; line++) log.info("ready", { releases: line });
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(local.filter((line) => line.includes('"msg":"ready"')).length).toBe(5_001);
    await until(() => local.some((line) => line.includes("cannot send the log; retrying")));
    const second = await start(port);
    await until(() => second.received.some(({ messageId }) => messageId === "log-lines-dropped"));
    const of = (message: SyslogMessage) => message.line["consilium.release.count"];
    const ready = second.received.filter(({ messageId }) => messageId === "service-ready").map(of);
    // The beginning is there, in order, and the number of the others is right.
    expect(ready).toEqual(Array.from({ length: ready.length }, (_, index) => index + 1));
    const dropped = second.received.find(({ messageId }) => messageId === "log-lines-dropped")!;
    expect(Number(dropped.line["consilium.log.dropped"]) + ready.length).toBeGreaterThanOrEqual(5_000);
    expect(ready.length).toBeLessThanOrEqual(100);
    expect(second.received.some(({ messageId }) => messageId === "log-delivery-resumed")).toBe(true);
  });

  it("writes to a stream socket of this machine", async () => {
    const path = join(folder, "syslog.sock");
    const received: SyslogMessage[] = [];
    const server = createServer((socket) =>
      socket.on("data", (bytes) => received.push(...takeFrames(bytes).messages)),
    );
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const { log, close } = await opened({ syslog: { socket: "syslog.sock" } });
    log.info("stopped");
    await until(() => received.length === 1);
    await close();
    server.close();
    expect(received[0]?.messageId).toBe("service-stopped");
  });
});

describe("OTLP over HTTP", () => {
  it("exports records with severity, trace and attributes, and the header", async () => {
    const receiver = await otlpReceiverForTests();
    closing.push(() => receiver.close());
    await writeFile(join(folder, "authorization"), "Bearer abc\n");
    const { log, local } = await opened({
      otlp: { url: `http://127.0.0.1:${receiver.port}/v1/logs`, authorizationFile: "authorization" },
    });
    log.warn("rejected a site's vector", { study: "pca-1", site: "a", code: "UPLOAD_HASH", reason: "x" });
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]).toMatchObject({
      authorization: "Bearer abc",
      resource: {
        "service.name": "aggregator",
        "service.instance.id": "north",
        "service.namespace": "consilium",
      },
      record: {
        severityNumber: 13,
        severityText: "WARN",
        body: { stringValue: "rejected a site's vector" },
        eventName: "vector-rejected",
        traceId: traceId("pca-1"),
      },
      attributes: { "consilium.site": "a", "event.category": ["network"], "error.code": "UPLOAD_HASH" },
    });
    const { record } = receiver.received[0]!;
    const { time } = JSON.parse(local[0]!) as { time: string };
    expect(Number(BigInt(record.timeUnixNano) / 1_000_000n)).toBe(Date.parse(time));
  });

  it("sends again what a receiver that is overloaded did not take", async () => {
    let answers = 0;
    const receiver = await otlpReceiverForTests(() => (++answers < 4 ? 503 : 200));
    closing.push(() => receiver.close());
    const { log } = await opened({ otlp: { url: `http://127.0.0.1:${receiver.port}/v1/logs` } });
    log.info("stopped");
    await until(() => receiver.received.some(({ record }) => record.eventName === "log-delivery-resumed"));
    const names = receiver.received.map(({ record }) => record.eventName);
    expect(names.filter((name) => name === "service-stopped").length).toBe(1);
    expect(names).toContain("log-delivery-failed");
  });
});

describe("closing", () => {
  it("sends what waits", async () => {
    const receiver = await (await tlsReceiver()).start();
    const { log, close } = await opened({ syslog: { tls: `127.0.0.1:${receiver.port}`, caFile: "ca.pem" } });
    log.info("stopped");
    await close();
    await until(() => receiver.received.length === 1);
  });

  it("takes at most two seconds with a receiver that never answers", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const { log, close } = await opened({ otlp: { url: `http://127.0.0.1:${port}/v1/logs` } });
    log.info("stopped");
    await delay(50);
    const begun = performance.now();
    await close();
    expect(performance.now() - begun).toBeLessThan(3_000);
    silent.close();
  });
});

it("waits longer after each failure, and holds no more than its limit", async () => {
  const tries: number[] = [];
  let dropped = 0;
  const queue = new LineQueue(
    {
      name: "test",
      send: async () => {
        tries.push(performance.now());
        if (tries.length < 5) throw new Error("down");
      },
      close: () => undefined,
    },
    {
      most: 3,
      retry: { first: 20, last: 80 },
      events: { failing: () => undefined, resumed: () => undefined, dropped: (count) => (dropped += count) },
    },
  );
  for (let line = 0; line < 10; line++) queue.add({ message: String(line) });
  await until(() => dropped > 0);
  expect(dropped).toBe(7);
  const pauses = tries.slice(1).map((at, index) => at - tries[index]!);
  expect(pauses.map((pause, index) => pause >= Math.min(80, 20 * 2 ** index) - 2)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  await queue.close(100);
});

describe("the agent's lines", () => {
  it("wait until they are taken; those of a former run are not mixed up", () => {
    const buffer = new LineBuffer(3);
    for (const message of ["a", "b", "c", "d"]) buffer.add({ message });
    const first = buffer.after({ run: null, next: 0 });
    expect(first).toMatchObject({
      lines: [{ message: "a" }, { message: "b" }, { message: "c" }],
      dropped: 1,
      next: 3,
    });
    // The answer may be lost: what was not taken comes again.
    expect(buffer.after({ run: null, next: 0 }).lines.length).toBe(3);
    buffer.add({ message: "lost" });
    const second = buffer.after({ run: first.run, next: 3 });
    expect(second).toMatchObject({ lines: [], dropped: 1, next: 3 });
    buffer.add({ message: "e" });
    expect(buffer.after({ run: first.run, next: 3 }).lines).toEqual([{ message: "e" }]);
    expect(buffer.after({ run: "another", next: 9 })).toMatchObject({ lines: [{ message: "e" }], next: 4 });
  });
});

describe("the settings", () => {
  it.each([
    [{ syslog: {} }, /logs\.syslog/],
    [{ syslog: { tls: "siem.example.org:6514", socket: "x" } }, /either tls or socket/],
    [{ syslog: { tls: "siem.example.org" } }, /host:port/],
    [{ syslog: { tls: "siem.example.org:6514", certFile: "x" } }, /certFile and keyFile/],
    [{ otlp: { url: "http://otel.example.org:4318/v1/logs" } }, /https:/],
    [{ otlp: { url: "https://user@otel.example.org/v1/logs" } }, /https:/],
    [{ formatt: "ecs" }, /did you mean logs\.format|formatt/],
    [{ bufferLines: 1 }, /bufferLines/],
  ])("refuse %j", (logs, expected) => {
    expect(() => logsSettings(logs)).toThrow(expected);
  });

  it("accept a SIEM's", () => {
    expect(logsSettings({ format: "ecs", syslog: { tls: "siem.example.org:6514" } })).toMatchObject({
      format: "ecs",
      bufferLines: 10_000,
      syslog: { facility: 16 },
    });
    expect(logsSettings({ otlp: { url: "https://otel.example.org:4318/v1/logs" } }).otlp).toBeDefined();
  });
});
