import { type Charge, chargesOf, checkEvent, type PrivacyEvent } from "./events.js";
import { checkDelta, checkEpsilon } from "./ranges.js";

/**
 * Which tables count as neighbours, and so what ε protects.
 * - `add-remove`: one has one record more. Events state their sensitivity for this.
 * - `replace-one`: one record differs. It is one record less and one more, so every event is charged as for a person
 *   with two records (ρ fourfold). That holds for every mechanism, and is too much for some: where inner products of
 *   contributions are never negative, twofold would do.
 */
export type NeighbouringRelation = "add-remove" | "replace-one";

/** Adds up what releases from the same records cost. All results round against us: ε and δ up. */
export interface Accountant {
  readonly neighbouringRelation: NeighbouringRelation;
  /** Every composed event in order, with its count. */
  readonly ledger: readonly LedgerEntry[];
  /** Why this accountant cannot account for the event; null if it can. Changes nothing. */
  refusal(event: PrivacyEvent): string | null;
  /**
   * Charges `count` releases of the event.
   * @throws RangeError, before anything changes, on a malformed event, one of an unknown kind or one that is refused,
   *   or a count that is not a positive integer
   */
  compose(event: PrivacyEvent, count?: number): void;
  /**
   * The least ε that this accountant can prove at δ, rounded up. Infinity where there is none.
   * @param delta - 0 ≤ δ ≤ 1
   */
  epsilon(delta: number): number;
  /**
   * The least δ that this accountant can prove at ε, rounded up; at most 1.
   * @param epsilon - ε ≥ 0
   */
  delta(epsilon: number): number;
}

export interface LedgerEntry {
  readonly event: PrivacyEvent;
  readonly count: number;
}

/** What differs between accountants. */
export interface Accounting {
  refusal(charge: Charge): string | null;
  /** Does all that can fail; the function that it returns adds the charge and cannot. */
  prepare(charge: Charge): () => void;
  epsilon(delta: number): number;
  delta(epsilon: number): number;
}

/** The bookkeeping that all accountants share, over what differs between them. */
export function accountantOver(
  neighbouringRelation: NeighbouringRelation,
  accounting: Accounting,
): Accountant {
  const ledger: LedgerEntry[] = [];
  const recordsPerPerson = neighbouringRelation === "replace-one" ? 2n : 1n;
  const refusalOf = (charges: readonly Charge[]): string | null => {
    for (const charge of charges) {
      const refusal = accounting.refusal(charge);
      if (refusal !== null) return refusal;
    }
    return null;
  };
  return {
    neighbouringRelation,
    ledger,
    refusal: (event) => refusalOf(chargesOf(checkEvent(event), 1n, recordsPerPerson)),
    compose(event, count = 1) {
      if (!Number.isSafeInteger(count) || count < 1) {
        throw new RangeError("an event is composed a positive number of times");
      }
      const checked = checkEvent(event);
      const charges = chargesOf(checked, BigInt(count), recordsPerPerson);
      const refusal = refusalOf(charges);
      if (refusal !== null) throw new RangeError(refusal);
      for (const add of charges.map(accounting.prepare)) add();
      ledger.push(Object.freeze({ event: checked, count }));
    },
    epsilon(delta) {
      checkDelta(delta);
      // Everything is (0, 1)-DP.
      return delta === 1 ? 0 : accounting.epsilon(delta);
    },
    delta(epsilon) {
      checkEpsilon(epsilon);
      return accounting.delta(epsilon);
    },
  };
}
