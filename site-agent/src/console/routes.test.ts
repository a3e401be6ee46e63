import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { DataProtectionView } from "@consilium/core/hospital/dataProtectionViews";
import type { SiteEventView } from "@consilium/core/hospital/eventViews";
import type { PolicyCheckView, PolicyView } from "@consilium/core/hospital/policyViews";
import type { ProfileView } from "@consilium/core/hospital/profileViews";
import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { roleTable } from "@consilium/runtime/http/openapi";
import type { Role } from "@consilium/runtime/http/roles";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spend } from "../../testing/ledger/ledger.js";
import { routeHospital } from "./api.js";
import type { ProfileOptions } from "./studyRoutes.js";
import { offered, policyText, testConsole, testLog } from "./testConsole.js";

const { id } = offered;

let folder: string;
let server: HttpServer;
let role: Exclude<Role, "public">;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-console-"));
  role = "administrator";
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** The routes alone, whoever asks. */
async function serve(options?: ProfileOptions) {
  const made = await testConsole(folder);
  server = await createHttpServer({
    log: testLog,
    verifyAnswers: true,
    access: (_, asked) => {
      if (role === "approver" && asked === "administrator")
        throw new ConsiliumError("NOT_PERMITTED", "only an administrator may");
      return { name: "anna", role };
    },
  });
  routeHospital(server, made.context, options);
  return made;
}

async function ask<T>(method: "GET" | "POST" | "PUT", url: string, body?: object): Promise<T> {
  const answer = await server.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json() as T;
}

describe("the console's routes", () => {
  it("are an administrator's where the site itself is changed, and an approver's otherwise", async () => {
    await serve();
    const table = roleTable(server);
    expect(table.filter((line) => !line.endsWith(" approver"))).toEqual([
      "GET /openapi.json public",
      "POST /api/ledger/reconcile administrator",
      "PUT /api/policy administrator",
    ]);
    expect(table).toContain("POST /api/studies/:id/approve approver");
    role = "approver";
    const saved = await server.inject({ method: "PUT", url: "/api/policy", payload: {} });
    expect(saved.statusCode).toBe(403);
  });

  it("answer as their schemas say", async () => {
    const { ledger, egress, approvals } = await serve();
    approvals.wait(offered, 1_800_000_000_000, 1);
    spend(ledger, "other-0123456789", 1);
    const sent = { at: 1, step: "s", what: "w", whom: "a", bytes: 1, sha256: offered.hash, isRoutine: false };
    egress.record({ ...sent, study: id, charge: 3 });
    egress.record({ ...sent, study: null, charge: null });
    for (const path of [
      "status",
      "doctor",
      "studies",
      `studies/${id}`,
      "ledger",
      "ledger/series",
      "ledger/verify",
      "egress",
    ])
      await ask("GET", `/api/${path}`);
    for (const path of ["policy", "policy/history"]) await ask("GET", `/api/${path}`);
    await ask("POST", "/api/profile", { study: offered.text });
    await ask("POST", `/api/studies/${id}/profile`);
    const csv = await server.inject({ method: "GET", url: "/api/egress/export" });
    expect(csv.headers["content-disposition"]).toContain("egress.csv");
    expect(csv.body.split("\r\n")).toHaveLength(4);
  });

  it("say of a study which rule decides, what leaves, and what it does to the budget", async () => {
    const { ledger, approvals } = await serve();
    spend(ledger, "other-0123456789", 1);
    approvals.wait(offered, 1_800_000_000_000, 1);
    const view = await ask<ExplainedStudyView>("GET", `/api/studies/${id}`);
    expect(view.decision).toMatchObject({ outcome: "person", rule: "approval" });
    expect(view.leaving.length).toBeGreaterThan(0);
    expect(view.leaving[0]!.formWords).toContain("only the sum over at least 3 hospitals");
    const { before, after, limit, fits } = view.budget!;
    expect(limit).toBe(2);
    expect(fits).toBe(true);
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);
    expect(JSON.stringify(view.explanation)).toContain("In words:");
  });

  it("show counts of the table, and nothing that could be one patient's value", async () => {
    await serve();
    const { report, text } = await ask<ProfileView>("POST", "/api/profile", { study: offered.text });
    expect(report.columns).toMatchObject([{ name: "age", below: 1, above: 2, min: null, max: null }]);
    expect(`${JSON.stringify(report)}${text}`).not.toContain(".25");
  });

  it("show them to the state folder's owner, who can read the table", async () => {
    await serve({ showsValues: true });
    const { report, text } = await ask<ProfileView>("POST", "/api/profile", { study: offered.text });
    expect(report.columns).toMatchObject([{ min: 33.25, mean: 44.25, max: 55.25, stdDev: 11.25 }]);
    expect(text).toContain("33.25");
  });

  it("pass on why a study cannot be approved", async () => {
    const { approvals } = await serve();
    approvals.wait(offered, 5, 1);
    const answer = await server.inject({ method: "POST", url: `/api/studies/${id}/approve` });
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: "APPROVAL_LATE" });
    const unknown = await server.inject({ method: "GET", url: "/api/studies/nobody-9876543210" });
    expect(unknown.statusCode).toBe(404);
  });

  it("stream what is different", async () => {
    await serve();
    const address = await server.listen({ host: "127.0.0.1", port: 0 });
    const stop = new AbortController();
    const response = await fetch(`${address}/api/events`, { signal: stop.signal });
    const { value } = await response.body!.getReader().read();
    stop.abort();
    const first = JSON.parse(Buffer.from(value!).toString().replace("data: ", "")) as SiteEventView;
    expect(first).toMatchObject({ connected: false, waiting: 0, ledger: "1", egress: "0" });
  });
});

describe("the policy's routes", () => {
  it("try a policy out on the studies that wait, without saving it", async () => {
    const { approvals } = await serve();
    approvals.wait(offered, 1_800_000_000_000, 1);
    const edited = "approval: automatic\nperStudy: { epsilon: 0.1, delta: 1.0e-6 }\n";
    const check = await ask<PolicyCheckView>("POST", "/api/policy/check", { text: edited });
    expect(check.faults).toEqual([]);
    expect(check.waiting).toMatchObject([
      { id, present: { outcome: "person" }, edited: { outcome: "refused", rule: "perStudy.epsilon" } },
    ]);
    expect(await readFile(join(folder, "policy.yaml"), "utf8")).toBe(policyText);
    const faulty = await ask<PolicyCheckView>("POST", "/api/policy/check", { text: "aproval: person\n" });
    expect(faulty.faults).toMatchObject([{ line: 1 }]);
    expect(faulty.waiting).toEqual([]);
  });

  it.each([
    ["anchors", "&a ".repeat(50_000), "more than 100 anchors"],
    ["brackets", "[".repeat(150_000), "more than 32 levels of nesting"],
    ["keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n"), "more than 2000 keys"],
  ])("refuse a policy's text of %s, tried or saved", async (_, text, message) => {
    await serve();
    const check = await ask<PolicyCheckView>("POST", "/api/policy/check", { text });
    expect(check.faults).toMatchObject([{ line: null, message: expect.stringContaining(message) }]);
    const saved = await server.inject({
      method: "PUT",
      url: "/api/policy",
      payload: { text, version: null },
    });
    expect([saved.statusCode, saved.json().code]).toEqual([400, "POLICY_INVALID"]);
    expect(saved.json().message).toContain(message);
    const profile = await server.inject({ method: "POST", url: "/api/profile", payload: { study: text } });
    expect([profile.statusCode, profile.json().code]).toEqual([400, "STUDY_INVALID"]);
  });

  it("list the faults of an edited policy in the order of their lines, and a hundred at most", async () => {
    await serve();
    const text = `variants: [all]\n${Array.from({ length: 300 }, (_, i) => `k${i}: 1`).join("\n")}\nminimumSites: 2\n`;
    const { faults } = await ask<PolicyCheckView>("POST", "/api/policy/check", { text });
    expect(faults).toHaveLength(100);
    expect(faults.slice(0, 3).map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it("warn of budgets that are spent, raised or left behind", async () => {
    const { ledger } = await serve();
    spend(ledger, "other-0123456789", 10);
    const warnings = async (edited: string) =>
      (await ask<PolicyCheckView>("POST", "/api/policy/check", { text: edited })).warnings.join("\n");
    expect(await warnings("populations:\n  default: { epsilon: 0.1 }\n")).toContain(
      "already spent more than",
    );
    expect(await warnings("populations:\n  default: { epsilon: 9 }\n")).toContain("9 in place of 2");
    expect(await warnings("populations:\n  default: { epsilon: unlimited }\n")).toContain(
      "no limit any more",
    );
    const elsewhere = await warnings(
      "populations:\n  default: { epsilon: 2 }\n  ours: { tables: [visits, x], epsilon: 1 }\n",
    );
    expect(elsewhere).toContain("visits moves from population default to ours");
    expect(elsewhere).toContain("counts against both");
    expect(await warnings("populations:\n  ours: { tables: [x], epsilon: 1 }\n")).toContain(
      "Table visits belongs to no population",
    );
    expect(elsewhere).toContain("table x, which config.yaml does not have");
    expect(await warnings(policyText)).toBe("");
  });

  it("save, keep what was replaced, and refuse what was edited from another version", async () => {
    await serve();
    const before = await ask<PolicyView>("GET", "/api/policy");
    expect(before.text).toBe(policyText);
    const edited = `${policyText}minimumSites: 4 # more\n`;
    const after = await ask<PolicyView>("PUT", "/api/policy", { text: edited, version: before.version });
    expect(after.text).toBe(edited);
    expect(after.status.state).toBe("read");
    const stale = await server.inject({
      method: "PUT",
      url: "/api/policy",
      payload: { text: edited, version: before.version },
    });
    expect(stale.statusCode).toBe(409);
    expect(stale.json()).toMatchObject({ code: "POLICY_CHANGED" });
    const [kept] = await ask<{ id: string; replacedBy: string }[]>("GET", "/api/policy/history");
    expect(kept).toMatchObject({ replacedBy: "anna" });
    const version = await ask<{ text: string }>("GET", `/api/policy/history/${kept!.id}`);
    expect(version.text).toBe(policyText);
    const elsewhere = await server.inject({ method: "GET", url: "/api/policy/history/..%2Fpolicy" });
    expect(elsewhere.statusCode).toBe(404);
  });
});

describe("the data-protection document", () => {
  it("is there for an approver, as JSON and to download", async () => {
    const { ledger } = await serve();
    role = "approver";
    spend(ledger, id, 1);
    const { document, markdown } = await ask<{ document: DataProtectionView; markdown: string }>(
      "GET",
      "/api/data-protection",
    );
    expect(document.populations).toMatchObject([{ name: "default", limit: 2 }]);
    expect(document.populations[0]!.spent).toBeGreaterThan(0);
    const file = await server.inject({ method: "GET", url: "/api/data-protection/export" });
    expect(file.body).toBe(markdown);
    expect(file.headers).toMatchObject({
      "content-type": "text/markdown; charset=utf-8",
      "content-disposition": 'attachment; filename="data-protection-st-mary-2026-03-01.md"',
    });
  });
});
