import { readFile, stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { agentRequests } from "@consilium/core/hospital/agentRequests";
import { roleTable } from "@consilium/runtime/http/openapi";
import { pageSecurityPolicy } from "@consilium/runtime/http/pages";
import type { HttpServer } from "@consilium/runtime/http/server";
import { createMetrics } from "@consilium/runtime/metrics";
import { TestBrowser } from "@consilium/runtime/testing/http/access/browser";
import { goodPassword } from "@consilium/runtime/testing/http/access/service";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testConsole } from "../testing/console.js";
import { listenForOwner, listenOnConsole } from "./api.js";

const study = "vitals-0123456789";
const policy = {
  status: { path: "policy.yaml", state: "absent", sha256: null, fault: null },
  text: null,
  version: null,
  faults: [],
  suggestion: "",
  tables: ["visits"],
  allowNoPrivacy: false,
};
const changes = { connected: true, waiting: 0, studies: "a", ledger: "1", egress: "0", policy: "b" };
const profile = {
  report: {
    table: "visits",
    study: "vitals",
    files: 1,
    rows: 1,
    used: 1,
    rejected: 0,
    malformed: 0,
    unsampled: 0,
    maxRowsPerSite: 10,
    patients: null,
    columns: [],
    label: null,
    problems: [],
  },
  text: "",
};
const agentMetrics = createMetrics({ service: "site-agent", version: "0" });
const answers = {
  health: { connected: true, code: null },
  changes,
  policy,
  policySave: policy,
  policyCheck: { faults: [], waiting: [], warnings: [] },
  policyHistory: [],
  studies: [],
  profile,
  egress: [],
  audit: [],
  metrics: async () => {
    const { contentType, body } = await agentMetrics.render();
    return { contentType, agent: body, ledger: "consilium_ledger_entries 3\n" };
  },
};

let made: Awaited<ReturnType<typeof testConsole>>;
let server: HttpServer;
let port: number;

async function serve(given: Parameters<typeof testConsole>[0] = answers): Promise<void> {
  made = await testConsole(given);
  server = await listenOnConsole({ host: "127.0.0.1", port: 0 }, made.context);
  ({ port } = server.server.address() as AddressInfo);
  await made.context.access.announce(`http://127.0.0.1:${port}`);
}
beforeEach(() => serve());
afterEach(async () => {
  await server.close();
  await made.remove();
});

async function administrator(): Promise<TestBrowser> {
  const browser = new TestBrowser(port);
  const secret = (await readFile(join(made.stateFolder, "setup-link"), "utf8")).trim().split("#")[1];
  const body = { secret, name: "anna", password: goodPassword };
  expect((await browser.ask("POST", "/api/setup", { body })).status).toBe(201);
  return browser;
}

const askedOf = (name: string) => made.asked.filter(([one]) => one === name).map(([, asked]) => asked);

describe("the console over TCP", () => {
  it("is an administrator's where the site itself is changed, and an approver's otherwise", () => {
    const own = /^(?:GET|POST|DELETE|PUT) \/api\/(?:accounts|tokens|links|session|setup|oidc)/;
    const table = roleTable(server).filter((line) => line.includes(" /api/") && !own.test(line));
    expect(table.filter((line) => !line.endsWith(" approver"))).toEqual([
      "POST /api/ledger/reconcile administrator",
      "POST /api/notifications/test administrator",
      "PUT /api/policy administrator",
    ]);
    expect(table).toContain("POST /api/studies/:id/approve approver");
  });

  it("shows nothing to who has not signed in, and says what the pages are allowed to do", async () => {
    const stranger = new TestBrowser(port);
    for (const path of ["status", "studies", "ledger", "egress", "policy", "events", "doctor", "audit"])
      expect((await stranger.ask("GET", `/api/${path}`)).status, path).toBe(401);
    expect((await stranger.ask("POST", "/api/profile", { body: { study: "" } })).status).toBe(401);
    expect(made.asked).toEqual([]);
    expect((await stranger.ask("GET", "/healthz")).status).toBe(200);
    const page = await stranger.ask("GET", "/ledger", { headers: { accept: "text/html" } });
    // Where the pages are not built there is no page to look at.
    if (page.status === 200) expect(page.headers["content-security-policy"]).toBe(pageSecurityPolicy);
  });

  it("asks the agent in the name of who has signed in, and for counts of a table alone", async () => {
    const anna = await administrator();
    const body = { text: "minimumSites: 4\n", version: null };
    expect((await anna.ask("PUT", "/api/policy", { body })).status).toBe(200);
    expect(askedOf("policySave")).toEqual([{ ...body, by: "anna" }]);
    await anna.ask("POST", `/api/studies/${study}/approve`);
    await anna.ask("POST", `/api/studies/${study}/refuse`, { body: { reason: "no" } });
    await anna.ask("POST", "/api/ledger/reconcile", { body: { charge: 1 } });
    expect(askedOf("approve")).toEqual([{ id: study, by: "anna" }]);
    expect(askedOf("refuse")).toEqual([{ id: study, by: "anna", reason: "no" }]);
    expect(askedOf("reconcile")).toEqual([{ charge: 1, by: "anna" }]);
    await anna.ask("POST", "/api/profile", { body: { study: "name: x" } });
    expect(askedOf("profile")).toEqual([{ study: "name: x", values: false }]);
  });

  it.each([
    ["another origin", { origin: "http://evil.example" }],
    ["another site", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["no token of the page", { "x-consilium-csrf": null }],
  ])("refuses a change from %s, cookie or not, and asks the agent for nothing", async (_, headers) => {
    const anna = await administrator();
    const changes: [string, string, object][] = [
      ["POST", `/api/studies/${study}/approve`, {}],
      ["POST", `/api/studies/${study}/refuse`, { reason: null }],
      ["PUT", "/api/policy", { text: "", version: null }],
    ];
    for (const [method, path, body] of changes)
      expect((await anna.ask(method, path, { body, headers })).status).toBe(403);
    expect(made.asked).toEqual([]);
  });

  it("refuses a name that was pointed at loopback, whatever it asks for", async () => {
    const anna = await administrator();
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", ""]) {
      const headers = { host, origin: `http://${host}` };
      for (const path of ["/api/policy", "/api/session", "/api/egress/export", "/"])
        expect((await anna.ask("GET", path, { headers })).status, `${host}${path}`).toBeGreaterThanOrEqual(
          400,
        );
    }
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      expect((await anna.ask("GET", "/api/policy", { headers: { host } })).status, host).toBe(200);
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

  it("gives the metrics of both processes as one text, and the ledger's to who has signed in", async () => {
    const stranger = new TestBrowser(port);
    const { text } = await stranger.ask("GET", "/metrics");
    expect(text).toMatch(/consilium_build_info\{version="0",service="site-agent"\} 1\n.*site-console/);
    const types = text.match(/^# TYPE (\S+)/gm)!;
    expect(new Set(types).size).toBe(types.length);
    expect(text).toContain("consilium_http_event_streams");
    expect((await stranger.ask("GET", "/metrics/ledger")).status).toBe(401);
    const anna = await administrator();
    expect((await anna.ask("GET", "/metrics/ledger")).text).toBe("consilium_ledger_entries 3\n");
  });

  it("streams what is different", async () => {
    const anna = await administrator();
    const { status, text } = await anna.ask("HEAD", "/api/events");
    expect([status, text]).toEqual([200, ""]);
    expect(askedOf("changes")).toHaveLength(1);
    expect((await anna.ask("GET", "/readyz")).status).toBe(200);
  });
});

it("gives the agent a program's name without what its label may hold", async () => {
  const anna = await administrator();
  const label = `wall\n${"x".repeat(195)}`;
  const { json } = await anna.ask("POST", "/api/tokens", { body: { role: "approver", label } });
  const headers = { authorization: `Bearer ${json.token}` };
  await new TestBrowser(port).ask("POST", `/api/studies/${study}/approve`, { headers });
  const [asked] = askedOf("approve");
  expect(agentRequests.approve.parse(asked).by).toMatch(/^token:\w+ \(wall x+\)$/);
});

describe("without an agent", () => {
  it("the console lives, says so, and signs people in", async () => {
    await server.close();
    await made.remove();
    await serve({});
    const stranger = new TestBrowser(port);
    expect((await stranger.ask("GET", "/healthz")).status).toBe(200);
    expect((await stranger.ask("GET", "/readyz")).status).toBe(503);
    expect((await stranger.ask("GET", "/metrics")).text).toContain('service="site-console"');
    const anna = await administrator();
    const status = await anna.ask("GET", "/api/status");
    expect([status.status, status.json.code]).toEqual([503, "UNREACHABLE"]);
    const { json } = await anna.ask("GET", "/api/doctor");
    expect(json.checks).toMatchObject([
      { id: "agent", status: "fail" },
      { id: "disk:console", status: "ok" },
      { id: "pages-certificate", status: "skipped" },
      { id: "notifications", status: "skipped" },
    ]);
    expect((await anna.ask("GET", "/api/audit")).json.events).toMatchObject([
      { actor: "anna" },
      { actor: "anna" },
    ]);
  });
});

it("has a socket for the owner of its folder, with accounts and no studies", async () => {
  const owners = await listenForOwner(made.stateFolder, made.context);
  const path = join(made.stateFolder, "console.sock");
  const statusOf = (url: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      httpRequest({ socketPath: path, path: url }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
  try {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await statusOf("/api/accounts")).toBe(200);
    expect(await statusOf("/api/studies")).toBe(404);
  } finally {
    await owners.close();
  }
});
