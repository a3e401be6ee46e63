import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageSecurityPolicy } from "@consilium/runtime/http/pages";
import type { HttpServer } from "@consilium/runtime/http/server";
import { TestBrowser } from "@consilium/runtime/testing/http/access/browser";
import { goodPassword } from "@consilium/runtime/testing/http/access/service";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listenOnConsole, listenOnSocket } from "./api.js";
import { offered, testConsole } from "./testConsole.js";

let folder: string;
let server: HttpServer;
let port: number;
let made: Awaited<ReturnType<typeof testConsole>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-listen-"));
  made = await testConsole(folder);
  server = await listenOnConsole({ host: "127.0.0.1", port: 0 }, made.context);
  ({ port } = server.server.address() as AddressInfo);
  await made.context.access.announce(`http://127.0.0.1:${port}`);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function administrator(): Promise<TestBrowser> {
  const browser = new TestBrowser(port);
  const secret = (await readFile(join(folder, "setup-link"), "utf8")).trim().split("#")[1];
  const body = { secret, name: "anna", password: goodPassword };
  expect((await browser.ask("POST", "/api/setup", { body })).status).toBe(201);
  return browser;
}

describe("the console over TCP", () => {
  it("shows nothing to who has not signed in, and says what the pages are allowed to do", async () => {
    const stranger = new TestBrowser(port);
    for (const path of [
      "/api/status",
      "/api/studies",
      "/api/ledger",
      "/api/egress",
      "/api/policy",
      "/api/events",
    ])
      expect((await stranger.ask("GET", path)).status, path).toBe(401);
    expect((await stranger.ask("POST", "/api/profile", { body: { study: "" } })).status).toBe(401);
    expect((await stranger.ask("GET", "/healthz")).status).toBe(200);
    const page = await stranger.ask("GET", "/ledger", { headers: { accept: "text/html" } });
    // Where the pages are not built there is no page to look at.
    if (page.status === 200) expect(page.headers["content-security-policy"]).toBe(pageSecurityPolicy);
  });

  it("answers whoever has signed in on its own pages", async () => {
    const anna = await administrator();
    expect((await anna.ask("GET", "/api/status")).json).toMatchObject({ site: "st-mary" });
    const policy = (await anna.ask("GET", "/api/policy")).json;
    const text = `${policy.text}minimumSites: 4\n`;
    const saved = await anna.ask("PUT", "/api/policy", { body: { text, version: policy.version } });
    expect(saved.status).toBe(200);
    const [kept] = (await anna.ask("GET", "/api/policy/history")).json;
    expect(kept.replacedBy).toBe("anna");
  });

  it.each([
    ["another origin", { origin: "http://evil.example" }],
    ["another site", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["no token of the page", { "x-consilium-csrf": null }],
  ])("refuses a change from %s, cookie or not", async (_, headers) => {
    made.approvals.wait(offered, 1_800_000_000_000, 1);
    const anna = await administrator();
    for (const path of ["approve", "refuse"]) {
      const body = { reason: null };
      const answer = await anna.ask("POST", `/api/studies/${offered.id}/${path}`, { body, headers });
      expect(answer.status).toBe(403);
    }
    const answer = await anna.ask("PUT", "/api/policy", { body: { text: "", version: null }, headers });
    expect(answer.status).toBe(403);
  });

  it("refuses a name that was pointed at loopback, whatever it asks for", async () => {
    const anna = await administrator();
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", ""]) {
      const headers = { host, origin: `http://${host}` };
      for (const path of ["/api/status", "/api/session", "/api/egress/export", "/"])
        expect((await anna.ask("GET", path, { headers })).status, `${host}${path}`).toBeGreaterThanOrEqual(
          400,
        );
    }
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      expect((await anna.ask("GET", "/api/status", { headers: { host } })).status, host).toBe(200);
  });

  it("lets an approver see everything and change nothing of the site", async () => {
    const anna = await administrator();
    const { json } = await anna.ask("POST", "/api/accounts", { body: { name: "bert", role: "approver" } });
    const bert = new TestBrowser(port);
    const secret = String(json.url).split("#")[1];
    await bert.ask("POST", "/api/setup", { body: { secret, name: "bert", password: goodPassword } });
    expect((await bert.ask("GET", "/api/policy")).status).toBe(200);
    const check = await bert.ask("POST", "/api/policy/check", { body: { text: "approval: person\n" } });
    expect(check.status).toBe(200);
    const denied: [string, string, object][] = [
      ["PUT", "/api/policy", { text: "approval: person\n", version: null }],
      ["POST", "/api/ledger/reconcile", {}],
      ["POST", "/api/accounts", { name: "eve", role: "administrator" }],
    ];
    for (const [method, path, body] of denied)
      expect((await bert.ask(method, path, { body })).status, path).toBe(403);
  });
});

describe("the socket", () => {
  it("is the owner's, who needs no password", async () => {
    const socket = await listenOnSocket(folder, made.context);
    try {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        httpRequest({ socketPath: join(folder, "agent.sock"), path: "/api/status" }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on("error", reject)
          .end();
      });
      expect(status).toBe(200);
    } finally {
      await socket.close();
    }
  });
});
