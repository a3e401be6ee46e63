import { canonicalJson } from "@consilium/core/canonicalJson";
import { unwrap } from "@consilium/core/result";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cost,
  restored,
  spend,
  testLedger,
  testOwner,
  unbounded,
  unitEvent,
  unitRho,
} from "../../testing/ledger/ledger.js";
import { parseHead, signHead } from "./head.js";
import { trailOf } from "./history.js";
import type { Ledger } from "./ledger.js";
import { spentUnder } from "./spending.js";

const populations = ["default", "hearts", "lungs"];

function spent(ledger: Ledger): Record<string, number> {
  return Object.fromEntries(
    populations.map((name) => [name, spentUnder(name, ledger.totals.bookings()).rho / unitRho]),
  );
}

function codeOf(work: () => void): string {
  try {
    work();
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? String(thrown);
  }
  return "";
}

describe("a head of the ledger", () => {
  it("is held by the ledger that gave it out, then and ever after", () => {
    const { ledger, open } = testLedger();
    const heads = [ledger.anchor()];
    for (let n = 1; n <= 5; n++) {
      spend(ledger, `study-${n}`, n);
      heads.push(ledger.anchor());
    }
    for (const head of heads) expect(ledger.accept(head)).toBe(true);
    expect(open().accept(heads.at(-1)!)).toBe(true);
    expect(ledger.behind).toBeNull();
  });

  it("is not held by an older copy, which then spends nothing", () => {
    const site = testLedger();
    spend(site.ledger, "before", 1);
    const { ledger } = restored(site);
    ledger.reserve({ study: "s", population: "default", limit: null, stages: [cost("a", unitEvent(1))] });
    const early = site.ledger.anchor();
    spend(site.ledger, "after", 1);
    spend(site.ledger, "after-2", 1);
    expect(ledger.accept(early)).toBe(true);
    expect(ledger.accept(site.ledger.anchor())).toBe(false);
    // One that it does hold changes nothing.
    expect(ledger.accept(early)).toBe(true);
    const entries = ledger.entries().length;
    expect(codeOf(() => spend(ledger, "more", 1))).toBe("LEDGER_BEHIND");
    expect(codeOf(() => ledger.commit("s", "a", 1))).toBe("LEDGER_BEHIND");
    expect(codeOf(() => ledger.demandCurrent())).toBe("LEDGER_BEHIND");
    expect(ledger.entries()).toHaveLength(entries);
    // Giving back what was only reserved is always possible.
    ledger.release("s");
    expect(spentUnder("default", ledger.totals.reservations()).rho).toBe(0);
  });

  it("is behind where another branch has come as far, or less far", () => {
    const site = testLedger();
    const copy = restored(site);
    spend(site.ledger, "one", 1);
    spend(copy.ledger, "other", 1);
    expect(copy.ledger.head().sequence).toBe(site.ledger.head().sequence);
    expect(copy.ledger.accept(site.ledger.anchor())).toBe(false);
    expect(copy.ledger.behind?.hash).toBe(site.ledger.head().hash);

    const third = restored(copy);
    spend(third.ledger, "further", 1);
    expect(third.ledger.accept(site.ledger.anchor())).toBe(false);
    expect(codeOf(() => third.ledger.demandCurrent())).toBe("LEDGER_BEHIND");
  });

  it("is refused when it is forged, changed, another site's or malformed", () => {
    const site = testLedger();
    spend(site.ledger, "one", 1);
    const { ledger, owner } = site;
    const head = ledger.head();
    const real = ledger.anchor();
    const forger = testOwner();
    const salt = new Uint8Array(32);
    const opened = unwrap(parseHead(real)).opening!;
    const cheap = signHead({ ...head, opening: { ...opened, spent: [] } }, salt, owner.signingKey);
    const shown = [
      signHead({ ...head, sequence: 99 }, salt, forger.signingKey),
      { ...real, head: real.head.replace('"sequence":3', '"sequence":4') },
      { ...real, signature: real.signature.slice(1) },
      { head: "", signature: new Uint8Array() },
      signHead({ ...head, site: "st-john" }, salt, owner.signingKey),
      // An opening that shows less than the site has signed.
      { ...real, opening: cheap.opening },
      { ...real, opening: "{}" },
      signHead({ ...head, federation: "other" }, salt, owner.signingKey),
    ];
    for (const one of shown) expect(codeOf(() => ledger.accept(one))).toBe("LEDGER_HEAD_INVALID");
    expect(ledger.behind).toBeNull();
    expect(ledger.accept(real)).toBe(true);
  });

  it("that an earlier key has signed is known after the site has enrolled again", () => {
    const site = testLedger();
    const old = restored(site);
    spend(site.ledger, "one", 3);
    const head = site.ledger.anchor();
    const again = restored(site, testOwner());
    expect(again.ledger.accept(head)).toBe(true);
    // Enrolled again on an old copy: it has gone on by an entry of its own before it is shown what it lacks.
    const oldAgain = restored(old, testOwner());
    expect(oldAgain.ledger.accept(head)).toBe(false);
    oldAgain.ledger.reconcile();
    expect(spent(oldAgain.ledger).default).toBe(3);
  });
});

describe("a reconciliation", () => {
  it("charges what was lost, once, and spending continues", () => {
    const site = testLedger();
    spend(site.ledger, "before", 1, "hearts");
    const copy = restored(site);
    const heads = [];
    for (let n = 1; n <= 4; n++) {
      spend(site.ledger, `lost-${n}`, n, n % 2 === 0 ? "hearts" : "lungs");
      heads.push(site.ledger.anchor());
    }
    const stages = [cost("rows", unbounded)];
    site.ledger.reserve({ study: "claimed", population: "lungs", limit: null, stages });
    site.ledger.commit("claimed", "rows", 1);
    heads.push(site.ledger.anchor());

    const { ledger, open } = copy;
    for (const head of [...heads].reverse()) expect(ledger.accept(head)).toBe(false);
    const entry = ledger.reconcile()!;
    expect(entry.entry.sequence).toBe(site.ledger.head().sequence + 1);
    expect(spent(ledger)).toEqual(spent(site.ledger));
    expect(spentUnder("lungs", ledger.totals.bookings()).unbounded).toBe(1);
    expect(ledger.reconcile()).toBeNull();
    for (const head of heads) expect(ledger.accept(head)).toBe(true);
    expect(ledger.behind).toBeNull();
    spend(ledger, "after", 1);
    expect(ledger.verify().ok).toBe(true);
    const reopened = open();
    for (const head of heads) expect(reopened.accept(head)).toBe(true);
    expect(reopened.accept(ledger.anchor())).toBe(true);
  });

  it("is undone with the transaction that it is a part of", () => {
    const site = testLedger();
    const copy = restored(site);
    spend(site.ledger, "lost", 1);
    copy.ledger.accept(site.ledger.anchor());
    const abort = new Error("abort");
    expect(() =>
      copy.store.transaction(() => {
        copy.ledger.reconcile();
        throw abort;
      }),
    ).toThrow(abort);
    expect(copy.ledger.behind).not.toBeNull();
    expect(codeOf(() => spend(copy.ledger, "more", 1))).toBe("LEDGER_BEHIND");
    copy.ledger.reconcile();
    expect(spent(copy.ledger).default).toBe(1);
  });

  it("counts both branches where an old copy had gone on by itself", () => {
    const site = testLedger();
    spend(site.ledger, "shared", 5);
    const copy = restored(site);
    spend(site.ledger, "lost", 10);
    spend(copy.ledger, "own-1", 3);
    spend(copy.ledger, "own-2", 4);
    // The lost branch is shorter, and has spent more than the other; the charge is the sum.
    expect(copy.ledger.accept(site.ledger.anchor())).toBe(false);
    copy.ledger.reconcile();
    expect(spent(copy.ledger).default).toBe(5 + 10 + 3 + 4);
    expect(copy.ledger.verify().ok).toBe(true);
    expect(copy.ledger.accept(site.ledger.anchor())).toBe(true);
  });

  it("of any two branches charges at least what both have spent, and exactly that when the loss is short", () => {
    const spending = fc.array(
      fc.record({ units: fc.integer({ min: 1, max: 9 }), population: fc.constantFrom(...populations) }),
      { maxLength: 12 },
    );
    const history = fc.record({
      shared: spending,
      lost: spending,
      own: spending,
      repeated: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(history, ({ shared, lost, own, repeated }) => {
        const run = (ledger: Ledger, name: string, list: typeof shared) => {
          for (const [n, { units, population }] of list.entries())
            spend(ledger, `${name}-${n}`, units, population);
        };
        const site = testLedger();
        run(site.ledger, "shared", shared);
        const copy = restored(site);
        run(site.ledger, "lost", lost);
        const more = Array.from({ length: repeated }, () => ({ units: 1, population: "lungs" }));
        run(site.ledger, "more", more);
        run(copy.ledger, "own", own);
        const before = spent(copy.ledger);
        if (copy.ledger.accept(site.ledger.anchor())) {
          expect(lost.length + repeated).toBe(0);
          return;
        }
        copy.ledger.reconcile();
        const after = spent(copy.ledger);
        for (const name of populations) {
          const gone = [...lost, ...more].reduce(
            (sum, one) => sum + (one.population === name ? one.units : 0),
            0,
          );
          const all = shared.reduce((sum, one) => sum + (one.population === name ? one.units : 0), 0);
          expect(after[name]).toBeGreaterThanOrEqual(before[name]! + gone);
          // Never more than if nothing at all had been shared.
          expect(after[name]).toBeLessThanOrEqual(before[name]! + gone + all);
          if (lost.length + repeated < 32) expect(after[name]).toBe(before[name]! + gone);
        }
        expect(copy.ledger.verify().ok).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("of a copy that is reconciled, lost and reconciled again charges everything", () => {
    const site = testLedger();
    const first = restored(site);
    spend(site.ledger, "a", 1);
    first.ledger.accept(site.ledger.anchor());
    first.ledger.reconcile();
    const second = restored(first);
    spend(first.ledger, "b", 2);
    second.ledger.accept(first.ledger.anchor());
    second.ledger.reconcile();
    expect(spent(second.ledger).default).toBe(3);
    const oldest = restored(testLedger(site.owner));
    oldest.ledger.accept(second.ledger.anchor());
    oldest.ledger.reconcile();
    expect(spent(oldest.ledger).default).toBe(3);
  });
});

describe("a ledger that was set back twice", () => {
  it("is charged for both branches that it has lost, whichever is shown first, and once each", () => {
    for (const order of [(a: number) => a, (a: number) => 1 - a]) {
      const first = testLedger();
      spend(first.ledger, "common", 1);
      const second = restored(first);
      const { ledger } = restored(first);
      spend(first.ledger, "far-1", 4);
      spend(first.ledger, "far-2", 4);
      spend(second.ledger, "near", 3);
      const heads = [first.ledger.anchor(), second.ledger.anchor()];
      for (const index of [0, 1]) expect(ledger.accept(heads[order(index)]!)).toBe(false);
      let entries = 0;
      while (ledger.reconcile() !== null) entries++;
      expect(entries).toBe(2);
      expect(spent(ledger).default).toBeCloseTo(1 + 8 + 3, 9);
      for (const head of heads) expect(ledger.accept(head)).toBe(true);
      expect(ledger.reconcile()).toBeNull();
      expect(ledger.verify().ok).toBe(true);
    }
  });
});

describe("a head that is given out", () => {
  it("shows neither a population nor what it has spent, and is another one for the same totals", () => {
    const site = testLedger();
    spend(site.ledger, "one", 3, "hiv-clinic");
    const { head, signature } = site.ledger.signedHead();
    expect(site.ledger.signedHead()).toEqual({ head, signature });
    expect(Object.keys(JSON.parse(head)).sort()).toEqual([
      "federation",
      "hash",
      "sequence",
      "site",
      "totals",
    ]);
    expect(head).not.toContain("clinic");
    expect(head).not.toContain("rho");
    // The same ledger opened anew commits to the same totals with another salt.
    const again = JSON.parse(site.open().signedHead().head);
    expect(again.hash).toBe(JSON.parse(head).hash);
    expect(again.totals).not.toBe(JSON.parse(head).totals);
    // Its entries' hashes leave too: two ledgers that spend alike have no hash in common.
    const twin = testLedger(site.owner);
    spend(twin.ledger, "one", 3, "hiv-clinic");
    const hashes = (ledger: Ledger) => ledger.entries().map(({ hash }) => hash);
    expect(hashes(twin.ledger).filter((hash) => hashes(site.ledger).includes(hash))).toEqual([]);
    for (const { entry } of site.ledger.entries()) expect(entry.blind).toMatch(/^[0-9a-f]{32}$/);
  });

  it("proves that entries are missing, and a person has to say what they spent", () => {
    const site = testLedger();
    const { ledger, open } = restored(site);
    spend(site.ledger, "lost", 4);
    expect(ledger.accept(site.ledger.signedHead())).toBe(false);
    expect(ledger.lost).toBeNull();
    expect(codeOf(() => spend(ledger, "more", 1))).toBe("LEDGER_BEHIND");
    expect(codeOf(() => ledger.reconcile())).toBe("LEDGER_BEHIND");
    expect(ledger.entries()).toHaveLength(1);
    const lost = [
      { population: "default", unit: "row" as const, sources: [], rho: 9 * unitRho, unbounded: 0 },
    ];
    const entry = ledger.reconcile({ epsilon: 0.5, lost })!;
    expect(entry.entry).toMatchObject({ kind: "reconcile", declared: { epsilon: 0.5 } });
    expect(spent(ledger).default).toBe(9);
    expect(ledger.behind).toBeNull();
    spend(ledger, "more", 1);
    expect(ledger.verify().ok).toBe(true);
    expect(open().accept(site.ledger.signedHead())).toBe(true);
  });

  it("is covered by an anchor of this hospital that is as new, or newer", () => {
    for (const later of [0, 3]) {
      const site = testLedger();
      const { ledger } = restored(site);
      spend(site.ledger, "lost", 4);
      const bare = site.ledger.signedHead();
      for (let n = 0; n < later; n++) spend(site.ledger, `later-${n}`, 1);
      // Whichever is shown first.
      ledger.accept(bare);
      ledger.accept(site.ledger.anchor());
      ledger.accept(bare);
      expect(ledger.lost).toMatchObject([{ population: "default", unit: "row" }]);
      ledger.reconcile();
      expect(ledger.behind).toBeNull();
      expect(spent(ledger).default).toBe(4 + later);
    }
  });

  it("that is newer than the newest anchor is not covered by it", () => {
    const site = testLedger();
    const { ledger } = restored(site);
    spend(site.ledger, "known", 4);
    ledger.accept(site.ledger.anchor());
    spend(site.ledger, "unknown", 5);
    ledger.accept(site.ledger.signedHead());
    expect(ledger.lost).toBeNull();
    ledger.reconcile();
    expect(spent(ledger).default).toBe(4);
    expect(codeOf(() => ledger.reconcile())).toBe("LEDGER_BEHIND");
    expect(codeOf(() => spend(ledger, "more", 1))).toBe("LEDGER_BEHIND");
  });

  it("of an earlier version, which shows its totals, is read as before", () => {
    const site = testLedger();
    const { ledger } = restored(site);
    spend(site.ledger, "lost", 4);
    const { federation, site: name, sequence, hash } = site.ledger.head();
    const commits = site.ledger.entries().filter(({ entry }) => entry.kind === "commit");
    const text = canonicalJson({
      federation,
      site: name,
      sequence,
      hash,
      populations: { default: { rho: 4 * unitRho, unbounded: 0 } },
      trail: commits.map(({ entry, hash: of }) => `${entry.sequence}:${of.slice(0, 16)}`),
    });
    const message = Buffer.from(`consilium ledger head v1\n${text}`);
    const old = { head: text, signature: signMessage(site.owner.signingKey, message) };
    expect(ledger.accept(old)).toBe(false);
    ledger.reconcile();
    expect(spent(ledger).default).toBe(4);
    expect(ledger.verify().ok).toBe(true);
    expect(ledger.accept(old)).toBe(true);
  });
});

describe("a head's trail", () => {
  it("names the newest entries, and older ones ever more sparsely", () => {
    const { ledger } = testLedger();
    expect(ledger.head().opening.trail).toHaveLength(1);
    for (let n = 0; n < 300; n++) spend(ledger, `study-${n}`, 1);
    const trail = ledger.head().opening.trail.map((landmark) => Number(landmark.split(":")[0]));
    const all = ledger.entries();
    expect(trail.slice(0, 129)).toEqual(
      all
        .slice(-129)
        .reverse()
        .map(({ entry }) => entry.sequence),
    );
    const last = all.length;
    const distances = trail.map(
      (sequence) => last - all.findIndex(({ entry }) => entry.sequence === sequence),
    );
    for (const [index, distance] of distances.slice(1).entries())
      expect(distance / distances[index]!).toBeLessThanOrEqual(2);
    expect(distances.at(-1)! * 1.3).toBeGreaterThan(last);
    // A million entries fit.
    const many = Array.from({ length: 1_000_000 }, () => all[0]!);
    expect(trailOf(many).length).toBeLessThanOrEqual(200);
  });
});
