import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { StudyView } from "@consilium/core/operator/views";
import { afterEach, describe, expect, it } from "vitest";
import { exampleView } from "../../testing/study/view.js";
import { operatorClient } from "../federation/operatorClient.js";
import { watchEvents } from "./watchEvents.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An aggregator's event route that answers each connection by the next script. */
async function serveEvents(
  scripts: ((response: ServerResponse) => void)[],
  port = 0,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    expect(request.headers.authorization).toBe("Bearer secret");
    expect(request.url).toBe("/api/studies/wdbc-pca-1f2e3d4c5b/events");
    const script = scripts.shift();
    if (script === undefined) response.destroy();
    else script(response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  closers.push(close);
  return { port: (server.address() as AddressInfo).port, close };
}

const frame = (view: StudyView) => `data: ${JSON.stringify(view)}\n\n`;
const stream = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });

function watch(port: number, options: { patienceMs: number; signal?: AbortSignal }) {
  const signal = options.signal ?? new AbortController().signal;
  const operator = operatorClient({ url: `http://127.0.0.1:${port}`, token: "secret", interrupted: signal });
  return watchEvents(operator, "wdbc-pca-1f2e3d4c5b", {
    patienceMs: options.patienceMs,
    signal,
    firstPauseMs: 20,
  });
}

async function kinds(events: ReturnType<typeof watch>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) seen.push(event.kind === "view" ? event.view.status : event.kind);
  return seen;
}

describe("watching a study", () => {
  it("ends with the study", async () => {
    const { port } = await serveEvents([
      (response) => {
        stream(response).write(frame(exampleView()));
        response.write(": still here\n\n");
        response.end(frame(exampleView({ status: "released" })));
      },
    ]);
    expect(await kinds(watch(port, { patienceMs: 1000 }))).toEqual(["running", "released"]);
  });

  it("opens the stream again when it ends or breaks before the study does", async () => {
    const { port } = await serveEvents([
      (response) => stream(response).end(frame(exampleView())),
      (response) => {
        stream(response).write(frame(exampleView({ status: "publishing" })));
        // Cut in the middle of an event: half of it must not be shown.
        response.write('data: {"id":', () => response.destroy());
      },
      (response) => stream(response).end(frame(exampleView({ status: "failed" }))),
    ]);
    expect(await kinds(watch(port, { patienceMs: 5000 }))).toEqual([
      "running",
      "publishing",
      "lost",
      "failed",
    ]);
  });

  it("waits for an aggregator that is started again", async () => {
    const first = await serveEvents([(response) => stream(response).end(frame(exampleView()))]);
    const seen: string[] = [];
    for await (const event of watch(first.port, { patienceMs: 10_000 })) {
      seen.push(event.kind === "view" ? event.view.status : event.kind);
      if (seen.length === 1) await first.close();
      if (seen.length === 3) {
        await serveEvents(
          [(response) => stream(response).end(frame(exampleView({ status: "released" })))],
          first.port,
        );
      }
    }
    expect(seen.slice(0, 3)).toEqual(["running", "lost", "lost"]);
    expect(seen.at(-1)).toBe("released");
  });

  it("gives up after the user's patience, with the code of silence", async () => {
    const { port, close } = await serveEvents([]);
    await close();
    await expect(kinds(watch(port, { patienceMs: 60 }))).rejects.toMatchObject({ code: "UNREACHABLE" });
  });

  it("does not try again where the aggregator says no", async () => {
    const answer = { code: "STUDY_UNKNOWN", message: "no such study", remedy: "list them" };
    const { port } = await serveEvents([
      (response) =>
        response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(answer)),
    ]);
    await expect(kinds(watch(port, { patienceMs: 5000 }))).rejects.toMatchObject({ code: "STUDY_UNKNOWN" });
  });

  it("stops when the user interrupts, during the stream as during a pause", async () => {
    for (const scripts of [
      [(response: ServerResponse) => void stream(response).write(frame(exampleView()))],
      [],
    ]) {
      const { port } = await serveEvents(scripts);
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 100);
      await expect(kinds(watch(port, { patienceMs: 60_000, signal: stop.signal }))).rejects.toMatchObject({
        code: "INTERRUPTED",
      });
    }
  });
});
