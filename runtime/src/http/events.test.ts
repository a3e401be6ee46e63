import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../log.js";
import { maxStreams, openStreams, sendEvents } from "./events.js";
import { createHttpServer, type HttpServer } from "./server.js";

interface State {
  n: number;
  ended: boolean;
  padding?: string;
}

let server: HttpServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

async function make(limits: Parameters<typeof sendEvents>[3] = {}) {
  const changes = new EventEmitter().setMaxListeners(1_000);
  const state: State = { n: 0, ended: false };
  const told: unknown[] = [];
  const fault: { thrown: unknown; reads: number } = { thrown: null, reads: 0 };
  const log = createLogger({ service: "test", level: "error" });
  server = await createHttpServer({ log, access: () => ({ name: "x", role: "viewer" }) });
  const before: { wait: (() => Promise<void>) | null } = { wait: null };
  server.addHook("preHandler", async () => before.wait?.());
  server.get("/api/events", { config: { role: "viewer" } }, (request, reply) =>
    sendEvents<State>(
      request,
      reply,
      {
        now: () => {
          fault.reads++;
          if (fault.thrown !== null) throw fault.thrown;
          return state;
        },
        subscribe: (changed) => {
          changes.on("changed", changed);
          return () => changes.off("changed", changed);
        },
        isLast: ({ ended }) => ended,
        failed: (thrown) => told.push(thrown),
      },
      { intervalMs: 10, ...limits },
    ),
  );
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as { port: number };
  const change = (more: Partial<State>) => {
    Object.assign(state, more);
    changes.emit("changed");
  };
  return {
    url: `http://127.0.0.1:${port}/api/events`,
    port,
    change,
    changes,
    told,
    fault,
    raw: server.server,
    before,
  };
}

const values = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice(6)) as State);

async function until(is: () => boolean): Promise<void> {
  for (let tries = 0; !is(); tries++) {
    if (tries > 1_000) throw new Error("it did not come to be");
    await wait(10);
  }
}

describe("an event stream", () => {
  it("sends what is now, then every change, and ends with the last", async () => {
    const { url, change, changes, raw } = await make();
    const answer = await fetch(url);
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    setTimeout(() => change({ n: 1 }), 30);
    setTimeout(() => change({ n: 2, ended: true }), 80);
    expect(values(await answer.text()).map(({ n }) => n)).toEqual([0, 1, 2]);
    expect([changes.listenerCount("changed"), openStreams(raw)]).toEqual([0, 0]);
  });

  it("is one value, where it is the last already", async () => {
    const { url, change, changes } = await make();
    change({ ended: true });
    expect(values(await (await fetch(url)).text())).toEqual([{ n: 0, ended: true }]);
    expect(changes.listenerCount("changed")).toBe(0);
  });

  it("ends nothing where only its head is asked for, and fails as a route does before it begins", async () => {
    const { url, changes, fault } = await make();
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text(), changes.listenerCount("changed")]).toEqual([200, "", 0]);
    fault.thrown = new ConsiliumError("STUDY_UNKNOWN", "gone");
    const answer = await fetch(url);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, "STUDY_UNKNOWN"]);
  });

  it("ends when what it shows can no longer be read, and says so to the log only", async () => {
    const { url, change, changes, told, fault } = await make();
    const answer = await fetch(url);
    fault.thrown = new Error("disk");
    change({ n: 1 });
    expect(values(await answer.text()).length).toBe(1);
    expect(told).toEqual([fault.thrown]);
    expect(changes.listenerCount("changed")).toBe(0);
  });

  it("is kept open by comments, and ends after its lifetime so that the reader is judged anew", async () => {
    const { url, raw } = await make({ keepaliveMs: 20, lifetimeMs: 150 });
    const text = await (await fetch(url)).text();
    expect(text).toContain(": still here\n\n");
    expect(openStreams(raw)).toBe(0);
  });

  it("leaves nothing behind where the reader has gone before it begins", async () => {
    const { url, changes, raw, before, fault } = await make();
    const stop = new AbortController();
    const gone = new Promise<void>((resolve) => {
      raw.once("request", (_, response: ServerResponse) => response.once("close", resolve));
    });
    before.wait = () => {
      stop.abort();
      return gone;
    };
    await expect(fetch(url, { signal: stop.signal })).rejects.toThrow();
    await until(() => fault.reads > 0);
    await wait(1);
    expect([changes.listenerCount("changed"), openStreams(raw)]).toEqual([0, 0]);
  });

  it("leaves nothing behind when the reader goes", async () => {
    const { url, changes, raw } = await make();
    const stop = new AbortController();
    await fetch(url, { signal: stop.signal });
    expect([changes.listenerCount("changed"), openStreams(raw)]).toEqual([1, 1]);
    stop.abort();
    await until(() => changes.listenerCount("changed") === 0 && openStreams(raw) === 0);
  });
});

describe("a reader that does not read", () => {
  it("is sent no more than the connection holds, and the newest once it reads on", async () => {
    const { port, change, fault, raw } = await make();
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.write("GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    await until(() => openStreams(raw) === 1);
    const padding = "x".repeat(1_000_000);
    const changesMade = 60;
    for (let n = 1; n <= changesMade; n++) {
      change({ n, padding });
      await wait(15);
    }
    // Every value that was made would be held in memory: as many as the sockets' own buffers take were.
    expect(fault.reads).toBeLessThan(changesMade / 2);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.resume();
    await until(() => text.includes(`"n":${changesMade},`));
    expect(text.split('{"n":').length - 1).toBeLessThan(changesMade / 2);
  });
});

it("opens no more streams than a server may have", async () => {
  const { port, url, raw } = await make();
  for (let count = 0; count < maxStreams; count++) {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n");
    sockets.push(socket);
  }
  await until(() => openStreams(raw) === maxStreams);
  const answer = await fetch(url);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([429, "RATE_LIMITED"]);
});
