import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StageId, StudyId } from "@consilium/core/ids";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { createLogger } from "@consilium/runtime/log";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  cost,
  restored,
  spend,
  testLedger,
  unbounded,
  unitEvent,
  unitRho,
} from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { SiteRecords } from "../studies/records.js";
import { Anchors, anchorFileName } from "./anchors.js";
import { EgressLog } from "./egressLog.js";
import { keptInFile } from "./report.js";
import { egressNow, type LedgerContext, ledgerNow, reconciled, verified } from "./requests.js";
import { spentUnder } from "./spending.js";

const study = "vitals-0123456789" as StudyId;
const hash = sha256("of something");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-routes-"));
  await writeFile(
    join(folder, policyFileName),
    "populations:\n  default: {epsilon: 1, delta: 1.0e-6}\n  children: {tables: [wards], epsilon: 0.5, delta: 1.0e-6}\n",
  );
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What an agent answers from: a ledger, in this state folder. */
function serve({ ledger, store, owner }: ReturnType<typeof testLedger>) {
  const records = new SiteRecords(store);
  const egress = new EgressLog(store);
  const anchors = new Anchors(folder);
  const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });
  const context: LedgerContext = {
    ledger,
    anchors,
    records,
    egress,
    policy: new PolicyFile(join(folder, policyFileName)),
    knownTables: unresolvedTables([]),
    stateFolder: folder,
    fingerprint: () => sha256(owner.signingPublicKey),
    now: () => 5,
    log,
  };
  return { records, egress, anchors, context };
}

const joined = {
  contentHash: hash,
  rows: 10,
  exchangeKey: new Uint8Array(32),
  joinSignature: new Uint8Array(64),
};

function joinStudy(records: SiteRecords, id: StudyId): void {
  records.join({ id, hash, text: "{}", name: "vitals" }, { ...joined, exchangeSecret: new Uint8Array(9) }, 1);
}

describe("the ledger", () => {
  it("shows each population by its own budget, rounded against the hospital", async () => {
    const made = testLedger();
    const { context } = serve(made);
    const { ledger } = made;
    spend(ledger, "a-0123456789", 1);
    spend(ledger, "b-0123456789", 2, "children");
    ledger.reserve({
      study: "c-0123456789",
      population: "children",
      limit: null,
      stages: [cost("x", unitEvent(2))],
    });
    ledger.reserve({
      study: "d-0123456789",
      population: "gone",
      limit: null,
      sources: ["0123456789abcdef"],
      stages: [cost("x", unbounded)],
    });
    ledger.commit("d-0123456789", "x", 1);
    const view = ledgerNow(context);
    const [children, byDefault, gone] = ["children", "default", "gone"].map(
      (name) => view.populations.find((one) => one.name === name)!,
    );
    expect(children).toMatchObject({ tables: ["wards"], limit: 0.5, unbounded: 0 });
    // Together they are within the limit, and what remains is no more than the rest.
    expect(children!.spent + children!.reserved + children!.remaining!).toBeCloseTo(0.5, 8);
    expect(children!.spent + children!.reserved + children!.remaining!).toBeLessThanOrEqual(0.5 + 2e-9);
    expect(byDefault!.spent).toBeGreaterThan(0);
    expect(byDefault!.spent).toBeLessThan(children!.spent);
    // A population that the policy no longer names keeps what it has spent.
    expect(gone).toMatchObject({ limit: null, remaining: null, spent: 0, unbounded: 1 });
    expect(view.behind).toBeNull();
    expect(view.entries.map(({ kind }) => kind)).toEqual([
      "open",
      "reserve",
      "commit",
      "reserve",
      "commit",
      "reserve",
      "reserve",
      "commit",
    ]);
    expect(view.entries.at(-1)!.cost).toEqual({ epsilon: null, delta: 1e-6, unit: "row", claimedEpsilon: 1 });
  });
});

describe("the egress log", () => {
  it("says what each thing cost, by the entry that charged it", async () => {
    const made = testLedger();
    const { egress, context } = serve(made);
    spend(made.ledger, study, 4);
    const entry = made.ledger.head().sequence;
    const left = { at: 7, study, step: "moments" as StageId, whom: "the aggregator", bytes: 8, sha256: hash };
    egress.record({ ...left, what: "keys", charge: null, isRoutine: false });
    egress.record({ ...left, what: "masked vector", charge: entry, isRoutine: false });
    const [keys, vector] = await egressNow(context);
    expect(keys).toMatchObject({ what: "keys", charge: null, at: new Date(7).toISOString() });
    expect(vector!.charge).toMatchObject({ entry, population: "default", delta: 1e-6 });
    expect((vector!.charge as { epsilon: number }).epsilon).toBeGreaterThan(0);
  });
});

describe("verifying", () => {
  it("reads what is stored, and names what was changed there", async () => {
    const made = testLedger();
    const { context } = serve(made);
    spend(made.ledger, study, 1);
    const { sequence, hash: head } = made.ledger.head();
    const report = await verified(context, [`${sequence}:${head}`, `1:${"0".repeat(16)}`]);
    expect(report.anchors).toMatchObject([{ state: "held" }, { state: "missing" }]);
    await expect(inEnglish(verified(context, ["x"]))).rejects.toThrow("an anchor is written");
    made.store.run("UPDATE ledger SET entry = replace(entry, 'only', 'oily') WHERE sequence = 2");
    await expect(verified(context, [])).rejects.toThrow("ledger entry 2");
    expect(() =>
      made.ledger.reserve({ study, population: "default", limit: null, stages: [cost("y", unbounded)] }),
    ).toThrow();
  });
});

describe("reconciling", () => {
  it("charges what is missing and ends the studies that the old copy is in", async () => {
    const newest = testLedger();
    spend(newest.ledger, "a-0123456789", 1);
    const copy = restored(newest);
    spend(newest.ledger, "b-0123456789", 4);
    const { records, anchors, context } = serve(copy);
    joinStudy(records, study);
    copy.ledger.reserve({
      study,
      population: "default",
      limit: null,
      stages: [cost("moments", unitEvent(1))],
    });
    copy.ledger.accept(newest.ledger.anchor());

    const { behind } = ledgerNow(context);
    expect(behind).toMatchObject({
      sequence: newest.ledger.head().sequence,
      lost: [{ population: "default" }],
    });
    const report = await verified(context, []);
    expect(report.anchors).toMatchObject([{ from: "the aggregator", state: "missing" }]);

    const answer = await reconciled(context, null);
    expect(answer).toMatchObject({ abandoned: [study], entries: [newest.ledger.head().sequence + 1] });
    expect(copy.ledger.behind).toBeNull();
    expect(spentUnder("default", copy.ledger.totals.bookings()).rho).toBeGreaterThanOrEqual(5 * unitRho);
    expect(copy.ledger.stage(study, "moments", 1)).toBeNull();
    expect(records.study(study)).toMatchObject({
      status: "cancelled",
      exchangeSecret: null,
      localCode: "LEDGER_BEHIND",
    });
    // The anchor beside the database is the reconciled ledger's.
    await anchors.keep(copy.ledger);
    const [kept] = keptInFile(folder);
    expect(kept).toMatchObject({ from: anchorFileName, head: { head: copy.ledger.signedHead().head } });
    const after = await verified(context, []);
    expect(after.anchors).toMatchObject([{ from: anchorFileName, state: "held" }]);

    const again = await reconciled(context, null);
    expect(again).toMatchObject({ abandoned: [], entries: [] });
  });

  it("charges a person's word to every population, where only the place of a head is known", async () => {
    const newest = testLedger();
    spend(newest.ledger, "a-0123456789", 1);
    const copy = restored(newest);
    spend(newest.ledger, "b-0123456789", 4);
    const { context } = serve(copy);
    copy.ledger.accept(newest.ledger.signedHead());
    expect(ledgerNow(context).behind).toMatchObject({ isKnown: false, lost: [] });
    const refused = reconciled(context, null);
    await expect(inEnglish(refused)).rejects.toMatchObject({
      code: "LEDGER_BEHIND",
      remedy: expect.stringContaining("ledger reconcile --charge <epsilon>"),
    });
    expect(copy.ledger.behind).not.toBeNull();
    const charged = await reconciled(context, 0.25);
    for (const name of ["default", "children"]) {
      const { spent } = charged.ledger.populations.find((one) => one.name === name)!;
      expect(spent).toBeGreaterThanOrEqual(0.25);
    }
    expect(copy.ledger.behind).toBeNull();
    expect(copy.ledger.verify().ok).toBe(true);
  });

  it("is one durable write: nothing is charged or ended when a part of it fails", async () => {
    const newest = testLedger();
    const copy = restored(newest);
    spend(newest.ledger, "b-0123456789", 4);
    const { records, context } = serve(copy);
    joinStudy(records, study);
    copy.ledger.accept(newest.ledger.anchor());
    const before = copy.ledger.entries().length;
    copy.store.run("CREATE TRIGGER fails BEFORE UPDATE ON sums BEGIN SELECT RAISE(ABORT, 'disk'); END");
    copy.store.run(
      "CREATE TRIGGER fails_too BEFORE UPDATE ON studies BEGIN SELECT RAISE(ABORT, 'disk'); END",
    );
    await expect(reconciled(context, null)).rejects.toThrow("disk");
    expect(copy.ledger.entries().length).toBe(before);
    expect(copy.ledger.behind).not.toBeNull();
    expect(records.study(study)!.status).toBe("joined");
    expect(inEnglish(() => spend(copy.ledger, "c-0123456789", 1))).toThrow("does not hold");
  });
});
