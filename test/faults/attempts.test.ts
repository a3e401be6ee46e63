/** What one study may cost a hospital in all its attempts together: real processes, and two sites that stop while they read. */

import type { StudyView } from "@consilium/core/operator/views";
import { epsilonFromRho } from "@consilium/core/privacy/conversions";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writePolicy } from "../../scripts/localFederation.js";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";
import { clippedStudy, Staircase } from "../support/secureSums.js";

limitByProgress();

const delta = 1e-5;
const asked = "anna";
const stopping = ["bodo", "cleo"] as const;
const sites = [asked, ...stopping];

let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ anna: 400, bodo: 500, cleo: 600 });
  await decides({ approval: "person", perStudy: { epsilon: 0.5, delta } });
});
afterAll(() => federation?.remove());

const decides = (keys: object) =>
  writePolicy(federation.site(asked).state, { budget: { epsilon: 10, delta }, maxUnanswered: 5, ...keys });

const cli = (...args: string[]) => federation.local.cli(...args, "--state", federation.site(asked).state);

const study = (name: string) =>
  clippedStudy({ name, sites, form: "one-round", privacy: { epsilon: 0.5, delta }, phaseDeadline: "20s" });

/** ε that the study has cost the hospital, by its ledger. */
function spentBy({ id }: StudyView): number {
  const rho = stored(federation.site(asked), "SELECT entry FROM ledger ORDER BY sequence")
    .map(({ entry }) => JSON.parse(entry as string) as { kind: string; study?: string; rho?: number })
    .filter((entry) => entry.kind === "commit" && entry.study === id)
    .reduce((sum, entry) => sum + entry.rho!, 0);
  return rho === 0 ? 0 : epsilonFromRho({ rho, delta });
}

const statusOf = ({ id }: StudyView) =>
  stored(federation.site(asked), "SELECT status FROM studies WHERE id = ?", id)[0]?.status;

/** By which code the operator was told last that the hospital does not answer. */
const saidBy = ({ id }: StudyView) =>
  stored(
    federation.aggregator,
    "SELECT detail FROM events WHERE study = ? AND site = ? AND kind = 'failed' ORDER BY id DESC",
    id,
    asked,
  )[0]?.detail;

/** The hospital sends its vector; the others are killed before theirs, and start again once the study has failed. */
async function stopWhileReading(held: Staircase): Promise<void> {
  await held.holdAt("class-moments");
  await held.answered(asked);
  await Promise.all(stopping.map((site) => federation.site(site).stop("SIGKILL")));
  await federation.ended(held.study, "failed");
  await Promise.all(stopping.map((site) => federation.site(site).start()));
  await federation.waitForPresence(sites, "online");
}

const resumed = async (view: StudyView) => {
  const ends = () =>
    stored(federation.aggregator, "SELECT id FROM events WHERE study = ? AND kind = 'ended'", view.id).length;
  const before = ends();
  await federation.local.cliOrThrow("study", "resume", view.id);
  await federation.until("the study to end again", async () => ends() > before || null);
  return federation.ended(view, "failed");
};

it("a study that fails again and again costs no more than a person saw, who is asked before it does", async () => {
  const held = await Staircase.start(federation, study("repeated"), stopping);
  const { study: view } = held;
  await federation.until("the study to wait", async () => statusOf(view) === "waiting for approval" || null);
  expect((await cli("site", "show", view.id)).stdout.replace(/\s+/g, " ")).toContain(
    "All attempts together, repeated ones included, cost at most epsilon 0.5 at the population's delta",
  );
  expect(await cli("site", "approve", view.id, "--yes")).toMatchObject({ code: 0 });
  await stopWhileReading(held);
  const once = spentBy(view);
  expect(once).toBeGreaterThan(0.49);
  expect(once).toBeLessThanOrEqual(0.5);

  for (let again = 1; again <= 5; again++) {
    await resumed(view);
    expect(saidBy(view)).toBe("CEILING_REACHED");
    expect(spentBy(view)).toBe(once);
    expect(statusOf(view)).toBe("waiting for approval");
  }

  // The person cannot let it cost more than the policy does.
  expect(await cli("site", "approve", view.id, "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/POLICY_EPSILON.*as much as the policy allows/s),
  });
  await decides({ perStudy: { epsilon: 0.8, delta } });
  expect((await cli("site", "show", view.id)).stdout).toMatch(/cost at most epsilon 0\.7\d* at/);
  expect(await cli("site", "approve", view.id, "--yes")).toMatchObject({ code: 0 });
  await stopWhileReading(await Staircase.resume(federation, view, stopping));
  const twice = spentBy(view);
  expect(twice).toBeGreaterThan(0.7);
  expect(twice).toBeLessThanOrEqual(0.8);
  await resumed(view);
  expect([spentBy(view), statusOf(view)]).toEqual([twice, "waiting for approval"]);

  // The ledger says all of it, and verifies.
  const { stdout } = await cli("ledger", "show");
  expect(stdout.match(/ceiling/g)).toHaveLength(1);
  expect(await cli("ledger", "verify")).toMatchObject({ code: 0 });

  // Refused now, it has left for good.
  expect(await cli("site", "refuse", view.id, "--yes")).toMatchObject({ code: 0 });
  await resumed(view);
  expect(saidBy(view)).toBe("REFUSED_BY_SITE");
  expect([spentBy(view), statusOf(view)]).toEqual([twice, "refused"]);
});

it("a study that a person lets continue is released", async () => {
  await decides({ perStudy: { epsilon: 2, delta } });
  const held = await Staircase.start(federation, study("released"), stopping);
  const { study: view } = held;
  await federation.until("the study to wait", async () => statusOf(view) === "waiting for approval" || null);
  expect(await cli("site", "approve", view.id, "--yes")).toMatchObject({ code: 0 });
  await stopWhileReading(held);
  // One repetition is within what was approved.
  await stopWhileReading(await Staircase.resume(federation, view, stopping));
  expect(spentBy(view)).toBeGreaterThan(0.7);
  await resumed(view);
  expect(statusOf(view)).toBe("waiting for approval");
  expect(await cli("site", "approve", view.id, "--yes")).toMatchObject({ code: 0 });
  await federation.local.cliOrThrow("study", "resume", view.id);
  await federation.ended(view, "released");
  await federation.until("the hospital to hear of it", async () => statusOf(view) === "released" || null);
});

it("studies that end without an answer are counted, and a person decides on the one after five", async () => {
  const automatic = { automatic: { maxEpsilon: 1, maxDelta: delta, variants: ["sound"] } };
  await decides({ approval: automatic, perStudy: { epsilon: 2, delta } });
  /** A study that the hospital answers in this way, and that is cancelled then. */
  const cancelled = async (
    name: string,
    answer: "joined" | "waiting for approval",
    meanwhile = async (_: StudyView) => {},
  ) => {
    const [held] = stopping;
    process.kill(federation.site(held).pid!, "SIGSTOP");
    try {
      const view = await federation.local.startStudy(study(name));
      await federation.until(
        `the hospital to have ${name} ${answer}`,
        async () => statusOf(view) === answer || null,
      );
      await meanwhile(view);
      await federation.local.cliOrThrow("study", "cancel", view.id);
      await federation.until(
        "the hospital to hear of it",
        async () => statusOf(view) === "cancelled" || null,
      );
    } finally {
      process.kill(federation.site(held).pid!, "SIGCONT");
    }
  };
  for (let k = 1; k <= 5; k++) await cancelled(`question-${k}`, "joined");
  expect((await cli("site", "status")).stdout.replace(/\s+/g, " ")).toContain(
    "default: 5 of 5, a person decides on the next: question-5, question-4, question-3, question-2, question-1",
  );
  await cancelled("question-6", "waiting for approval", async ({ id }) => {
    expect((await cli("site", "show", id)).code).toBe(0);
    expect(await cli("site", "approve", id, "--yes")).toMatchObject({ code: 0 });
  });
  // A person has decided: only what ended since counts, and a rule joins again.
  await cancelled("question-7", "joined");
  expect((await cli("site", "status")).stdout).toMatch(/default: 2 of 5: question-7, question-6/);
});
