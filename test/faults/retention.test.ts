/** Old studies: their working data go by themselves, at the aggregator and at sites, and over kills at any moment. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StudyView } from "@consilium/core/operator/views";
import { inGate } from "@consilium/core/testing/wholeRun";
import { openLibsql } from "@consilium/runtime/store/driver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { editConfig, type Member } from "../../scripts/localFederation.js";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const hour = 3_600_000;
/** By how much later a process is killed each time. */
const later = inGate(2.2, { whole: 1.6 });
let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ one: 2_000, two: 2_000, three: 2_000 });
});
afterAll(() => federation?.remove());

/** A study that failed in its second stage, so that every party keeps data to resume it. */
async function failedStudy(name: string): Promise<StudyView> {
  const study = await federation.start({
    name,
    privacy: { epsilon: 1, delta: 1e-5 },
    phaseDeadline: "8s",
    sites: ["one", "two", "three"],
  });
  await federation.opened(study, "covariance");
  await federation.site("three").stop("SIGKILL");
  await federation.site("two").stop("SIGKILL");
  const failed = await federation.ended(study, "failed");
  await federation.site("two").start();
  await federation.site("three").start();
  await federation.waitForPresence(["one", "two", "three"], "online");
  await federation.until("site one to know", async () => statusAt("one", study) === "waiting" || null);
  return failed;
}

function statusAt(site: string, study: StudyView): unknown {
  return stored(federation.site(site), "SELECT status FROM studies WHERE id = ?", study.id)[0]?.status;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Lets time pass for a process that is stopped. */
function age(member: Member, statements: readonly string[]): void {
  const database = openLibsql(join(member.state, "state.db"));
  try {
    for (const sql of statements) database.prepare(sql).run([2 * hour]);
  } finally {
    database.close();
  }
}

it("is removed at the aggregator, which tells the sites, over kills", async () => {
  const study = await failedStudy("expires");
  const { aggregator } = federation;
  expect(await exists(join(aggregator.state, "studies", study.id))).toBe(true);
  await aggregator.stop();
  await editConfig(aggregator.state, (config) => {
    config.retention = { failedStudies: "1h" };
  });
  age(aggregator, ["UPDATE studies SET ended_at = ended_at - ? WHERE status = 'failed'"]);
  // Killed at ever later moments of its start, until it was killed after the removal.
  let kills = 0;
  for (
    let ms = 200;
    stored(aggregator, "SELECT status FROM studies WHERE id = ?", study.id)[0]?.status === "failed";
    ms *= later
  ) {
    const starting = aggregator.start().catch(() => undefined);
    await delay(ms);
    await aggregator.stop("SIGKILL");
    await starting;
    kills++;
  }
  expect(kills).toBeGreaterThan(1);
  await aggregator.start();
  await federation.waitForPresence(["one", "two", "three"], "online");
  expect((await federation.local.study(study.id)).status).toBe("cancelled");
  await federation.until(
    "its files to go",
    async () => !(await exists(join(aggregator.state, "studies", study.id))) || null,
  );
  expect(
    stored(
      aggregator,
      "SELECT actor FROM events WHERE study = ? AND kind = 'removed working data'",
      study.id,
    ),
  ).toEqual([{ actor: null }]);
  for (const site of ["one", "two", "three"])
    await federation.until(
      `${site} to remove its part`,
      async () => statusAt(site, study) === "cancelled" || null,
    );
  await expect(federation.local.api("POST", `/api/studies/${study.id}/resume`)).rejects.toMatchObject({
    code: "STUDY_STATE",
  });
});

it("is removed at a site by its own period, over kills, while the aggregator keeps its part", async () => {
  await federation.aggregator.stop();
  await editConfig(federation.aggregator.state, (config) => {
    delete config.retention;
  });
  await federation.aggregator.start();
  await federation.waitForPresence(["one", "two", "three"], "online");
  const study = await failedStudy("expires-at-one");
  const agent = federation.site("one");
  const ledger = stored(agent, "SELECT count(*) AS entries FROM ledger")[0]!.entries;
  const sent = stored(agent, "SELECT count(*) AS lines FROM egress WHERE study = ?", study.id)[0]!.lines;
  await agent.stop();
  await editConfig(agent.state, (config) => {
    config.retention = { failedStudies: "1h" };
  });
  age(agent, [
    "UPDATE egress SET at = at - ?",
    "UPDATE egress SET last_at = last_at - ?",
    "UPDATE studies SET first_seen_at = first_seen_at - ?",
  ]);
  let kills = 0;
  for (let ms = 200; statusAt("one", study) === "waiting"; ms *= later) {
    const starting = agent.start().catch(() => undefined);
    await delay(ms);
    await agent.stop("SIGKILL");
    await starting;
    kills++;
  }
  expect(kills).toBeGreaterThan(1);
  await agent.start();
  await federation.waitForPresence(["one"], "online");
  expect(statusAt("one", study)).toBe("cancelled");
  const [row] = stored(agent, "SELECT exchange_secret, setup FROM studies WHERE id = ?", study.id);
  expect(row).toMatchObject({ exchange_secret: null, setup: null });
  const folders = await readdir(join(agent.state, "studies")).catch(() => []);
  expect(folders).not.toContain(study.id);
  expect(
    stored(agent, "SELECT actor FROM trail WHERE study = ? AND kind = 'removed working data'", study.id),
  ).toEqual([{ actor: "retention" }]);
  // What it sent, and what that cost, stays: the ledger has a line more for what was reserved at most.
  expect(Number(stored(agent, "SELECT count(*) AS entries FROM ledger")[0]!.entries)).toBeGreaterThanOrEqual(
    Number(ledger),
  );
  expect(
    Number(stored(agent, "SELECT count(*) AS lines FROM egress WHERE study = ?", study.id)[0]!.lines),
  ).toBeGreaterThanOrEqual(Number(sent));
  // A study that follows runs.
  const next = await federation.start({ name: "follows", privacy: { epsilon: 1, delta: 1e-5 } });
  await federation.ended(next, "released");
});

it("leaves a ledger's budgets as they are when its old entries are archived, over kills", async () => {
  const agent = federation.site("one");
  const entries = () => Number(stored(agent, "SELECT count(*) AS entries FROM ledger")[0]!.entries);
  const ledger = (verb: string, ...more: string[]) =>
    federation.local.cliOrThrow("ledger", verb, ...more, "--state", agent.state, "--json");
  const budgets = async () => JSON.parse((await ledger("show")).stdout).populations as unknown;
  const underWay = "SELECT id FROM studies WHERE status IN ('waiting for approval', 'joined', 'waiting')";
  await federation.until("every study to end", async () => stored(agent, underWay).length === 0 || null);
  // Entries of the last second stay.
  await delay(1_100);
  const [spent, before] = [await budgets(), entries()];
  expect(before).toBeGreaterThan(4);
  // Killed at ever later moments, until it was killed after the entries had gone.
  let kills = 0;
  for (let ms = 0; entries() === before; ms = 100 + later * ms) {
    const compacting = federation.local.cli(
      "ledger",
      "compact",
      "--before",
      "1s",
      "--yes",
      "--state",
      agent.state,
    );
    await delay(ms);
    await agent.stop("SIGKILL");
    await compacting;
    await agent.start();
    expect(await budgets()).toEqual(spent);
    await ledger("verify");
    kills++;
  }
  expect(kills).toBeGreaterThan(1);
  // A file that an attempt left before its entries had gone is named by no checkpoint.
  const { archives } = JSON.parse((await ledger("verify")).stdout) as { archives: { state: string }[] };
  expect(archives.map(({ state }) => state)).toEqual(["verified"]);
  await federation.waitForPresence(["one", "two", "three"], "online");
  const study = await federation.start({ name: "after-the-archive", privacy: { epsilon: 1, delta: 1e-5 } });
  await federation.verify(await federation.ended(study, "released"));
  expect(await budgets()).not.toEqual(spent);
  await ledger("verify");
});
