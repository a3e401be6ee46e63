import type { Label } from "@consilium/core/study/features";

/** What a release says of a label's levels whose rows do not stand out of the noise. @param classRows - of each level */
export function missingClasses(
  { name }: Pick<Label, "name">,
  classRows: readonly { readonly level: string; readonly rows: number; readonly noiseStdDev: number }[],
): string[] {
  return classRows
    .filter(({ rows, noiseStdDev }) => rows <= 3 * noiseStdDev)
    .map(
      ({ level }) =>
        `The sums show no rows of ${name} = ${level} that stand out of the noise: over all sites there may be none. The model then says nothing of that level.`,
    );
}
