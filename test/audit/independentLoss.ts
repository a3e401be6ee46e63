import type { NoisyEntries } from "@consilium/core/privacy/pld";

/**
 * ε of composed noisy entries by another way than the product's: shares are convolved one by one, losses are put on the grid so that
 * their mean stays, and compositions are powers of a Fourier transform. Not a bound: right to about a part in ten thousand.
 */
export function independentEpsilon(parts: readonly NoisyEntries[], delta: number): number {
  const kinds = parts.map(({ shift, count }) => ({
    losses: lossesOf(sumOfShares(shift.shareVariance, shift.noiseShares), shift.most),
    count,
  }));
  const stdDev = Math.sqrt(kinds.reduce((sum, { losses, count }) => sum + count * varianceOf(losses), 0));
  const step = stdDev / stepsPerDeviation;
  let whole: Spectrum = { re: new Float64Array(size).fill(1), im: new Float64Array(size) };
  for (const { losses, count } of kinds) {
    whole = product(whole, power(transform(onGrid(losses, step)), count));
  }
  const masses = transform({ re: whole.re, im: whole.im.map((x) => -x) }).re.map((x) => x / size);
  return epsilonAt(masses, step, delta);
}

const size = 2 ** 15;
const stepsPerDeviation = 2000;

interface Spectrum {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

function sumOfShares(variance: number, shares: number): Float64Array {
  const reach = Math.ceil(10 * Math.sqrt(variance));
  const share = Float64Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * variance)),
  );
  const total = share.reduce((sum, mass) => sum + mass, 0);
  let sum = Float64Array.of(1);
  for (let j = 0; j < shares; j++) {
    const next = new Float64Array(sum.length + share.length - 1);
    for (const [x, a] of sum.entries()) {
      for (let y = 0; y < share.length; y++) next[x + y] = next[x + y]! + (a * share[y]!) / total;
    }
    sum = next;
  }
  return sum;
}

/** [loss, mass] of noise against itself moved by `most`, where both are above 10^-18. */
function lossesOf(noise: Float64Array, most: number): (readonly [number, number])[] {
  const losses: (readonly [number, number])[] = [];
  for (let x = 0; x + most < noise.length; x++) {
    const [here, there] = [noise[x]!, noise[x + most]!];
    if (here > 1e-18 && there > 1e-30) losses.push([Math.log(here / there), here]);
  }
  return losses;
}

function varianceOf(losses: readonly (readonly [number, number])[]): number {
  const mean = losses.reduce((sum, [loss, mass]) => sum + mass * loss, 0);
  return losses.reduce((sum, [loss, mass]) => sum + mass * (loss - mean) ** 2, 0);
}

/** Indices are modulo `size`: negative losses stand at the end. */
function onGrid(losses: readonly (readonly [number, number])[], step: number): Spectrum {
  const re = new Float64Array(size);
  for (const [loss, mass] of losses) {
    const index = Math.floor(loss / step);
    const above = loss / step - index;
    const at = ((index % size) + size) % size;
    const next = (at + 1) % size;
    re[at] = re[at]! + mass * (1 - above);
    re[next] = re[next]! + mass * above;
  }
  return { re, im: new Float64Array(size) };
}

function product(a: Spectrum, b: Spectrum): Spectrum {
  return {
    re: a.re.map((x, i) => x * b.re[i]! - a.im[i]! * b.im[i]!),
    im: a.re.map((x, i) => x * b.im[i]! + a.im[i]! * b.re[i]!),
  };
}

function power(base: Spectrum, count: number): Spectrum {
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const length = Math.hypot(base.re[i]!, base.im[i]!) ** count;
    const angle = Math.atan2(base.im[i]!, base.re[i]!) * count;
    re[i] = length * Math.cos(angle);
    im[i] = length * Math.sin(angle);
  }
  return { re, im };
}

/** The discrete Fourier transform, radix 2. */
function transform(input: Spectrum): Spectrum {
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  const bits = Math.log2(size);
  for (let i = 0; i < size; i++) {
    let mirrored = 0;
    for (let bit = 0; bit < bits; bit++) mirrored |= ((i >> bit) & 1) << (bits - 1 - bit);
    re[mirrored] = input.re[i]!;
    im[mirrored] = input.im[i]!;
  }
  for (let half = 1; half < size; half *= 2) {
    for (let k = 0; k < half; k++) {
      const [cos, sin] = [Math.cos((Math.PI * k) / half), -Math.sin((Math.PI * k) / half)];
      for (let from = k; from < size; from += 2 * half) {
        const to = from + half;
        const real = re[to]! * cos - im[to]! * sin;
        const imaginary = re[to]! * sin + im[to]! * cos;
        re[to] = re[from]! - real;
        im[to] = im[from]! - imaginary;
        re[from] = re[from]! + real;
        im[from] = im[from]! + imaginary;
      }
    }
  }
  return { re, im };
}

function epsilonAt(masses: Float64Array, step: number, delta: number): number {
  const deltaOf = (epsilon: number) => {
    let sum = 0;
    for (let i = Math.max(0, Math.floor(epsilon / step)); i < size / 2; i++) {
      sum += masses[i]! * Math.max(0, 1 - Math.exp(epsilon - i * step));
    }
    return sum;
  };
  let [low, high] = [0, (size / 2) * step];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (deltaOf(middle) > delta) low = middle;
    else high = middle;
  }
  return high;
}
