import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exampleView } from "../../testing/study/view.js";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let folder: string;
let server: Server;
let views: StudyView[];
let hold: boolean;
let started: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-watch-"));
  await writeFile(join(folder, "token"), "secret\n");
  hold = false;
  started = [];
  server = createServer((request, response) => answer(request.url ?? "", request.method ?? "", response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function answer(url: string, method: string, response: ServerResponse): void {
  if (url.endsWith("/events")) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const view of views) response.write(`data: ${JSON.stringify(view)}\n\n`);
    if (!hold) response.end();
  } else if (method === "POST") {
    started.push(url);
    response.writeHead(201).end(JSON.stringify(exampleView()));
  } else response.end(JSON.stringify([exampleView(), exampleView({ id: "wdbc-pca-2000000000" })]));
}

function cli(argv: string[], options: Parameters<typeof capturedIo>[0] = {}) {
  const io = capturedIo({ workingFolder: folder, ...options });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { io, exitCode: runCli(["study", ...argv, "--aggregator", url, "--token-file", "token"], io) };
}

const failure = { code: "PHASE_DEADLINE", message: "st-mary is missing", remedy: "bring it back" } as const;

describe("consilium study watch", () => {
  it("ends with 0 for a release and 1 otherwise, in lines where no terminal is", async () => {
    views = [exampleView(), exampleView({ status: "released", release: { id: "r", url: "http://p/r/" } })];
    const good = cli(["watch", "wdbc-pca-1f"]);
    expect(await good.exitCode).toBe(0);
    expect(good.io.out()).toMatch(/^\d\d:\d\d:\d\d wdbc-pca-1f2e3d4c5b running\n/);
    expect(good.io.out()).not.toContain("\u001b");
    views = [exampleView({ status: "failed", failure })];
    const bad = cli(["watch", "wdbc-pca-1f"]);
    expect(await bad.exitCode).toBe(1);
    expect(bad.io.out()).toContain("[PHASE_DEADLINE] st-mary is missing. Bring it back.");
  });

  it("prints one view per line for programs", async () => {
    views = [exampleView(), exampleView({ status: "cancelled" })];
    const { io, exitCode } = cli(["watch", "wdbc-pca-1f", "--json"]);
    expect(await exitCode).toBe(1);
    const printed = io.out().trimEnd().split("\n");
    expect(printed.map((line) => JSON.parse(line).status)).toEqual(["running", "cancelled"]);
  });

  it("redraws in place on a terminal and gives the cursor back", async () => {
    views = [exampleView(), exampleView({ status: "released" })];
    const { io, exitCode } = cli(["watch", "wdbc-pca-1f"], { terminal: true });
    expect(await exitCode).toBe(0);
    const hidden = io.out().indexOf("\u001b[?25l");
    const up = io.out().indexOf("\u001b[8A");
    const shown = io.out().lastIndexOf("\u001b[?25h");
    expect([hidden >= 0, up > hidden, shown > up]).toEqual([true, true, true]);
  });

  it("gives the cursor back and 130 when it is interrupted, and says that the study continues", async () => {
    hold = true;
    views = [exampleView()];
    const watched = cli(["watch", "wdbc-pca-1f"], {
      terminal: true,
      onWrite: (text) => {
        if (text.includes("\u001b[?25l")) setTimeout(() => watched.io.signal("SIGINT"), 10);
      },
    });
    expect(await watched.exitCode).toBe(130);
    expect(watched.io.out().endsWith("\u001b[?25h")).toBe(true);
    expect(watched.io.err()).toContain("stopped watching wdbc-pca-1f2e3d4c5b. The study continues");
  });

  it("asks for more of an id that several studies begin with", async () => {
    views = [];
    const { io, exitCode } = cli(["watch", "wdbc"]);
    expect(await exitCode).toBe(2);
    expect(io.err()).toContain("wdbc is ambiguous: wdbc-pca-1f2e3d4c5b, wdbc-pca-2000000000");
    expect(await cli(["cancel", "xyz"]).exitCode).toBe(1);
    expect(started).toEqual([]);
  });

  it("acts on the study that is meant", async () => {
    expect(await cli(["resume", "wdbc-pca-2"]).exitCode).toBe(0);
    expect(await cli(["cancel", "wdbc-pca-1f2e3d4c5b"]).exitCode).toBe(0);
    expect(started).toEqual([
      "/api/studies/wdbc-pca-2000000000/resume",
      "/api/studies/wdbc-pca-1f2e3d4c5b/cancel",
    ]);
  });
});

describe("consilium study start", () => {
  it("sends nothing that is not a study, and follows one that is", async () => {
    await writeFile(join(folder, "bad.yaml"), "name: x\n");
    expect(await cli(["start", "bad.yaml"]).exitCode).toBe(1);
    expect(started).toEqual([]);
    views = [exampleView({ status: "released" })];
    const good = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const { io, exitCode } = cli(["start", good, "--watch"]);
    expect(await exitCode).toBe(0);
    expect(started).toEqual(["/api/studies/check", "/api/studies"]);
    expect(io.out()).toContain("Released after");
  });
});
