import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { type AgentAnswers, type AgentInterface, agentAnswers } from "@consilium/core/hospital/agentApi";
import type { AgentAsks, AgentRequest } from "@consilium/core/hospital/agentRequests";
import { approvalRecordSchema } from "@consilium/core/hospital/approvalRecords";
import { explainedStudyView } from "@consilium/core/hospital/explainedStudy";
import { formatProfile } from "@consilium/core/hospital/profileText";
import { explainedStudySchema } from "@consilium/core/hospital/studyViews";
import { protocolVersions } from "@consilium/core/limits";
import { allMethods } from "@consilium/methods-paper/all";
import { agentClient } from "@consilium/runtime/agent/agentClient";
import { inPeoplesWords } from "@consilium/runtime/agent/hospitalAgent";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spend } from "../../testing/ledger/ledger.js";
import { offered, policyText, testAgent, testLog } from "../../testing/socket/agent.js";
import { siteAgent, withoutValues } from "./agent.js";
import { listenOnSocket, requestMaxBytes } from "./server.js";

const { id } = offered;
const study = JSON.parse(offered.text) as unknown;
const by = "anna";

let folder: string;
let made: Awaited<ReturnType<typeof testAgent>>;
let server: Awaited<ReturnType<typeof listenOnSocket>>;
let client: AgentInterface;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-socket-"));
  made = await testAgent(folder);
  const path = join(folder, "agent.sock");
  server = await listenOnSocket(siteAgent(made.context), { path, log: testLog });
  client = agentClient({ socketPath: path, timeoutMs: 20_000 });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** What the agent answers over its socket, which is what the interface's schema says and nothing else. */
async function ask<N extends AgentRequest>(name: N, asked: AgentAsks<N>): Promise<AgentAnswers<N>> {
  const answer = await client[name](asked);
  expect(agentAnswers[name].parse(answer)).toEqual(answer);
  return answer;
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (thrown: unknown) => (thrown as ConsiliumError).code,
  );

describe("the agent's socket", () => {
  it("answers as its schemas say", async () => {
    const { ledger, egress, approvals } = made;
    approvals.wait(offered, 1_800_000_000_000, 1);
    spend(ledger, "other-0123456789", 1);
    const sent = { at: 1, step: "s", what: "w", whom: "a", bytes: 1, sha256: offered.hash, isRoutine: false };
    egress.record({ ...sent, study: id, charge: 3 });
    egress.record({ ...sent, study: null, charge: null });
    const plain = [
      "health",
      "status",
      "changes",
      "doctor",
      "ledger",
      "ledgerSeries",
      "ledgerExport",
      "egress",
      "policy",
      "policyHistory",
      "metrics",
      "consoleSettings",
      "formerAccounts",
      "formerAccountsTaken",
    ] as const;
    for (const name of plain) await ask(name, {});
    await ask("studies", {});
    expect(await ask("answered", { since: 0 })).toEqual([]);
    await ask("study", { id });
    await ask("ledgerVerify", { anchors: [] });
    expect(await ask("ledgerCompact", { before: 1, dryRun: true, by: "anna" })).toMatchObject({ entries: 0 });
    made.spokenProtocol.spoke(protocolVersions.highest + 1);
    await ask("acceptProtocol", { to: protocolVersions.highest, by: "anna" });
    expect((await ask("audit", { after: 0, limit: 10 })).map(({ kind }) => kind)).toContain(
      "accepted an older protocol",
    );
    await ask("profile", { study, values: false });
    await ask("studyProfile", { id });
    expect(await ask("health", {})).toEqual({ connected: false, code: null });
    expect(await ask("egress", {})).toHaveLength(2);
  });

  it("is its owner's alone, and shows no value of a table where the console's container finds it", async () => {
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(join(folder, "agent.sock"))).toBe(0o600);
    const shared = await mkdtemp(join(tmpdir(), "consilium-shared-"));
    const socketPath = join(shared, "agent.sock");
    const another = await listenOnSocket(withoutValues(siteAgent(made.context)), {
      path: socketPath,
      log: testLog,
    });
    expect(await modeOf(socketPath)).toBe(0o600);
    const console = agentClient({ socketPath, timeoutMs: 5_000 });
    expect(await console.health({})).toMatchObject({ code: null });
    const report = await console.profile({ study, values: false });
    expect(report.rows).toBe(3);
    expect(await codeOf(console.profile({ study, values: true }))).toBe("NOT_PERMITTED");
    await another.close();
    await rm(shared, { recursive: true });
  });

  it("is its owner's alone, and closed to who may not open it", async () => {
    const socketPath = join(folder, "agent.sock");
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    await chmod(socketPath, 0);
    // Modes do not bind the superuser.
    const isBound = process.getuid?.() !== 0;
    expect(await codeOf(client.status({}))).toBe(isBound ? "UNREACHABLE" : null);
  });

  it("refuses what is no request of its interface, and says which field is wrong", async () => {
    const raw = (method: string, path: string, body: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const outgoing = httpRequest({ socketPath: join(folder, "agent.sock"), method, path }, (incoming) => {
          let text = "";
          incoming.on("data", (part) => {
            text += part;
          });
          incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
        });
        outgoing.on("error", reject);
        outgoing.end(method === "POST" ? body : undefined);
      });
    expect((await raw("POST", "/v1/status", "{}")).status).toBe(200);
    for (const [method, path] of [
      ["GET", "/v1/status"],
      ["POST", "/v2/status"],
      ["POST", "/v1/status/x"],
      ["POST", "/v1/toString"],
      ["POST", "/v1/__proto__"],
      ["GET", "/api/status"],
    ] as const)
      expect(JSON.parse((await raw(method, path, "{}")).text).code, path).toBe("ADDRESS_UNKNOWN");
    const secret = "4711-of-a-patient";
    for (const [name, body, field] of [
      ["status", "{", "not JSON"],
      ["status", `{"x": "${secret}"}`, "invalid body"],
      ["approve", `{"id": "${secret}"}`, "invalid by"],
      ["approve", `{"id": "x", "by": "line\\nbreak ${secret}"}`, "invalid by"],
      ["refuse", `{"id": "x", "by": "anna", "reason": 5}`, "invalid reason"],
      ["audit", `{"after": -1, "limit": 5}`, "invalid after"],
      ["reconcile", `{"by": "anna", "charge": 0}`, "invalid charge"],
    ] as const) {
      const { status, text } = await raw("POST", `/v1/${name}`, body);
      expect([status, JSON.parse(text).code]).toEqual([400, "FIELD_INVALID"]);
      expect(english(JSON.parse(text).message)).toContain(field);
      expect(text).not.toContain(secret);
    }
  });

  it("reads no body beyond its limit, and answers on", async () => {
    const long = "x".repeat(requestMaxBytes);
    expect(["MESSAGE_TOO_LARGE", "UNREACHABLE"]).toContain(
      await codeOf(client.profile({ study: long, values: false })),
    );
    expect(await ask("health", {})).toMatchObject({ connected: false });
  });

  it("shows a study's deciding rule, outgoing data, and effect on the budget", async () => {
    const { ledger, approvals } = made;
    spend(ledger, "other-0123456789", 1);
    approvals.wait(offered, 1_800_000_000_000, 1);
    const view = explainedStudyView(await ask("study", { id }), allMethods);
    expect(explainedStudySchema.parse(structuredClone(view))).toEqual(view);
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

  it("shows counts of the table, and values only to who asks for them", async () => {
    const counts = await ask("profile", { study, values: false });
    expect(counts.columns).toMatchObject([{ name: "age", below: 1, above: 2, min: null, max: null }]);
    expect(JSON.stringify(counts)).not.toContain(".25");
    const full = await ask("profile", { study, values: true });
    expect(full.columns).toMatchObject([{ min: 33.25, mean: 44.25, max: 55.25, stdDev: 11.25 }]);
    expect(formatProfile(full)).toContain("33.25");
    made.approvals.wait(offered, 1_800_000_000_000, 1);
    const offeredProfile = JSON.stringify(await ask("studyProfile", { id }));
    for (const value of [".25", "-9", "999"]) expect(offeredProfile).not.toContain(value);
  });

  it("passes on why a study cannot be approved, and writes down only what was done", async () => {
    made.approvals.wait(offered, 5, 1);
    expect(await codeOf(client.approve({ id, by }))).toBe("APPROVAL_LATE");
    expect(await codeOf(client.study({ id: "nobody-9876543210" }))).toBe("STUDY_UNKNOWN");
    expect(await ask("audit", { after: 0, limit: 10 })).toEqual([]);
    await ask("refuse", { id, by, reason: null });
    const lines = await ask("audit", { after: 0, limit: 10 });
    expect(lines).toMatchObject([{ id: 1, actor: by, kind: "refused the study", study: id }]);
    expect(await ask("audit", { after: 1, limit: 10 })).toEqual([]);
  });

  it("keeps what was shown to who refuses, with the facts of that moment, also where the policy cannot be read", async () => {
    made.approvals.wait(offered, 1_800_000_000_000, 1);
    const { terms } = await client.study({ id });
    const shown = { ...terms, language: "de" as const, software: "0.0.9", texts: ["Ablehnen?"] };
    await ask("refuse", { id, by, reason: "no vote", shown });
    const { records } = await ask("approvalRecords", { id });
    const kept = records.map(({ text, entry }) => {
      expect(entry?.record).toBe(sha256(text));
      return approvalRecordSchema.parse(JSON.parse(text));
    });
    // Another build has shown it, which keeps nobody from refusing.
    expect(kept).toMatchObject([{ decision: "refused", by, inPlaceOf: null, reason: "no vote", shown }]);
    expect(kept[0]!.facts).toMatchObject({ id, text: offered.text, terms });
    expect(sha256("consilium plan v3\n", kept[0]!.plan!)).toBe(terms.planHash);
    await writeFile(join(folder, "policy.yaml"), "minimumSite: 3\n");
    expect(await codeOf(client.refuse({ id, by, reason: null }))).toBe("POLICY_INVALID");
    const last = (await ask("approvalRecords", { id })).records.at(-1)!;
    expect(JSON.parse(last.text)).toMatchObject({
      decision: "refused",
      plan: null,
      facts: { text: offered.text },
    });
    expect(made.ledger.verify().ok).toBe(true);
  });

  it("hands accounts of an earlier version over, and drops them when the console has them", async () => {
    const { store } = made;
    store.run(
      "INSERT INTO accounts (name, role, password, created_at) VALUES ('ada', 'administrator', 'hash', 1)",
    );
    store.run("INSERT INTO sessions (hash, account, created_at, used_at) VALUES ('h', 'ada', 1, 2)");
    const former = await ask("formerAccounts", {});
    expect(former.accounts).toMatchObject([{ name: "ada", password: "hash", oidc_issuer: null }]);
    expect(former.sessions).toMatchObject([{ hash: "h", account: "ada" }]);
    await ask("formerAccountsTaken", {});
    expect(Object.values(await ask("formerAccounts", {})).flat()).toEqual([]);
  });
});

describe("the policy", () => {
  it("try a policy out on the studies that wait, without saving it", async () => {
    const { approvals } = made;
    approvals.wait(offered, 1_800_000_000_000, 1);
    const edited = "approval: automatic\nperStudy: { epsilon: 0.1, delta: 1.0e-6 }\n";
    const check = await ask("policyCheck", { text: edited });
    expect(check.faults).toEqual([]);
    expect(check.waiting).toMatchObject([
      { id, present: { outcome: "person" }, edited: { outcome: "refused", rule: "perStudy.epsilon" } },
    ]);
    expect(await readFile(join(folder, "policy.yaml"), "utf8")).toBe(policyText);
    const faulty = await ask("policyCheck", { text: "aproval: person\n" });
    expect(faulty.faults).toMatchObject([{ line: 1 }]);
    expect(faulty.waiting).toEqual([]);
  });

  it.each([
    ["anchors", "&a ".repeat(50_000), "more than 100 anchors"],
    ["brackets", "[".repeat(150_000), "more than 32 levels of nesting"],
    ["keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n"), "more than 2000 keys"],
  ])("refuse a policy's text of %s, tried or saved", async (_, text, message) => {
    const check = await ask("policyCheck", { text });
    expect(check.faults).toMatchObject([{ line: null, message: expect.stringContaining(message) }]);
    const saved = client.policySave({ text, version: null, by });
    await expect(saved).rejects.toMatchObject({ code: "POLICY_INVALID" });
    await expect(saved).rejects.toThrow(message);
    const agent = inPeoplesWords(client, async () => allMethods);
    expect(await codeOf(agent.profile({ study: text, values: false }))).toBe("STUDY_INVALID");
  });

  it("list the faults of an edited policy in the order of their lines, and a hundred at most", async () => {
    const text = `variants: [all]\n${Array.from({ length: 300 }, (_, i) => `k${i}: 1`).join("\n")}\nminimumSites: 2\n`;
    const { faults } = await ask("policyCheck", { text });
    expect(faults).toHaveLength(100);
    expect(faults.slice(0, 3).map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it("warn of budgets that are spent, raised or left behind", async () => {
    const { ledger } = made;
    spend(ledger, "other-0123456789", 10);
    const warnings = async (edited: string) =>
      (await ask("policyCheck", { text: edited })).warnings.join("\n");
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
    const before = await ask("policy", {});
    expect(before.text).toBe(policyText);
    const edited = `${policyText}minimumSites: 4 # more\n`;
    const after = await ask("policySave", { text: edited, version: before.version, by });
    expect(after.text).toBe(edited);
    expect(after.status.state).toBe("read");
    expect(await codeOf(client.policySave({ text: edited, version: before.version, by }))).toBe(
      "POLICY_CHANGED",
    );
    const [kept] = await ask("policyHistory", {});
    expect(kept).toMatchObject({ replacedBy: "anna" });
    const version = await ask("policyVersion", { id: kept!.id });
    expect(version.text).toBe(policyText);
    expect(await codeOf(client.policyVersion({ id: "../policy" }))).toBe("ADDRESS_UNKNOWN");
    expect(await ask("audit", { after: 0, limit: 9 })).toMatchObject([
      { actor: "anna", kind: "changed the policy" },
    ]);
  });
});

it("says what the data-protection document is made from, without a person's name", async () => {
  const { ledger } = made;
  spend(ledger, id, 1);
  const facts = await ask("protectionFacts", {});
  expect(facts.populations).toMatchObject([{ name: "default", limit: 2 }]);
  expect(facts.populations[0]!.spent).toBeGreaterThan(0);
});
