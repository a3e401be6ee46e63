import { type NoisyEntries, pldAccountant } from "@consilium/core/privacy/pld";
import type { RandomSource } from "@consilium/core/random";
import type { AuditedAccounting } from "../auditedMethod.js";

/** The product's accountant of exact loss distributions. */
export const exactAccounting: AuditedAccounting = {
  kind: "accounting",
  name: "exact accounting",
  delta: 1e-5,
  plan: randomPlan,
  epsilon: (parts, delta) => pldAccountant(parts).epsilon(delta),
  // A share of noise more than there is: the mistake that counts a colluding site's.
  weakened: (parts, delta) =>
    pldAccountant(
      parts.map(({ shift, count }) => ({ shift: { ...shift, noiseShares: shift.noiseShares + 1 }, count })),
    ).epsilon(delta),
};

/** One to three kinds of entries, of coarse noise and fine, which cost an ε of .3 to 5 together. */
function randomPlan(random: RandomSource): NoisyEntries[] {
  const next = (below: number) => new DataView(random.bytes(4).buffer).getUint32(0) % below;
  const kinds = 1 + next(3);
  const rho = 0.01 * 1.5 ** next(9);
  return Array.from({ length: kinds }, () => {
    const noiseShares = 1 + next(5);
    const most = 2 ** next(4);
    // Each share is at least two units wide.
    const least = Math.ceil((4 * 2 * (rho / kinds) * noiseShares) / most ** 2);
    const count = least + next(40);
    return {
      shift: { most, noiseShares, shareVariance: (count * most ** 2 * kinds) / (2 * rho * noiseShares) },
      count,
    };
  });
}
