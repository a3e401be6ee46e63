/** A site that is set back to an old copy of its store in the middle of a study: its old keys answer nothing more. */
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { outboundBytes } from "@consilium/proto/frames";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { studyOfSums } from "../support/ledgerKills.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["alpha", "beta", "gamma"];
let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ alpha: 300, beta: 300, gamma: 300 });
});
afterAll(() => federation?.remove());

const gamma = () => federation.site("gamma");

/** The store alone: the anchor beside it is not set back. */
async function copyStore(from: string, to: string): Promise<void> {
  const isStore = (name: string) => name.startsWith("state.db");
  await mkdir(to, { recursive: true });
  for (const name of (await readdir(to)).filter(isStore)) await rm(join(to, name));
  for (const name of (await readdir(from)).filter(isStore)) await copyFile(join(from, name), join(to, name));
}

interface Left {
  readonly step: string;
  readonly what: string;
  readonly sha256: string;
}

function leftFor(study: string): Left[] {
  const rows = stored(gamma(), "SELECT step, what, sha256 FROM egress WHERE study = ? ORDER BY id", study);
  return rows.map(({ step, what, sha256 }) => ({
    step: String(step),
    what: String(what),
    sha256: String(sha256),
  }));
}

/** That a step is not answered, with the code of an old copy. */
function isRefusal(studyId: string, { step, what, sha256: hash }: Left): boolean {
  const stepFault = { studyId, step, attempt: 1, code: "LEDGER_BEHIND" };
  return what === "fault" && hash === sha256(outboundBytes({ frame: "stepFault", stepFault }));
}

async function ledger(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await federation.local.cli("ledger", ...args, "--state", gamma().state, "--json");
  return JSON.parse(stdout);
}

it("answers no phase of it, charges what it had spent, and takes part in the next one", async () => {
  const study = await federation.local.startStudy(studyOfSums("set-back", sites));
  await federation.event(study, "joined", { site: "gamma" });
  await gamma().stop("SIGKILL");
  const copy = join(federation.home, "old-copy");
  await copyStore(gamma().state, copy);
  const before = leftFor(study.id).length;
  await gamma().start();
  await federation.event(study, "received", { site: "gamma", detail: "pooled-moments" });
  await gamma().stop("SIGKILL");
  const spent = stored(
    gamma(),
    'SELECT count(*) AS commits FROM ledger WHERE entry LIKE \'%"kind":"commit"%\'',
  );
  // The flow of rows, and the first sum of the method.
  expect(spent).toEqual([{ commits: 2 }]);
  const left = leftFor(study.id);
  expect(left.map(({ what }) => what)).toContain("masked vector");

  await copyStore(copy, gamma().state);
  await gamma().start();
  await federation.until("gamma to refuse", async () =>
    leftFor(study.id).some((one) => isRefusal(study.id, one)) ? true : null,
  );
  // The aggregator asks for the next phase, and would have got it under keys that were used.
  expect(
    leftFor(study.id)
      .slice(before)
      .every((one) => isRefusal(study.id, one)),
  ).toBe(true);
  expect(await ledger("reconcile", "--yes")).toMatchObject({
    abandoned: [study.id],
    entries: [expect.any(Number)],
  });
  const { populations } = (await ledger("show")) as { populations: { spent: number; reserved: number }[] };
  expect(populations[0]!.spent).toBeGreaterThan(0);
  expect(populations[0]!.reserved).toBe(0);
  expect(
    leftFor(study.id)
      .slice(before)
      .every((one) => isRefusal(study.id, one)),
  ).toBe(true);

  const { status } = await federation.local.study(study.id);
  if (status !== "failed") await federation.local.cliOrThrow("study", "cancel", study.id);
  await federation.waitForPresence(sites, "online");
  const next = await federation.local.startStudy(studyOfSums("afterwards", sites));
  await federation.ended(next, "released");
  await federation.local.cliOrThrow("ledger", "verify", "--state", gamma().state);
});
