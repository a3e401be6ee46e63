import { canonicalJson } from "@consilium/core/canonicalJson";
import { epsilonFromRho } from "@consilium/core/privacy/conversions";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { exactRho } from "@consilium/core/privacy/rho";
import type { Spent } from "@consilium/gate/account";

/** What the ledger books and shows, by exact arithmetic; the gate holds it against its own account. */

/** Exact arithmetic over a roster of a thousand sites takes a twentieth of a second, and a study's event comes often. */
const known = new Map<string, number | null>();
const knownMost = 1_000;

/** ρ of a stage's event for one unit of privacy, rounded up; null where nothing is proven. */
export function rhoOfEvent(event: PrivacyEvent): number | null {
  const key = canonicalJson(event);
  const before = known.get(key);
  if (before !== undefined) return before;
  const exact = exactRho(event);
  const rho = exact === Number.POSITIVE_INFINITY ? null : exact;
  if (known.size >= knownMost) known.clear();
  known.set(key, rho);
  return rho;
}

/** ε of what is proven, at δ, rounded up. */
export function epsilonOf(spent: Spent, delta: number): number {
  return spent.rho === 0 ? 0 : epsilonFromRho({ rho: spent.rho, delta });
}

/** To so many digits after the point, never less than the number: for what was spent. */
export function shownUp(value: number, digits: number): number {
  const unit = 10 ** digits;
  const whole = Math.ceil(value * unit);
  return whole / unit < value ? (whole + 1) / unit : whole / unit;
}

/** To so many digits after the point, never more than the number: for what remains. */
export function shownDown(value: number, digits: number): number {
  const unit = 10 ** digits;
  const whole = Math.floor(value * unit);
  return whole / unit > value ? (whole - 1) / unit : whole / unit;
}
