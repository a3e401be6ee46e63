/** A study is cancelled in every step: it ends at once, and no site keeps a secret of it, no matter who was away then. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StudyView } from "@consilium/core/operator/views";
import { inGate } from "@consilium/core/testing/wholeRun";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["one", "two", "three"];
const privacy = { epsilon: 1, delta: 1e-5 };
let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ one: 60_000, two: 20_000, three: 20_000 });
});
afterAll(() => federation?.remove());

function cancel(study: StudyView): Promise<StudyView> {
  return federation.local.api<StudyView>("POST", `/api/studies/${study.id}/cancel`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** What a site still holds of a study, in words; empty when that is nothing. */
async function leftovers(site: string, study: StudyView): Promise<string[]> {
  const member = federation.site(site);
  const [row] = stored(
    member,
    "SELECT status, exchange_secret, setup, ended_at FROM studies WHERE id = ?",
    study.id,
  );
  const found: string[] = [];
  if (await exists(join(member.state, "studies", study.id))) found.push("files");
  if (row === undefined) return found;
  if (row.exchange_secret !== null) found.push("exchange secret");
  if (row.setup !== null) found.push("setup");
  if (row.status !== "cancelled") found.push(`status ${row.status}`);
  return found;
}

async function expectForgotten(study: StudyView, by: readonly string[] = sites): Promise<void> {
  const view = await federation.ended(study, "cancelled");
  expect(view.failure?.code).toBe("STUDY_CANCELLED");
  expect(view.release).toBeNull();
  for (const site of by) {
    await federation.until(`${site} to forget ${study.id}`, async () => {
      const left = await leftovers(site, study);
      if (left.length > 0) throw new Error(`${site} still holds ${left.join(", ")}`);
      return true;
    });
  }
  await federation.until("the aggregator to forget it", async () => {
    return !(await exists(join(federation.aggregator.state, "studies", study.id))) || null;
  });
}

const steps = ["join", "reveal", "projection"];
it.each(inGate(steps, { whole: [...steps, "deal", "moments", "covariance"] }))("in %s", async (step) => {
  const study = await federation.start({ name: `in-${step}`, privacy });
  await federation.opened(study, step);
  // Sites that have joined hold a secret now, so that there is something to forget.
  if (step !== "join") expect((await leftovers("one", study)).length).toBeGreaterThan(0);
  const asked = Date.now();
  await cancel(study);
  await expectForgotten(study);
  expect(Date.now() - asked).toBeLessThan(30_000);
  await expect(cancel(study)).rejects.toMatchObject({ code: "STUDY_STATE" });
});

it("in publish, while the publisher does not answer: nothing is released", async () => {
  const { publisher } = federation.local;
  process.kill(publisher.pid!, "SIGSTOP");
  try {
    const study = await federation.start({ name: "in-publish" });
    await federation.opened(study, "publish");
    await delay(300);
    await cancel(study);
    await expectForgotten(study);
    process.kill(publisher.pid!, "SIGCONT");
    await delay(1_000);
    expect(await readdir(join(publisher.state, "releases"))).not.toContain(study.id);
  } finally {
    process.kill(publisher.pid!, "SIGCONT");
  }
});

it("after it has failed", async () => {
  const study = await federation.start({ name: "failed-before", phaseDeadline: "3s" });
  await federation.opened(study, "moments");
  await federation.site("one").stop("SIGKILL");
  const failed = await federation.ended(study, "failed");
  expect(failed.failure?.code).toBe("PHASE_DEADLINE");
  await cancel(study);
  await expectForgotten(study, ["two", "three"]);
  await federation.site("one").start();
  await expectForgotten(study);
});

it("while a site is dead and the aggregator dies at once: both learn of it on their return", async () => {
  const study = await federation.start({ name: "told-later" });
  await federation.opened(study, "moments");
  // Frozen, the site still looks connected: what is sent to it now is lost with the connection.
  const site = federation.site("one");
  process.kill(site.pid!, "SIGSTOP");
  await cancel(study);
  await federation.ended(study, "cancelled");
  await site.stop("SIGKILL");
  await federation.aggregator.stop("SIGKILL");
  expect((await leftovers("one", study)).length).toBeGreaterThan(0);
  await federation.aggregator.start();
  await expectForgotten(study, ["two", "three"]);
  await site.start();
  await expectForgotten(study);
  await federation.until("every site to have acknowledged", async () => {
    const untold = stored(federation.aggregator, "SELECT site FROM participants WHERE told_end = 0");
    return untold.length === 0 || null;
  });
});

it("leaves a federation that serves the next study", async () => {
  const view = await federation.ended(await federation.start({ name: "afterwards" }), "released");
  await federation.verify(view);
});
