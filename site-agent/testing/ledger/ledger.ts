import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey } from "@consilium/secure-sum/crypto/sign";
import {
  Ledger,
  type LedgerOwner,
  type StageCost,
  type StoredEntry,
  storedEntries,
} from "../../src/ledger/ledger.js";
import { migrations } from "../../src/store/schema.js";

/** ρ of `unitEvent(1)`: a power of two, so that a test's sums have no rounding to speak of. */
export const unitRho = 2 ** -10;

/** An event of so many units of ρ. */
export function unitEvent(units: number): PrivacyEvent {
  return {
    kind: "distributed-discrete-gaussian",
    l2SensitivitySquared: units,
    shareVariance: 512,
    groups: [{ entries: 1, weight: 1 }],
    sites: 1,
    noiseShares: 1,
  };
}

export const unbounded: PrivacyEvent = { kind: "no-bound", reason: "for a test" };

export function cost(stage: string, event: PrivacyEvent, attempt = 1): StageCost {
  const claimed = event.kind === "no-bound" ? { epsilon: 1, delta: 1e-5 } : null;
  return { stage, attempt, event, claimed };
}

export function testOwner(site = "st-mary"): LedgerOwner {
  const { privateKey, publicKey } = generateSigningKey();
  return { federation: "test", site, signingKey: privateKey, signingPublicKey: publicKey };
}

/** A ledger in memory, with its store; the clock continues by a second at every entry. */
export function testLedger(owner = testOwner(), store = openStore(":memory:", migrations)) {
  let now = 1_700_000_000_000;
  const clock = () => {
    now += 1_000;
    return now;
  };
  const open = () => Ledger.open(store, () => owner, clock);
  return { store, owner, ledger: open(), open };
}

/** What a backup of the store at this moment would hold, opened as a ledger of its own. */
export function restored(from: { readonly store: Store; readonly owner: LedgerOwner }, owner = from.owner) {
  const store = openStore(":memory:", migrations);
  for (const row of storedEntries(from.store)) insert(store, row);
  return testLedger(owner, store);
}

export function insert(store: Store, row: StoredEntry): void {
  store.run(
    "INSERT INTO ledger (sequence, entry, hash, signature) VALUES (?, ?, ?, ?)",
    row.sequence,
    row.text,
    row.hash,
    row.signature,
  );
}

/** Reserves and commits one stage without a limit. */
export function spend(ledger: Ledger, study: string, units: number, population = "default"): void {
  const sources = [sha256(population).slice(0, 16)];
  ledger.reserve({ study, population, limit: null, sources, stages: [cost("only", unitEvent(units))] });
  ledger.commit(study, "only", 1);
}
