/**
 * Gaussian numbers that are the same on every machine: Box-Muller [BM58] with logarithm, sine and cosine computed
 * here from additions, multiplications, divisions and square roots alone, which IEEE 754 fixes to the last bit.
 * `Math.log`, `Math.sin` and `Math.cos` may differ between engines and versions.
 *
 * Continuous Gaussians in floating point: for the noise of the published methods, whose claim is not verified
 * anyway, and for test data. A proven mechanism must not use them [Mir12].
 */

/** No standard normal drawn here is larger: √(-2 ln 2^-53) = 8.5717 for uniforms that are multiples of 2^-53. */
export const normalLimit = 8.572;

/**
 * A stream of independent standard normal numbers.
 *
 * Each pair takes two uniforms in this order: u, then v. With r = √(-2 ln(1 - u)), the pair is r·cos(2πv), then
 * r·sin(2πv).
 * @param uniform - draws from [0, 1), at most 1 - 2^-53
 * @returns a function that draws the next number, |z| < `normalLimit`
 */
export function normalStream(uniform: () => number): () => number {
  let waiting: number | null = null;
  return () => {
    if (waiting !== null) {
      const second = waiting;
      waiting = null;
      return second;
    }
    const radius = Math.sqrt(-2 * naturalLog(1 - uniform()));
    const [cosine, sine] = cosineSineOfTurns(uniform());
    waiting = radius * sine;
    return radius * cosine;
  };
}

/**
 * Natural logarithm by the method of FDLIBM's `__ieee754_log`: x = 2^k·(1+f), log(1+f) = f - f²/2 + s·(f²/2 + R(s²))
 * with s = f/(2+f). Error below one unit in the last place.
 * @param x - positive, normal
 */
export function naturalLog(x: number): number {
  if (!(x >= 2 ** -1022 && x < Number.POSITIVE_INFINITY)) {
    throw new RangeError("the logarithm needs a positive normal number");
  }
  let exponent = 0;
  let mantissa = x;
  // Powers of two scale exactly. Uniforms in (0, 1] take few steps.
  while (mantissa < 2 ** -16) {
    mantissa *= 2 ** 16;
    exponent -= 16;
  }
  while (mantissa >= 2 ** 16) {
    mantissa *= 2 ** -16;
    exponent += 16;
  }
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    exponent--;
  }
  while (mantissa >= Math.SQRT2) {
    mantissa *= 0.5;
    exponent++;
  }
  const f = mantissa - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd =
    z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const half = 0.5 * f * f;
  const ln2High = 0.6931471803691238;
  const ln2Low = 1.9082149292705877e-10;
  return exponent * ln2High - (half - (s * (half + even + odd) + exponent * ln2Low) - f);
}

/**
 * Cosine and sine of 2π·turns. The turns are reduced to an eighth exactly, before anything is rounded; then FDLIBM's
 * `__kernel_cos` and `__kernel_sin` polynomials.
 * @param turns - in [0, 1)
 */
export function cosineSineOfTurns(turns: number): readonly [cosine: number, sine: number] {
  const quarter = Math.floor(4 * turns + 0.5);
  const angle = 2 * Math.PI * (turns - quarter / 4);
  const z = angle * angle;
  const sine =
    angle +
    angle *
      z *
      (-0.16666666666666632 +
        z *
          (0.00833333333332249 +
            z *
              (-0.0001984126982985795 +
                z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)))));
  const tail =
    z *
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (2.480158728947673e-5 +
              z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  const cosine = 1 - (0.5 * z - tail);
  switch (quarter & 3) {
    case 0:
      return [cosine, sine];
    case 1:
      return [-sine, cosine];
    case 2:
      return [-cosine, -sine];
    default:
      return [sine, -cosine];
  }
}
