import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LedgerPosition } from "@consilium/core/release/countersignature";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restored, spend, testLedger, testOwner } from "../../testing/ledger/ledger.js";
import { Anchors, anchorFileName } from "./anchors.js";
import { isNewest, type Kept, keptInFile, keptPositions, reportOn } from "./report.js";

type Made = ReturnType<typeof testLedger>;

const fingerprintOf = ({ owner }: Pick<Made, "owner">) => sha256(owner.signingPublicKey);

function report(made: Pick<Made, "ledger" | "owner">, kept: readonly Kept[] = []) {
  return unwrap(reportOn(made.ledger.entries(), { fingerprint: fingerprintOf(made), kept }));
}

const positionOf = ({ ledger }: Pick<Made, "ledger">): LedgerPosition => {
  const { sequence, hash } = ledger.head();
  return { sequence, hash };
};

describe("a report on a ledger", () => {
  it("says whose it is, how far it has come and what it has spent", () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 2);
    const { sequence, hash } = made.ledger.head();
    expect(report(made)).toMatchObject({
      federation: "test",
      site: "st-mary",
      entries: 3,
      head: { sequence, hash },
      keys: [fingerprintOf(made)],
      anchors: [],
    });
    expect(report(made).populations[0]!.rho).toBeGreaterThan(0);
  });

  it("wants the key that signs it now, and names it when an earlier one is given", () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const later = testOwner();
    const after = restored(made, later);
    spend(after.ledger, "b-0123456789", 1);
    const entries = after.ledger.entries();
    expect(reportOn(entries, { fingerprint: fingerprintOf(after), kept: [] })).toMatchObject({ ok: true });
    const earlier = reportOn(entries, { fingerprint: fingerprintOf(made), kept: [] });
    expect(earlier.ok ? "" : earlier.error.message).toContain(`was followed by ${fingerprintOf(after)}`);
    const strange = reportOn(entries, { fingerprint: sha256("x"), kept: [] });
    expect(strange).toMatchObject({ ok: false, error: { code: "LEDGER_BROKEN" } });
  });

  it("tells what is held, what was lost and charged for, and what is missing", () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const early = positionOf(made);
    const copy = restored(made);
    spend(made.ledger, "b-0123456789", 1);
    const middle = positionOf(made);
    spend(made.ledger, "c-0123456789", 1);
    const newest = positionOf(made);
    const kept = [early, middle, newest].map((position) => ({ from: "a note", position }));
    const states = (one: typeof made) => report(one, kept).anchors.map(({ state }) => state);

    expect(states(made)).toEqual(["held", "held", "held"]);
    expect(states(copy)).toEqual(["held", "missing", "missing"]);
    expect(isNewest(report(copy, kept))).toBe(false);
    const head = made.ledger.anchor();
    expect(report(copy, [{ from: "a head", head }]).anchors[0]!.state).toBe("missing");

    copy.ledger.accept(head);
    copy.ledger.reconcile();
    expect(states(copy)).toEqual(["held", "reconciled", "reconciled"]);
    expect(report(copy, [{ from: "a head", head }]).anchors[0]!.state).toBe("reconciled");
    spend(copy.ledger, "d-0123456789", 1);
    expect(states(copy)).toEqual(["held", "reconciled", "reconciled"]);
    // The number is the reconciled head's, the hash is not.
    const forged = { sequence: newest.sequence, hash: sha256("forged") };
    expect(report(copy, [{ from: "a note", position: forged }]).anchors[0]!.state).toBe("missing");
    const beyond = { sequence: 1_000, hash: newest.hash };
    expect(report(copy, [{ from: "a note", position: beyond }]).anchors[0]!.state).toBe("missing");
  });

  it("refuses a head that another site has signed", () => {
    const other = testLedger();
    const made = testLedger();
    const kept = [{ from: "a head", head: other.ledger.signedHead() }];
    expect(reportOn(made.ledger.entries(), { fingerprint: fingerprintOf(made), kept })).toMatchObject({
      ok: false,
      error: { code: "LEDGER_HEAD_INVALID" },
    });
  });
});

describe("what is kept", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-kept-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is read from the file beside the ledger, when there is one", async () => {
    const made = testLedger();
    expect(keptInFile(folder)).toEqual([]);
    await new Anchors(folder).keep(made.ledger);
    expect(report(made, keptInFile(folder)).anchors).toEqual([
      { from: anchorFileName, ...positionOf(made), state: "held" },
    ]);
    await writeFile(join(folder, anchorFileName), "{}");
    const damaged = reportOn(made.ledger.entries(), {
      fingerprint: fingerprintOf(made),
      kept: keptInFile(folder),
    });
    expect(damaged.ok).toBe(false);
  });

  it("is read as a person writes it, the hash whole or in part", () => {
    const made = testLedger();
    const { sequence, hash } = positionOf(made);
    for (const digits of [16, 40, 64]) {
      const kept = keptPositions([`${sequence}:${hash.slice(0, digits)}`]);
      expect(report(made, kept).anchors[0]!.state).toBe("held");
    }
    const wrong = [
      "",
      "1",
      `0:${hash}`,
      `${sequence}:${hash.slice(0, 15)}`,
      `${sequence}:${hash}0`,
      `x:${hash}`,
    ];
    for (const text of wrong)
      expect(
        inEnglish(() => keptPositions([text])),
        text,
      ).toThrow("<sequence>:<hash>");
  });
});
