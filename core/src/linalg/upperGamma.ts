/**
 * Q(a, x) = Γ(a, x)/Γ(a): by its power series below a + 1 [AS64, 6.5.29], by its continued fraction above [AS64, 6.5.31], with
 * Lentz's algorithm. P(χ² > x) of k degrees of freedom is Q(k/2, x/2).
 * @param a - greater than 0
 * @returns from 0 to 1, to a relative 1e-12 for a below 100; 1 where x ≤ 0
 */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 100_000; n++) {
    const factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
}

/** Stirling's series far out, brought back by the recurrence. */
function logGamma(a: number): number {
  let [shifted, shift] = [a, 0];
  while (shifted < 20) shift += Math.log(shifted++);
  const square = shifted * shifted;
  const series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
