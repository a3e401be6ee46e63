import { SumError } from "./errors.js";

/** What a secure sum's sites and aggregator derive from the study alone; nobody sets it. */
export interface SumParameters {
  /** s: sites on the roster. */
  readonly sites: number;
  /** T: at least so many sites advertise keys, share, survive and sign one list of survivors. */
  readonly threshold: number;
  /** Who masks and shares with whom. */
  readonly graph: SumGraph;
  /** t: so many shares of those dealt within a neighbourhood give a secret. */
  readonly shareThreshold: number;
}

/** `degree` is even: as many neighbours on either side of a cycle, half of them each. */
export type SumGraph =
  | { readonly kind: "complete" }
  | { readonly kind: "circulant"; readonly degree: number };

/** Shares of one secret, at most: the points of GF(2^8) other than zero. */
export const maxShares = 255;

/** Up to this many sites, everybody masks with everybody [BIK17]. */
export const completeUpTo = 32;

/** A sum fails for a thin neighbourhood with probability at most 2^-20, when a tenth of the sites drop at random. */
const failureBits = 20n;

/**
 * T = max(⌊2s/3⌋ + 1, ⌊(s + c)/2⌋ + 1, minimumSites). It always has 2T > s + c: no two lists of survivors are both
 * signed by T sites of which c may sign twice [BIK17, section 6.2].
 * @param sites - s, on the full roster of the study
 * @param tolerateColluding - c
 */
export function thresholdFor(options: SumOptions): number {
  const { sites, minimumSites, tolerateColluding } = options;
  return Math.max(
    Math.floor((2 * sites) / 3) + 1,
    Math.floor((sites + tolerateColluding) / 2) + 1,
    minimumSites,
  );
}

interface SumOptions {
  readonly sites: number;
  readonly minimumSites: number;
  readonly tolerateColluding: number;
}

/**
 * Threshold and graph of a study's sums: the complete graph up to 32 sites, above it the circulant graph of the least
 * degree that is both safe and sturdy, and the complete one again where no such degree exists.
 * @throws SumError STUDY_INVALID when no parameters protect this many sites from this many colluding ones
 */
export function sumParameters(options: SumOptions): SumParameters {
  const { sites, tolerateColluding } = options;
  if (![sites, options.minimumSites, tolerateColluding].every((n) => Number.isSafeInteger(n) && n >= 0))
    throw new RangeError("sites, minimumSites and tolerateColluding are whole numbers from 0");
  const threshold = thresholdFor(options);
  if (threshold > sites || threshold - tolerateColluding < 2) {
    throw new SumError(
      "STUDY_INVALID",
      `a sum of ${sites} sites with ${tolerateColluding} colluding would need ${threshold} of them`,
      { remedy: "lower participation.tolerateColluding, or add sites" },
    );
  }
  const degree = sites <= completeUpTo ? null : leastDegree(sites, tolerateColluding);
  if (degree !== null) {
    const graph = { kind: "circulant", degree } as const;
    return { sites, threshold, graph, shareThreshold: circulantShareThreshold(degree) };
  }
  if (sites > maxShares) {
    throw new SumError(
      "STUDY_INVALID",
      `no graph over ${sites} sites with at most ${maxShares} in a neighbourhood tolerates ${tolerateColluding} colluding sites`,
      { remedy: "lower participation.tolerateColluding" },
    );
  }
  return { sites, threshold, graph: { kind: "complete" }, shareThreshold: threshold };
}

/**
 * Whether these parameters protect an honest site from the aggregator and so many colluding sites, for every order of
 * the cycle and every choice of dropouts. SPEC.md proves it:
 *
 *   2T > s + c              one list of survivors, one transcript
 *   2t > |H| + c            never both secrets of one site, no matter who answers what
 *   t ≥ k/2 + c + 2         on a cycle: no run of honest sites can be cut off and opened (circulant only)
 */
export function tolerates(parameters: SumParameters, colluding: number): boolean {
  const { sites, threshold, graph, shareThreshold } = parameters;
  if (2 * threshold <= sites + colluding) return false;
  if (graph.kind === "complete") return shareThreshold === threshold;
  return isSafe(graph.degree, shareThreshold, colluding);
}

const isSafe = (k: number, t: number, c: number): boolean => 2 * t > k + 1 + c && t >= k / 2 + c + 2;

/** t = ⌊2(k+1)/3⌋ + 1 of the k + 1 sites of a closed neighbourhood. */
function circulantShareThreshold(degree: number): number {
  return Math.floor((2 * (degree + 1)) / 3) + 1;
}

function leastDegree(sites: number, tolerateColluding: number): number | null {
  for (let degree = 2; degree < sites - 1 && degree < maxShares; degree += 2) {
    const t = circulantShareThreshold(degree);
    if (isSafe(degree, t, tolerateColluding) && isSturdy(sites, degree + 1, t)) return degree;
  }
  return null;
}

/**
 * Whether s · P(more than h - t of a neighbourhood's h sites are among ⌈s/10⌉ dropped at random) ≤ 2^-20. The count is
 * hypergeometric; in whole numbers, so that every machine finds the same degree.
 */
function isSturdy(sites: number, size: number, shareThreshold: number): boolean {
  const dropped = Math.ceil(sites / 10);
  const [s, h, d] = [BigInt(sites), BigInt(size), BigInt(dropped)];
  let thin = 0n;
  for (let j = BigInt(size - shareThreshold + 1); j <= h && j <= d; j++) {
    if (h - j <= s - d) thin += binomial(d, j) * binomial(s - d, h - j);
  }
  return (s * thin) << failureBits <= binomial(s, h);
}

function binomial(n: bigint, k: bigint): bigint {
  let product = 1n;
  for (let i = 1n; i <= k; i++) product = (product * (n - k + i)) / i;
  return product;
}
