import { openStore } from "@consilium/runtime/store/store";
import { expect, it } from "vitest";
import { fakeAgent, testLog } from "../testing/console.js";
import { AuditLog } from "./auditLog.js";
import { migrations } from "./schema.js";

const line = (id: number) => ({ id, at: id, actor: "anna", kind: `k${id}`, study: null, detail: "" });

it("has the agent's lines once each, in one order with its own", async () => {
  const lines = [line(1), line(2)];
  const { agent, answers } = fakeAgent({
    audit: ({ after }: { after: number }) => lines.filter(({ id }) => id > after),
  });
  const store = openStore(":memory:", migrations);
  const log = new AuditLog({ store, agent, now: () => 7, log: testLog });
  await log.copyFromAgent();
  log.record({ actor: "bert", kind: "signed in", detail: "" });
  lines.push(line(3));
  await Promise.all([log.copyFromAgent(), log.copyFromAgent()]);
  await log.copyFromAgent();
  const kinds = () => log.page({ limit: 10 }).map(({ kind }) => kind);
  expect(kinds()).toEqual(["k3", "signed in", "k2", "k1"]);
  // An agent that is away loses nothing: its lines come when it is back.
  const { audit } = answers;
  delete answers.audit;
  lines.push(line(4));
  await log.copyFromAgent();
  expect(kinds()).toHaveLength(4);
  answers.audit = audit;
  await log.copyFromAgent();
  expect(kinds()[0]).toBe("k4");
  expect(log.page({ limit: 10, actor: "bert" })).toMatchObject([{ at: 7, kind: "signed in" }]);
});

it("copies more lines than come at once", async () => {
  const lines = Array.from({ length: 2_500 }, (_, index) => line(index + 1));
  const { agent, asked } = fakeAgent({
    audit: ({ after, limit }: { after: number; limit: number }) => lines.slice(after, after + limit),
  });
  const store = openStore(":memory:", migrations);
  const log = new AuditLog({ store, agent, now: () => 7, log: testLog });
  await log.copyFromAgent();
  expect(store.get("SELECT count(*) AS n FROM audit")?.n).toBe(2_500);
  expect(asked).toHaveLength(3);
});

it("has every line of an agent whose store was set back to an older copy", async () => {
  let lines = [line(1), line(2), line(3)];
  const { agent } = fakeAgent({
    audit: ({ after }: { after: number }) => lines.filter(({ id }) => id > after),
  });
  const store = openStore(":memory:", migrations);
  const log = new AuditLog({ store, agent, now: () => 7, log: testLog });
  await log.copyFromAgent();
  lines = [line(1)];
  await log.copyFromAgent();
  lines.push({ ...line(2), at: 90, kind: "after the copy" });
  await log.copyFromAgent();
  lines.push({ ...line(3), at: 91, kind: "and later" });
  await log.copyFromAgent();
  const kinds = log.page({ limit: 10 }).map(({ kind }) => kind);
  expect(kinds).toEqual(["and later", "after the copy", "k3", "k2", "k1"]);
});
