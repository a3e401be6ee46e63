/** What ε and δ mean, in the words that every page, record and command uses, for readers of no formulas. */

interface Cost {
  readonly epsilon: number;
  readonly delta: number;
}

/** The bands of [PHK23, section 5.2]: at most 1 strong, at most 10 reasonable, beyond it little. */
export function strengthOf(epsilon: number): { readonly word: string; readonly text: string } {
  if (epsilon <= 1)
    return { word: "strong", text: "ε up to 1 is strong protection, by the bands that researchers use." };
  if (epsilon <= 10)
    return {
      word: "moderate",
      text: "ε between 1 and 10 is a real protection, but not a strong one, by the bands that researchers use.",
    };
  return {
    word: "weak",
    text: "With ε over 10 the proof says little. Do not rely on it alone, by the bands that researchers use.",
  };
}

/**
 * How often somebody can be right, in a hundred, who knows everything else, would have guessed evenly, and has seen the
 * results: (e^ε + δ) / (1 + e^ε) [KOV15, theorem 2.1], rounded up.
 */
export function rightInAHundred({ epsilon, delta }: Cost): number {
  // e^ε may be beyond all doubles.
  const share = (1 + delta * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
  return Math.min(100, Math.ceil(share * 1_000) / 10);
}

/**
 * The guessing game in two sentences.
 * @param unit - what is protected, such as `one patient` or `one record of one site`
 */
export function guessText(cost: Cost, unit: string): string {
  const used = protectsPatients(unit) ? "one patient's data were or were not" : "one record was or was not";
  return `Suppose someone knows everything else and thinks it equally likely that ${used} used: without the results they guess right 50 times in 100. With the results it is at most ${rightInAHundred(cost)} times.`;
}

/** Whether what is protected is a patient, and not a record of one. */
export function protectsPatients(unit: string): boolean {
  return /patient/i.test(unit);
}

/** Error of the product with a thousand, at most. */
const slack = 1e-9;

/** ε that is needed or used, to three decimals and rounded up. */
export function epsilonUp(epsilon: number): number {
  return Math.ceil(epsilon * 1_000 - slack) / 1_000;
}

/** ε that is left, to three decimals and rounded down. */
export function epsilonDown(epsilon: number): number {
  return Math.floor(epsilon * 1_000 + slack) / 1_000;
}

/** δ as a number and as a chance: `1e-6 (1 in 1,000,000)`. */
export function deltaText(delta: number): string {
  const number = delta !== 0 && delta < 1e-3 ? delta.toExponential() : String(delta);
  if (delta <= 0 || delta >= 1) return number;
  return `${number} (1 in ${Math.floor(1 / delta + 1e-6).toLocaleString("en-GB")})`;
}
