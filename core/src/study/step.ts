/** Numbers that people take as a step, beside powers of ten. */
const leading = [1, 2, 5, 10] as const;

/**
 * Step that is proposed for a number: a tenth of its declared range, rounded to 1, 2 or 5 times a power of ten, whichever is nearest by ratio.
 * @param range - maximum less minimum, above 0 and finite
 */
export function proposedStep(range: number): number {
  const tenth = range / 10;
  const exponent = Math.floor(Math.log10(tenth));
  const [nearest] = leading
    .map((digit) => Number(`${digit}e${exponent}`))
    .sort((a, b) => Math.abs(Math.log(a / tenth)) - Math.abs(Math.log(b / tenth)));
  return nearest!;
}

interface Declared {
  readonly type?: unknown;
  readonly min?: unknown;
  readonly max?: unknown;
  readonly per?: unknown;
}

/** A column's declaration with the step that is proposed for it; as it is where its bounds are not known, or it has one. */
export function withStep<D extends Declared>(column: D): D {
  const { type, min, max, per } = column;
  const range = typeof min === "number" && typeof max === "number" ? max - min : Number.NaN;
  if (type !== "numeric" || per !== undefined || !(range > 0) || !Number.isFinite(range)) return column;
  return { ...column, per: proposedStep(range) };
}
