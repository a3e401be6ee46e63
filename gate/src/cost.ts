import type { StageCharge } from "./account.js";
import { isDivisible, lengthOf, type Query, sensitivitySquared } from "./query.js";

/**
 * What a stage costs, computed from its query and its noise: the one event that is noised and charged. Everything here is what the
 * gate works out for itself; it does not rely on how the noise was sized.
 */
export interface Terms {
  readonly query: Query;
  /** What the method's integers are multiplied with before noise is added: a power of two from 1. */
  readonly scale: number;
  /** Whose privacy is counted, where it is not a row's. */
  readonly patients: Patients | null;
  /** Null where the study asks for none. */
  readonly noise: Noise | null;
}

export interface Patients {
  /** m: rows of a patient that are used at most. */
  readonly rowsMost: number;
  /** U: what the rows of a patient weigh together where integers are counts; null where each row counts by itself. */
  readonly unit: number | null;
}

export interface Noise {
  /** V: each site's share of noise is discrete Gaussian with this variance, in scaled integers. */
  readonly shareVariance: number;
  /** At most so many shares are ever added. */
  readonly sites: number;
  /** Shares that are certainly in a sum and unknown to the colluding sites. */
  readonly shares: number;
}

/** As ledgers and certificates write it. */
export type ChargedEvent = NoBound | SumEvent | GroupEvent;

interface NoBound {
  readonly kind: "no-bound";
  readonly reason: string;
}

export interface SumEvent {
  readonly kind: "distributed-discrete-gaussian";
  /** Δ²: what one record, or one patient who counts once, changes of the sum. */
  readonly l2SensitivitySquared: number;
  readonly shareVariance: number;
  readonly groups: readonly EntryGroup[];
  readonly sites: number;
  readonly noiseShares: number;
}

/** So many entries have noise of variance V/w. */
interface EntryGroup {
  readonly entries: number;
  readonly weight: number;
}

/** What the event costs somebody with so many records. */
interface GroupEvent {
  readonly kind: "group";
  readonly event: SumEvent;
  readonly records: number;
}

/**
 * The event of a stage.
 * @throws RangeError where its numbers are not those of a stage: a scale that is no power of two, a Δ² beyond 2^53, a share of noise
 *   too coarse for a proof, patients without rows or weight, more sites than a study can have
 */
export function chargedEvent({ query, scale, patients, noise }: Terms): ChargedEvent {
  if (!(Number.isSafeInteger(scale) && scale >= 1 && 2 ** Math.round(Math.log2(scale)) === scale))
    throw new RangeError("a stage's scale is a power of two from 1");
  const { rowsMost, unit: weight } = patients ?? { rowsMost: 1, unit: null };
  if (!isCount(rowsMost) || !(weight === null || isCount(weight)))
    throw new RangeError("a patient has at least one row, and rows that weigh weigh at least 1");
  if (noise === null) return { kind: "no-bound", reason: "none" };
  const { shareVariance, sites, shares } = noise;
  const unit = scale * weightOf(query, patients);
  const l2SensitivitySquared = sensitivitySquared(query) * unit ** 2;
  if (unit !== 1 && !Number.isSafeInteger(l2SensitivitySquared))
    throw new RangeError("the stage's integers are too large to say how much one record changes");
  if (!(shareVariance / heaviest(query) >= leastVariance && shareVariance < Number.POSITIVE_INFINITY))
    throw new RangeError("a share's standard deviation is below 1/2, where nothing is proven");
  if (!(isCount(shares) && isCount(sites) && shares <= sites && sites <= sitesMost))
    throw new RangeError("a sum has at least one share of noise, and no more than there are sites");
  const event: SumEvent = {
    kind: "distributed-discrete-gaussian",
    l2SensitivitySquared,
    shareVariance,
    groups: groupsOf(query),
    sites,
    noiseShares: shares,
  };
  const records = weight === null ? rowsMost : 1;
  return records === 1 ? event : { kind: "group", event, records };
}

/** What a row of a patient without other rows weighs. Where the integers are divided among a patient's rows, they weigh one. */
export function weightOf(query: Query, patients: Patients | null): number {
  return patients === null || patients.unit === null || isDivisible(query) ? 1 : patients.unit;
}

/** Sites of a study at most: that of more shares than could be would be added up for years. */
const sitesMost = 1024;
/** Of a share's variance at any weight: τ is proven from a standard deviation of 1/2 on [KLS21, Theorem 1]. */
const leastVariance = 0.25;
const heaviest = (query: Query) => (query.kind === "gram" ? 2 : 1);

/** Entries off a triangle's diagonal stand for two of the matrix: they count twice in Δ², and have half the variance. */
function groupsOf(query: Query): readonly EntryGroup[] {
  const entries = lengthOf(query);
  const diagonal = query.kind === "gram" ? query.parts * query.order : entries;
  const groups = [
    { entries: diagonal, weight: 1 },
    { entries: entries - diagonal, weight: 2 },
  ];
  return groups.filter((group) => group.entries > 0);
}

/** The weight of each entry of a stage's vector, by its index: as `groupsOf` counts them. */
export function weightOfEntry(query: Query): (index: number) => number {
  return query.kind === "gram" ? weightInTriangles(query.order) : () => 1;
}

/** The same of upper triangles, row by row, one after another. */
export function weightInTriangles(order: number): (index: number) => number {
  const triangle = (order * (order + 1)) / 2;
  const diagonal = new Uint8Array(triangle);
  for (let row = 0, at = 0; row < order; at += order - row, row++) diagonal[at] = 1;
  return (index) => (diagonal[index % triangle] === 1 ? 1 : 2);
}

/** An event as a ledger has it; null for whatever is none. */
export function readEvent(raw: unknown): ChargedEvent | null {
  const event = raw as ChargedEvent | null;
  switch (event?.kind) {
    case "no-bound":
      return event;
    case "group":
      return isCount(event.records) && isSum(event.event) ? event : null;
    case "distributed-discrete-gaussian":
      return isSum(event) ? event : null;
    default:
      return null;
  }
}

function isSum(event: SumEvent): boolean {
  const { kind, l2SensitivitySquared, shareVariance, groups, sites, noiseShares } = event;
  return (
    kind === "distributed-discrete-gaussian" &&
    Number.isInteger(l2SensitivitySquared) &&
    l2SensitivitySquared > 0 &&
    [sites, noiseShares].every(isCount) &&
    noiseShares <= sites &&
    Array.isArray(groups) &&
    groups.length > 0 &&
    groups.every(
      ({ entries, weight }) => isCount(entries) && isCount(weight) && shareVariance / weight >= leastVariance,
    )
  );
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;

/**
 * ρ of one unit of privacy, to a relative 2^-30. Ledgers book ρ by exact arithmetic from elsewhere, and `holdsCharge` refuses what
 * is less than this.
 *
 * With n shares, σ² = nV, and an entry of weight w is τ_w = 10·Σ_{k=1}^{s-1} exp(-2π²·V/w·k/(k+1)) away from a discrete Gaussian
 * [KLS21, Theorem 1]. Entry by entry [KLS21, Proposition 14] that is the least of
 *
 *   Δ²/(2σ²) + Σ τ
 *   (Δ²/σ² + 2·Δ²/σ·max √w·τ + Σ τ²)/2      for |q|₁ ≤ |q|² of integers
 *   (Δ/σ + √(Σ τ²))²/2
 *
 * and for somebody with m records m² times as much [BS16, Proposition 1.9]. Infinite where nothing is proven.
 */
export function rhoOf(event: ChargedEvent): number {
  switch (event.kind) {
    case "distributed-discrete-gaussian":
      return rhoOfSum(event);
    case "group":
      return rhoOfSum(event.event) * event.records ** 2;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function rhoOfSum({ l2SensitivitySquared, shareVariance, groups, sites, noiseShares }: SumEvent): number {
  const variance = noiseShares * shareVariance;
  const signal = l2SensitivitySquared / variance;
  let sum = 0;
  let squares = 0;
  let most = 0;
  for (const { entries, weight } of groups) {
    const tau = tauOf(sites, shareVariance / weight);
    sum += entries * tau;
    squares += entries * tau ** 2;
    most = Math.max(most, Math.sqrt(weight) * tau);
  }
  return Math.min(
    signal / 2 + sum,
    (signal + (2 * l2SensitivitySquared * most) / Math.sqrt(variance) + squares) / 2,
    (Math.sqrt(signal) + Math.sqrt(squares)) ** 2 / 2,
  );
}

function tauOf(sites: number, variance: number): number {
  let tau = 0;
  for (let k = 1; k < sites; k++) tau += 10 * Math.exp((-2 * Math.PI ** 2 * variance * k) / (k + 1));
  return tau;
}

/** What doubles may lose here: some thousand roundings of 2^-53 are less than 2^-42. */
export const slack = 2 ** -30;

/**
 * Whether a ledger books enough for an event.
 */
export function holdsCharge(
  event: ChargedEvent,
  { rho, factor = 1 }: Pick<StageCharge, "rho" | "factor">,
): boolean {
  const least = rhoOf(event) * factor;
  return least === Number.POSITIVE_INFINITY ? rho === null : rho !== null && rho >= least * (1 - slack);
}

/**
 * ε of ρ > 0 at δ, to a relative 2^-30: with α = 1 + x, the least of αρ + log(1 - 1/α) - log(αδ)/(α - 1) [CKS20, Corollary 13]. It
 * holds for every α, so that nothing rests on finding the best one.
 */
export function epsilonAt(rho: number, delta: number): number {
  // The least is where x²ρ + log α = log(1/δ), whose left side grows with x.
  let [low, high] = [0, Math.min(Math.sqrt(-Math.log(delta) / rho), Math.expm1(-Math.log(delta)))];
  for (let step = 0; step < 100; step++) {
    const x = (low + high) / 2;
    if (x ** 2 * rho + Math.log1p(x) < -Math.log(delta)) low = x;
    else high = x;
  }
  const x = high;
  return Math.max(0, (1 + x) * rho - Math.log1p(1 / x) - (Math.log1p(x) + Math.log(delta)) / x);
}
