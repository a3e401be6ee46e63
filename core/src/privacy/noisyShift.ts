import { type LossDistribution, trim } from "./lossDistribution.js";
import { portableExponential } from "./portableExponential.js";

/**
 * The pair that dominates one entry of a sum with noise from every site: the noise, and the noise shifted by the most that one
 * record adds there. Proof: docs/methods/loss-distributions.md#dominating-pair.
 */
export interface NoisyShift {
  /** w, a positive integer: a record adds an integer of -w to w to the entry. */
  readonly most: number;
  /** V ≥ 1/4: each share of noise is a discrete Gaussian of this parameter. */
  readonly shareVariance: number;
  /** S: shares that are certainly in the sum and unknown to the adversary. */
  readonly noiseShares: number;
}

/** SV, the parameter of the discrete Gaussian that is close to the sum of the shares. */
export function guaranteedVariance({ shareVariance, noiseShares }: NoisyShift): number {
  return shareVariance * noiseShares;
}

/** Noise beyond so many standard deviations counts as an infinite loss: both tails have less than e^-84. */
const deviations = 13;
const bothTails = 2 ** -120;
/** Where the noise has more values, neighbouring ones are taken together. */
const blocksMost = 2 ** 17;
/** Relative error of the losses below, with room; and of the masses, of which 2^17 may be added up at one loss. */
const lossError = 2 ** -46;
const massError = 2 ** -35;
/** 2π², rounded down. */
const twoPiSquared = 19.7392088021787;
/** 1/√(2π), rounded up. */
const perRootTwoPi = 0.398942280401433;

/**
 * A bound on the privacy loss of one such entry, on the grid of `step`.
 *
 * The sum of the shares has at x at most e^t times the mass of N_Z(0, SV), which is at most e^(-x²/(2SV))/√(2πSV), and its loss
 * there is at most (w² + 2wx)/(2SV) + t. A mass whose loss lies between two losses of the grid is divided between them so
 * that both hypotheses keep theirs: what is seen then is finer than the truth, never coarser [DGKKM22].
 */
export function lossOfShift(shift: NoisyShift, step: number): LossDistribution {
  const { most, shareVariance, noiseShares } = shift;
  if (!(most >= 1 && shareVariance >= 0.25 && noiseShares >= 1)) {
    throw new RangeError(
      "a shift of noise needs a positive integer, a share's variance from 1/4 and a share",
    );
  }
  const variance = guaranteedVariance(shift);
  const stdDev = Math.sqrt(variance);
  const slack = notQuiteGaussian(shareVariance, noiseShares);
  const farthest = Math.ceil(deviations * stdDev);
  const block = Math.max(1, Math.ceil((2 * farthest + 1) / blocksMost));
  const lossAt = (x: number) => {
    const loss = (most * (most + 2 * x)) / (2 * variance);
    return loss + Math.abs(loss) * lossError + slack;
  };
  const lowest = Math.floor(lossAt(-farthest) / step) - 1;
  const highest = Math.ceil(lossAt(farthest + block) / step) + 1;
  if (highest - lowest > 2 ** 20) throw new RangeError("the losses spread over more than 2^20 steps");
  const masses = new Float64Array(highest - lowest + 1);
  const scale = block * (perRootTwoPi / stdDev) * portableExponential(slack) * (1 + massError);
  for (let x = -farthest; x <= farthest; x += block) {
    // A block's masses are at most e^(-x²/2SV - ix/SV) for i = 0, 1, …, which is convex in i: their mean is at most that of the ends.
    const first = portableExponential((-x * x) / (2 * variance));
    const mean =
      block === 1 ? first : (first + portableExponential((-x * (x + 2 * (block - 1))) / (2 * variance))) / 2;
    const mass = mean * scale;
    // The loss grows with x: the block's last is its largest.
    const loss = lossAt(x + block - 1);
    const index = Math.floor(loss / step);
    const above = partAbove(loss - index * step, step);
    const at = index - lowest;
    masses[at + 1] = masses[at + 1]! + mass * above;
    masses[at] = masses[at]! + mass * (1 - above);
  }
  return trim({ step, lowest, masses, infinite: bothTails });
}

/**
 * The part of a mass, a loss of `rest` above a grid's loss, that goes to the next one: (1 - e^-rest)/(1 - e^-step), rounded up. As
 * -(ln(1 - e^-t)/t)' is at most 1/2, that is at most rest/step·e^u with u = (step - rest)/2, and e^u ≤ 1 + u + u².
 */
function partAbove(rest: number, step: number): number {
  const u = (step - rest) / 2;
  return Math.min(1, Math.max(0, rest / step) * (1 + u + u * u) + 2 ** -45);
}

/**
 * t: by how much, at most, the logarithms of the sum's masses and of their ratios differ from those of N_Z(0, SV), rounded up.
 *
 * Adding one share to j of them multiplies every mass by a factor that is the same to a part of ϑ_j either way, by Poisson's
 * summation formula: ϑ_j = 2·Σ_k exp(-2π²·v·k²), v = V·j/(j + 1). The sum of log((1 + ϑ_j)/(1 - ϑ_j)) is at most that of 2ϑ_j/(1 - ϑ_j²).
 */
function notQuiteGaussian(shareVariance: number, noiseShares: number): number {
  let sum = 0;
  for (let j = 1; j < noiseShares; j++) {
    const first = portableExponential((-twoPiSquared * shareVariance * j) / (j + 1));
    const theta = (2 * first) / (1 - first * first * first);
    sum += (2 * theta) / (1 - theta * theta);
  }
  return sum * (1 + massError);
}
