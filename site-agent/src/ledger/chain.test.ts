import { inEnglish } from "@consilium/core/testing/inEnglish";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import {
  cost,
  insert,
  restored,
  spend,
  testLedger,
  testOwner,
  unbounded,
  unitEvent,
  unitRho,
} from "../../testing/ledger/ledger.js";
import { verifyChain } from "./chain.js";
import { type EntryOf, type LedgerEntry, readEntry, type SignedEntry, signEntry } from "./entry.js";
import { storedEntries } from "./ledger.js";

/** A ledger with an entry of every kind, two keys, and one reconciliation. */
function everyKind() {
  const first = testLedger();
  const { ledger } = first;
  ledger.reserve({
    study: "study-1",
    population: "hearts",
    limit: null,
    stages: [cost("moments", unitEvent(3)), cost("rows", unbounded)],
    ceiling: { rho: 6 * unitRho, unbounded: 2 },
  });
  ledger.raise({
    study: "study-1",
    population: "hearts",
    unit: "row",
    ceiling: { rho: 9 * unitRho, unbounded: 3 },
  });
  const copy = restored(first);
  ledger.commit("study-1", "moments", 1);
  ledger.commit("study-1", "rows", 1);
  copy.ledger.accept(ledger.anchor());
  copy.ledger.reconcile();
  copy.ledger.release("study-1");
  const second = restored(copy, testOwner());
  const ceiling = { rho: unitRho, unbounded: 0 };
  const stages = [cost("only", unitEvent(1))];
  second.ledger.reserve({ study: "study-2", population: "default", limit: null, stages, ceiling });
  second.ledger.commit("study-2", "only", 1);
  second.ledger.approve("study-2", sha256("what a person saw"));
  second.ledger.sign("study-2", sha256("what it came to"));
  return second;
}

function faultOf(ledger: ReturnType<typeof testLedger>["ledger"]): string {
  const verified = ledger.verify();
  if (verified.ok) throw new Error("it verifies");
  expect(verified.error.code).toBe("LEDGER_BROKEN");
  return inEnglish(verified.error.message);
}

const columns = ["entry", "hash", "signature"] as const;

function bytesOf(store: Store, column: string, sequence: number): Uint8Array {
  return store.get(`SELECT CAST(${column} AS BLOB) AS bytes FROM ledger WHERE sequence = ?`, sequence)!
    .bytes as Uint8Array;
}

function setBytes(store: Store, column: string, sequence: number, bytes: Uint8Array): void {
  const value = column === "signature" ? "?" : "CAST(? AS TEXT)";
  store.run(`UPDATE ledger SET ${column} = ${value} WHERE sequence = ?`, bytes, sequence);
}

describe("a stored ledger", () => {
  it("verifies, whatever kinds of entry it has", () => {
    const { ledger, open } = everyKind();
    expect(ledger.verify().ok).toBe(true);
    expect(new Set(ledger.entries().map(({ entry }) => entry.kind))).toEqual(
      new Set(["open", "reserve", "ceiling", "commit", "release", "reconcile", "approved", "signed"]),
    );
    expect(open().verify().ok).toBe(true);
  });

  it("shows every flipped byte of every column, and in which entry, and spends nothing until it is put right", () => {
    const { ledger, store } = everyKind();
    let flips = 0;
    for (const { sequence } of storedEntries(store)) {
      for (const column of columns) {
        const bytes = bytesOf(store, column, sequence);
        for (let at = 0; at < bytes.length; at++) {
          const flipped = Uint8Array.from(bytes);
          flipped[at] = flipped[at]! ^ (1 << ((at * 5 + sequence) % 8));
          setBytes(store, column, sequence, flipped);
          expect(faultOf(ledger), `${column} of ${sequence}, byte ${at}`).toContain(`entry ${sequence}:`);
          flips++;
        }
        expect(() => ledger.commit("study-2", "only", 1)).toThrow(/ledger entry/);
        setBytes(store, column, sequence, bytes);
        expect(ledger.verify().ok).toBe(true);
      }
    }
    expect(flips).toBeGreaterThan(3_000);
    ledger.commit("study-2", "only", 1);
  });

  it("shows an entry that was moved, left out, taken twice or put into another's place", () => {
    const tampered = (change: (store: Store) => void): string => {
      const { ledger, store } = everyKind();
      change(store);
      return faultOf(ledger);
    };
    const rows = storedEntries(everyKind().store);
    const last = rows.at(-1)!.sequence;
    const gap = rows.findIndex(({ sequence }, index) => sequence !== index + 1);
    expect(gap).toBeGreaterThan(0);
    for (const { sequence } of rows.slice(0, -1)) {
      const following = rows.find((row) => row.sequence > sequence)!.sequence;
      const named = sequence === 1 ? 1 : following;
      expect(tampered((store) => store.run("DELETE FROM ledger WHERE sequence = ?", sequence))).toContain(
        `entry ${named}:`,
      );
      expect(
        tampered((store) =>
          store.run("UPDATE ledger SET sequence = ? WHERE sequence = ?", last + 5, sequence),
        ),
      ).toContain(`entry ${last + 5}: its sequence number is out of order`);
      expect(
        tampered((store) => {
          const row = storedEntries(store).find((one) => one.sequence === sequence)!;
          insert(store, { ...row, sequence: last + 1 });
        }),
      ).toContain(`entry ${last + 1}: its sequence number is out of order`);
      expect(
        tampered((store) => {
          store.run("UPDATE ledger SET sequence = 0 WHERE sequence = ?", sequence);
          store.run("UPDATE ledger SET sequence = ? WHERE sequence = ?", sequence, following);
          store.run("UPDATE ledger SET sequence = ? WHERE sequence = 0", following);
        }),
      ).toContain(`entry ${sequence}: its sequence number is out of order`);
    }
    expect(tampered((store) => store.run("DELETE FROM ledger"))).toContain("does not begin with its opening");
  });

  it("shows a key that is not the site's, although its entries follow", () => {
    const { ledger, store } = testLedger();
    spend(ledger, "study-1", 1);
    const thief = restored({ store, owner: testOwner() });
    const added = storedEntries(thief.store).at(-1)!;
    insert(store, added);
    expect(faultOf(ledger)).toBe(
      `ledger entry ${added.sequence}: it opens the ledger for a key that is not this site's`,
    );
  });

  it("is said to be broken when its table cannot be read", () => {
    const { ledger, store } = testLedger();
    store.run("DROP TABLE ledger");
    expect(faultOf(ledger)).toContain("cannot be read");
  });
});

/** Entries that the site's own key has signed, each in its place: only what they say can be wrong. */
function signedBySite(bodies: readonly object[], { before = 0 } = {}): string {
  const owner = testOwner();
  const { federation, site } = owner;
  const signingKey = Buffer.from(owner.signingPublicKey).toString("hex");
  const chain: SignedEntry[] = [];
  for (const body of [{ kind: "open", federation, site, signingKey }, ...bodies]) {
    const previous = chain.at(-1)?.hash ?? null;
    const sequence = chain.length + 1 + (chain.length === 0 ? before : 0);
    chain.push(signEntry({ sequence, at: 1, previous, ...body } as unknown as LedgerEntry, owner.signingKey));
  }
  const verified = verifyChain(chain);
  return verified.ok ? "" : verified.error.message;
}

describe("what a chain says", () => {
  const charge = { stage: "a", attempt: 1, event: unitEvent(1), rho: 2 ** -10, claimed: null };
  const reserve = { kind: "reserve", study: "s", population: "p", stages: [charge] };
  const commit = { kind: "commit", study: "s", population: "p", ...charge };
  const ceiling = { rho: 1.5 * 2 ** -10, unbounded: 0 };

  it("is taken when it is right", () => {
    expect(signedBySite([reserve, commit, { kind: "release", study: "s", population: "p" }])).toBe("");
    // In the hospital's unit: so many times the event's own cost.
    const nine = { ...charge, factor: 9, rho: 9 * 2 ** -10 };
    const place = { unit: "patient", sources: ["0123456789abcdef"] };
    const inPatients = [
      { ...reserve, ...place, stages: [nine] },
      { ...commit, ...place, ...nine },
    ];
    expect(signedBySite(inPatients)).toBe("");
    // Proved more cheaply since: it charged too much, and holds.
    const dear = { ...charge, rho: 2 ** -9 };
    expect(
      signedBySite([
        { ...reserve, stages: [dear] },
        { ...commit, ...dear },
      ]),
    ).toBe("");
  });

  it.each([
    ["commits what is not reserved", [commit], 2],
    ["commits what is not reserved", [reserve, commit, commit], 4],
    ["commits what is not reserved", [reserve, { kind: "release", study: "s", population: "p" }, commit], 4],
    ["commits something else", [reserve, { ...commit, rho: 2 ** -11 }], 3],
    ["commits something else", [reserve, { ...commit, event: unitEvent(2) }], 3],
    ["commits something else", [reserve, { ...commit, population: "q" }], 3],
    ["reserves what is reserved", [reserve, reserve], 3],
    ["reserves what is reserved", [{ ...reserve, stages: [charge, charge] }], 2],
    ["does not charge", [{ ...reserve, stages: [{ ...charge, rho: 2 ** -11 }] }], 2],
    ["does not charge", [{ ...reserve, stages: [{ ...charge, rho: null }] }], 2],
    ["does not charge", [{ ...reserve, stages: [{ ...charge, event: unbounded }] }], 2],
    ["its event is none", [{ ...reserve, stages: [{ ...charge, event: { kind: "magic" } }] }], 2],
    [
      "signature is not the site's",
      [{ kind: "open", federation: "test", site: "st-john", signingKey: "0".repeat(64) }],
      2,
    ],
    ["does not charge", [{ ...reserve, stages: [{ ...charge, factor: 4 }] }], 2],
    ["commits something else", [reserve, { ...commit, unit: "patient" }], 3],
    ["commits something else", [reserve, { ...commit, sources: ["0123456789abcdef"] }], 3],
    ["commits something else", [reserve, { ...commit, factor: 2, rho: 2 ** -9 }], 3],
    [
      "beyond the study's ceiling",
      [
        { ...reserve, ceiling },
        { ...reserve, stages: [{ ...charge, attempt: 2 }] },
      ],
      3,
    ],
    [
      "beyond the study's ceiling",
      [{ ...reserve, ceiling }, commit, { ...reserve, stages: [{ ...charge, attempt: 2 }] }],
      4,
    ],
    [
      "without a ceiling",
      [
        { ...reserve, ceiling },
        { ...reserve, study: "t" },
      ],
      3,
    ],
    [
      "changes the study's ceiling",
      [
        { ...reserve, ceiling },
        { ...reserve, stages: [{ ...charge, attempt: 2 }], ceiling },
      ],
      3,
    ],
    [
      "signs a study that was signed before",
      [
        { kind: "signed", study: "s", statement: sha256("one") },
        { kind: "signed", study: "s", statement: sha256("two") },
      ],
      3,
    ],
    ["does not follow", [{ ...reserve, previous: sha256("something else") }], 2],
    ["where entry 2 belongs", [{ ...reserve, sequence: 3 }], 3],
  ])("is refused where it %s", (fault, bodies, sequence) => {
    const message = signedBySite(bodies);
    expect(message).toContain(`ledger entry ${sequence}:`);
    expect(message).toContain(fault);
  });

  it("is refused where it does not begin", () => {
    expect(signedBySite([], { before: 1 })).toContain("does not begin");
    expect(verifyChain([]).ok).toBe(false);
  });

  it("is refused where a reconciliation charges less than its anchor proves", () => {
    const first = testLedger();
    const copy = restored(first);
    spend(first.ledger, "lost", 7, "p");
    copy.ledger.accept(first.ledger.anchor());
    const { entry } = copy.ledger.reconcile()!;
    const { signingKey } = first.owner;
    const entries = copy.ledger.entries().slice(0, -1);
    const changed = (change: object) => {
      const verified = verifyChain([
        ...entries,
        signEntry({ ...entry, ...change } as LedgerEntry, signingKey),
      ]);
      return verified.ok ? "" : verified.error.message;
    };
    const anchorOf = (head: object) => ({
      head: JSON.stringify(head),
      signature: Buffer.alloc(64).toString("base64"),
    });
    expect(changed({})).toBe("");
    const lost = (units: number, change: object = {}) => ({
      lost: [{ population: "p", unit: "row", sources: [], rho: units * 2 ** -10, unbounded: 0, ...change }],
    });
    expect(changed(lost(8))).toBe("");
    expect(changed(lost(6))).toContain("less than its anchor");
    expect(changed(lost(8, { unit: "patient" }))).toContain("less than its anchor");
    expect(changed({ lost: [] })).toContain("less than its anchor");
    const { opening, ...bare } = (entry as EntryOf<"reconcile">).anchor;
    expect(opening).toBeDefined();
    expect(changed({ anchor: bare })).toContain("no person has declared any");
    expect(changed({ anchor: bare, declared: { epsilon: 1 } })).toBe("");
    expect(changed({ sequence: entry.sequence + 1 })).toContain(`where entry ${entry.sequence} belongs`);
    expect(changed({ anchor: anchorOf(first.ledger.head()) })).toContain("not a head of this ledger");
  });
});

describe("an entry's text", () => {
  it("is refused where it is not exactly one entry's", () => {
    const { store } = testLedger();
    const [row] = storedEntries(store);
    const broken = [
      { ...row!, text: "{" },
      { ...row!, text: `${row!.text} ` },
      { ...row!, text: row!.text.replace('"kind"', '"more":1,"kind"') },
      { ...row!, hash: row!.hash.toUpperCase() },
      { ...row!, sequence: 2 },
    ];
    for (const one of broken)
      expect(readEntry(one)).toMatchObject({ ok: false, error: { code: "LEDGER_BROKEN" } });
    expect(readEntry(row!).ok).toBe(true);
  });
});
