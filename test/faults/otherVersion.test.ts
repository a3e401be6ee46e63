/**
 * A study in the middle, as another version finds it: whether it would continue there is told before the upgrade, from states that are
 * only read; where it would not, the study is paused alone, and continues under the version that it began with.
 */

import { join } from "node:path";
import { openLibsql } from "@consilium/runtime/store/driver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { studyOfSums } from "../support/ledgerKills.js";
import { limitByProgress } from "../support/limitByProgress.js";
import { commitsOf, Staircase } from "../support/secureSums.js";

limitByProgress();

const sites = ["alpha", "beta", "gamma"];
let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ alpha: 300, beta: 300, gamma: 300 });
});
afterAll(() => federation?.remove());

/** Changes the aggregator's store, whose process has ended: what another version would have found or come to. */
function change(sql: string): void {
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

async function checked(role: "aggregator" | "site", state: string) {
  const { code, stdout } = await federation.local.cli("upgrade", "check", role, "--state", state, "--json");
  const { studies } = JSON.parse(stdout) as {
    studies: { id: string; paused: { code: string; message: string } | null }[];
  };
  return { code, studies };
}

it("is told beforehand, paused alone and continued by the version before", async () => {
  const { aggregator, local } = federation;
  const held = await Staircase.start(federation, studyOfSums("in-the-middle", sites), ["alpha", "beta"]);
  const { study } = held;
  await held.holdAt("class-moments");

  const continues = { code: 0, studies: [expect.objectContaining({ id: study.id, paused: null })] };
  expect(await checked("aggregator", aggregator.state)).toEqual(continues);
  expect(await checked("site", federation.site("gamma").state)).toEqual(continues);

  await aggregator.stop("SIGKILL");
  change(`UPDATE studies SET running_plan = replace(running_plan, '"maxAttempts":20', '"maxAttempts":19')`);
  const planned = await checked("aggregator", aggregator.state);
  expect(planned).toMatchObject({ code: 1, studies: [{ id: study.id, paused: { code: "PLAN_DIFFERS" } }] });
  expect(planned.studies[0]!.paused!.message).toContain("first at maxAttempts");
  change(`UPDATE studies SET running_plan = replace(running_plan, '"maxAttempts":19', '"maxAttempts":20')`);

  const ofStage = "stage = 'class-moments'";
  const [told] = stored(aggregator, `SELECT name, sha256 FROM broadcasts WHERE ${ofStage}`);
  change(`UPDATE broadcasts SET sha256 = 'another' WHERE ${ofStage} AND name = '${told!.name}'`);
  const asked = await checked("aggregator", aggregator.state);
  expect(asked).toMatchObject({ code: 1, studies: [{ id: study.id, paused: { code: "REPLAY_DIFFERS" } }] });
  expect(asked.studies[0]!.paused!.message).toContain(`first at ${told!.name}`);

  held.letGo();
  await aggregator.start();
  const waiting = await federation.until("the study to be paused", async () => {
    const view = await local.study(study.id);
    return view.waiting === null ? null : view;
  });
  expect(waiting).toMatchObject({ status: "running", failure: null, waiting: { code: "REPLAY_DIFFERS" } });
  await federation.ended(await local.startStudy(studyOfSums("beside-it", sites)), "released");

  await aggregator.stop("SIGKILL");
  change(`UPDATE broadcasts SET sha256 = '${told!.sha256}' WHERE ${ofStage} AND name = '${told!.name}'`);
  expect(await checked("aggregator", aggregator.state)).toEqual(continues);
  await aggregator.start();
  await federation.verify(await federation.ended(study, "released"));
  for (const site of sites)
    expect(commitsOf(federation.site(site), study.id)).toEqual([
      "flow 1",
      "pooled-moments 1",
      "class-moments 1",
    ]);
});
