import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restored, spend, testLedger } from "../../testing/ledger/ledger.js";
import { Anchors, anchorFileName, readAnchor } from "./anchors.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-anchor-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = () => join(folder, anchorFileName);

const lines = async () => (await readFile(path(), "utf8")).trimEnd().split("\n");

function kept(): number {
  return (JSON.parse(readAnchor(path())!.head) as { sequence: number }).sequence;
}

describe("the anchor beside the database", () => {
  it("shows a ledger whose tail was cut off, also one that runs", async () => {
    const { ledger, store, open } = testLedger();
    expect(new Anchors(folder).check(ledger)).toBe(true);
    spend(ledger, "one", 1);
    await new Anchors(folder).keep(ledger);
    expect(new Anchors(folder).check(ledger)).toBe(true);
    store.run("DELETE FROM ledger WHERE sequence = 3");
    // What is left of the chain holds: only the anchor can tell.
    expect(ledger.verify().ok).toBe(true);
    expect(inEnglish(() => spend(ledger, "two", 1))).toThrow(/head of it is known at 3/);
    const reopened = open();
    expect(new Anchors(folder).check(reopened)).toBe(false);
    expect(inEnglish(() => spend(reopened, "two", 1))).toThrow(/head of it is known at 3/);
    store.run("DELETE FROM ledger");
    expect(new Anchors(folder).check(open())).toBe(false);
  });

  it("never goes back, however many keep it at once", async () => {
    const { ledger } = testLedger();
    const anchors = new Anchors(folder);
    const keeping: Promise<void>[] = [];
    for (let n = 0; n < 20; n++) {
      spend(ledger, `study-${n}`, 1);
      keeping.push(anchors.keep(ledger));
      if (n % 5 === 0) await keeping[n];
    }
    await Promise.all(keeping);
    expect(kept()).toBe(ledger.head().sequence);
  });

  it("is not overwritten by an old copy, which is reconciled with it", async () => {
    const site = testLedger();
    spend(site.ledger, "one", 1);
    const copy = restored(site);
    spend(site.ledger, "two", 1);
    await new Anchors(folder).keep(site.ledger);
    const anchors = new Anchors(folder);
    expect(anchors.check(copy.ledger)).toBe(false);
    await expect(anchors.keep(copy.ledger)).rejects.toMatchObject({ code: "LEDGER_BEHIND" });
    expect(kept()).toBe(site.ledger.head().sequence);
    copy.ledger.reconcile();
    await anchors.keep(copy.ledger);
    expect(kept()).toBe(copy.ledger.head().sequence);
    expect(copy.ledger.head().sequence).toBeGreaterThan(site.ledger.head().sequence);
  });

  it("is refused when it is damaged or belongs to another ledger", async () => {
    const { ledger } = testLedger();
    const other = testLedger();
    await new Anchors(folder).keep(other.ledger);
    const check = () => new Anchors(folder).check(ledger);
    expect(check).toThrow(/ledger-anchor\.json is not an anchor of this ledger/);
    await writeFile(join(folder, anchorFileName), "{}");
    expect(check).toThrow(/not an anchor/);
    await writeFile(join(folder, anchorFileName), "not JSON");
    expect(check).toThrow(/not an anchor/);
  });

  it("is the newest line that was written whole: what the power cut off says nothing", async () => {
    const { ledger } = testLedger();
    const anchors = new Anchors(folder);
    const heads: number[] = [];
    for (let n = 0; n < 3; n++) {
      spend(ledger, `study-${n}`, 1);
      await anchors.keep(ledger);
      heads.push(ledger.head().sequence);
    }
    const whole = await lines();
    expect(whole).toHaveLength(3);
    expect(kept()).toBe(heads[2]);
    // A byte more or less of the last line, and pages that were never written.
    for (const tail of [whole[2]!.slice(0, -1), whole[2]!.slice(0, 9), "\0".repeat(400)]) {
      await writeFile(path(), `${whole[0]}\n${whole[1]}\n${tail}`);
      expect(kept()).toBe(heads[1]);
      expect(new Anchors(folder).check(ledger)).toBe(true);
    }
    // A further process does not add to what was cut off.
    spend(ledger, "after", 1);
    await new Anchors(folder).keep(ledger);
    expect(await lines()).toHaveLength(1);
    expect(kept()).toBe(ledger.head().sequence);
  });

  it("is on the disk, alone, when it is closed; and is written again after a write that failed", async () => {
    const { ledger } = testLedger();
    const anchors = new Anchors(folder);
    const next = async (study: string) => {
      spend(ledger, study, 1);
      await anchors.keep(ledger);
      expect(kept()).toBe(ledger.head().sequence);
    };
    await next("one");
    await next("two");
    await anchors.close();
    expect(await lines()).toHaveLength(1);
    expect(kept()).toBe(ledger.head().sequence);
    await next("three");
    const { mode } = await stat(path());
    expect(mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
    spend(ledger, "four", 1);
    await expect(anchors.keep(ledger)).rejects.toThrow();
    await mkdir(folder);
    // Whatever the write that failed has left.
    await writeFile(path(), "{");
    await next("five");
  });
});
