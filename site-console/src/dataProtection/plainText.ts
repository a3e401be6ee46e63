import { numberText } from "@consilium/core/words";

/** Numbers as people read them. */

/** To three digits, never less: for what was spent. */
export function threeDigitsUp(value: number): string {
  return numberText(rounded(value, Math.ceil));
}

/** To three digits, never more: for what remains. */
export function threeDigitsDown(value: number): string {
  return numberText(rounded(value, Math.floor));
}

function rounded(value: number, towards: (value: number) => number): number {
  if (value <= 0) return 0;
  const digits = 2 - Math.floor(Math.log10(value));
  // A number that has three digits is itself, whatever the multiplication makes of it.
  const near = Number(value.toPrecision(3));
  if (Math.abs(near - value) <= value * 1e-12) return near;
  const scale = 10 ** Math.abs(digits);
  const whole = towards(digits >= 0 ? value * scale : value / scale);
  return Number((digits >= 0 ? whole / scale : whole * scale).toPrecision(3));
}

/** By which factor ε changes the odds of any conclusion, at most. */
export function oddsFactor(epsilon: number): string {
  const factor = Math.exp(epsilon);
  if (factor > 1e6) return "more than a million";
  return factor < 100 ? String(Math.ceil(factor * 100) / 100) : String(Math.ceil(factor));
}
