import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Accountant } from "@consilium/core/privacy/accountant";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { deltaFromRho } from "@consilium/core/privacy/deltaConversions";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { pldAccountant } from "@consilium/core/privacy/pld";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import {
  analyticGaussianAccountant,
  gaussianDelta,
  gaussianEpsilon,
  gaussianStdDev,
} from "@consilium/core/testing/privacy/analyticGaussian";
import { rdpAccountant } from "@consilium/core/testing/privacy/rdp";
import { stdDevFromRho } from "@consilium/core/testing/privacy/stdDev";
import { inGate } from "@consilium/core/testing/wholeRun";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";

/**
 * The accounting against values that independent programs computed: Google's dp_accounting, the authors' own program
 * of [CKS20], and mpmath at 60 digits. Ours rounds against us, so beside agreement it must never be the better one.
 */

const n = z.number();
const row = <T extends z.ZodRawShape>(shape: T) => z.array(z.object(shape)).min(1);
const oraclesSchema = z.object({
  gaussian_sigma: row({ eps: n, delta: n, sigma_mp: n }),
  gaussian_epsilon: row({ sigma: n, delta: n, eps_mp: n }),
  gaussian_delta: row({ sigma: n, eps: n, delta_mp: z.string() }),
  gaussian_composition: row({
    sigma: n,
    k: n,
    delta: n,
    eps_exact_mp: n,
    eps_rdp: n,
    rho: n,
    eps_zcdp_standard: n,
    eps_zcdp_tight: n,
  }),
  gaussian_composition_heterogeneous: row({
    sigmas: z.array(n),
    delta: n,
    rho: n,
    eps_exact_mp: n,
    eps_rdp: n,
    eps_zcdp_tight: n,
  }),
  calibrate_k_gaussians: row({ eps: n, delta: n, k: n, sigma_exact_mp: n, sigma_zcdp_tight: n }),
  zcdp_to_eps: row({ rho: n, delta: n, eps_standard: n, eps_tight: n }),
  eps_to_zcdp: row({ eps: n, delta: n, rho_tight: n, rho_standard: n }),
  zcdp_to_delta: row({ rho: n, eps: n, delta_tight: n, delta_standard: n }),
  discrete_gaussian_delta: row({ sigma2: n, eps: n, delta_exact: n, delta_continuous: n }),
  discrete_gaussian_composition: row({ sigma: n, k: n, delta: n, eps_pld: n, eps_rdp: n }),
  laplace_composition: row({ scale: n, k: n, delta: n, eps_basic: n, eps_pld: n, eps_rdp: n }),
  rdp_gaussian: row({ sigma: n, order: n, rdp: n }),
});

function readOracles(): z.infer<typeof oraclesSchema> | null {
  const folder = process.env.CONSILIUM_ORACLES ?? "";
  if (folder !== "") {
    return oraclesSchema.parse(JSON.parse(readFileSync(join(folder, "dp_accounting.json"), "utf8")));
  }
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") {
    throw new Error("CONSILIUM_ORACLES is not set; CONSILIUM_FORBID_SKIPS=1 forbids to skip what needs it");
  }
  process.stderr.write("\nSKIPPED: the accounting's oracles, because CONSILIUM_ORACLES is not set\n");
  return null;
}

const oracles = readOracles();
const compared: string[] = [];

/** A reference that is a double itself may lie half a unit in the last place above the value it stands for. */
const lastPlace = 2 ** -52;

/** Of the gate every third value where each takes long: of the analytic Gaussian, which only tests use, and of fine noise. */
const some = <T>(values: readonly T[]): T[] => values.filter((_, i) => i % inGate(3, { whole: 1 }) === 0);

/**
 * Every one of `pairs` is at least its reference and at most `tolerance` above it, relatively. `sign` -1 turns that
 * round, for what is rounded down.
 */
function expectAgainstUs(
  name: string,
  pairs: readonly { readonly ours: number; readonly reference: number }[],
  options: { readonly tolerance: number; readonly below?: number; readonly sign?: 1 | -1 },
): void {
  const { tolerance, below = lastPlace, sign = 1 } = options;
  let most = 0;
  for (const { ours, reference } of pairs) {
    const error = reference === 0 ? ours : ours / reference - 1;
    expect(sign * error, `${name}: ${ours} for ${reference}`).toBeGreaterThanOrEqual(-below);
    expect(sign * error, `${name}: ${ours} for ${reference}`).toBeLessThanOrEqual(tolerance);
    most = Math.max(most, Math.abs(error));
  }
  compared.push(`${name}: ${pairs.length} values, largest relative difference ${most.toExponential(1)}`);
}

afterAll(() => {
  if (compared.length > 0) process.stderr.write(`\n${compared.join("\n")}\n`);
});

function composed(make: (options: { neighbouringRelation: "add-remove" }) => Accountant) {
  return (event: PrivacyEvent, count: number): Accountant => {
    const accountant = make({ neighbouringRelation: "add-remove" });
    accountant.compose(event, count);
    return accountant;
  };
}

const gaussian = (stdDev: number): PrivacyEvent => ({
  kind: "gaussian",
  l2SensitivitySquared: 1,
  variance: stdDev * stdDev,
});

/** The programs that bisect in doubles stop this far from the value that they look for. */
const bisected = 1e-12;

describe.runIf(oracles !== null)("accounting against independent programs", () => {
  const reference = oracles!;

  it("calibrates the analytic Gaussian as mpmath does", () => {
    expectAgainstUs(
      "σ of (ε, δ), analytic",
      some(reference.gaussian_sigma).map(({ eps, delta, sigma_mp }) => ({
        ours: gaussianStdDev({ epsilon: eps, delta, l2Sensitivity: 1 }),
        reference: sigma_mp,
      })),
      { tolerance: 1e-12 },
    );
    expectAgainstUs(
      "ε of (σ, δ), analytic",
      some(reference.gaussian_epsilon).map(({ sigma, delta, eps_mp }) => ({
        ours: gaussianEpsilon({ stdDev: sigma, l2Sensitivity: 1, delta }),
        reference: eps_mp,
      })),
      { tolerance: 1e-12 },
    );
    expectAgainstUs(
      "δ of (σ, ε), analytic",
      some(reference.gaussian_delta).map(({ sigma, eps, delta_mp }) => ({
        ours: gaussianDelta({ stdDev: sigma, l2Sensitivity: 1, epsilon: eps }),
        reference: Number(delta_mp),
      })),
      { tolerance: 1e-14 },
    );
  });

  it("converts zCDP as the authors' program does, and never worse than the older conversion", () => {
    expectAgainstUs(
      "ε of (ρ, δ)",
      reference.zcdp_to_eps.map(({ rho, delta, eps_tight }) => ({
        ours: epsilonFromRho({ rho, delta }),
        reference: eps_tight,
      })),
      { tolerance: bisected, below: bisected },
    );
    for (const { rho, delta, eps_standard } of reference.zcdp_to_eps) {
      expect(epsilonFromRho({ rho, delta })).toBeLessThan(eps_standard);
    }
    expectAgainstUs(
      "ρ of (ε, δ)",
      reference.eps_to_zcdp.map(({ eps, delta, rho_tight }) => ({
        ours: rhoFromEpsilon({ epsilon: eps, delta }),
        reference: rho_tight,
      })),
      { tolerance: bisected, below: bisected, sign: -1 },
    );
    for (const { eps, delta, rho_standard } of reference.eps_to_zcdp) {
      expect(rhoFromEpsilon({ epsilon: eps, delta })).toBeGreaterThan(rho_standard);
    }
    expectAgainstUs(
      "δ of (ρ, ε)",
      reference.zcdp_to_delta.map(({ rho, eps, delta_tight }) => ({
        ours: deltaFromRho({ rho, epsilon: eps }),
        reference: delta_tight,
      })),
      { tolerance: bisected, below: bisected },
    );
    for (const { rho, eps, delta_standard } of reference.zcdp_to_delta) {
      expect(deltaFromRho({ rho, epsilon: eps })).toBeLessThanOrEqual(delta_standard);
    }
  });

  it("composes Gaussians", () => {
    const rows = [
      ...reference.gaussian_composition.map((entry) => ({ ...entry, sigmas: [entry.sigma] })),
      ...reference.gaussian_composition_heterogeneous.map((entry) => ({ ...entry, k: 1 })),
    ];
    const build = (make: (options: { neighbouringRelation: "add-remove" }) => Accountant, of = rows) =>
      of.map(({ sigmas, k, delta, ...entry }) => {
        const accountant = make({ neighbouringRelation: "add-remove" });
        for (const sigma of sigmas) accountant.compose(gaussian(sigma), k);
        return { ours: accountant.epsilon(delta), entry };
      });
    expectAgainstUs(
      "ε of Gaussians composed, analytic",
      build(analyticGaussianAccountant, some(rows)).map(({ ours, entry }) => ({
        ours,
        reference: entry.eps_exact_mp,
      })),
      { tolerance: 1e-12 },
    );
    expectAgainstUs(
      "ε of Gaussians composed, zCDP",
      build(zcdpAccountant).map(({ ours, entry }) => ({ ours, reference: entry.eps_zcdp_tight })),
      { tolerance: bisected, below: bisected },
    );
    // Google's orders are a grid; ours are all.
    for (const { ours, entry } of build(rdpAccountant)) {
      expect(ours).toBeLessThanOrEqual(entry.eps_rdp * (1 + 1e-9));
      expect(ours).toBeGreaterThanOrEqual(entry.eps_exact_mp);
    }
    expectAgainstUs(
      "Rényi divergence of Gaussians",
      reference.rdp_gaussian.map(({ sigma, order, rdp }) => {
        const accountant = rdpAccountant({ neighbouringRelation: "add-remove" });
        accountant.compose(gaussian(sigma));
        return { ours: accountant.divergence(order), reference: rdp };
      }),
      { tolerance: 1e-14, below: 1e-14 },
    );
  });

  it("calibrates k Gaussians", () => {
    expectAgainstUs(
      "σ of k Gaussians, zCDP",
      reference.calibrate_k_gaussians.map(({ eps, delta, k, sigma_zcdp_tight }) => ({
        ours: stdDevFromRho({ rho: rhoFromEpsilon({ epsilon: eps, delta }) / k, l2Sensitivity: 1 }),
        reference: sigma_zcdp_tight,
      })),
      { tolerance: bisected, below: bisected },
    );
    expectAgainstUs(
      "σ of k Gaussians, analytic",
      some(reference.calibrate_k_gaussians).map(({ eps, delta, k, sigma_exact_mp }) => ({
        ours: gaussianStdDev({ epsilon: eps, delta, l2Sensitivity: Math.sqrt(k) }),
        reference: sigma_exact_mp,
      })),
      { tolerance: 1e-12, below: 1e-14 },
    );
  });

  it("bounds discrete noise from above, where the continuous δ would not", () => {
    let continuousTooSmall = 0;
    for (const { sigma2, eps, delta_exact, delta_continuous } of reference.discrete_gaussian_delta) {
      expect(deltaFromRho({ rho: 1 / (2 * sigma2), epsilon: eps })).toBeGreaterThanOrEqual(delta_exact);
      if (delta_continuous < delta_exact) continuousTooSmall++;
    }
    expect(continuousTooSmall).toBeGreaterThan(0);
    const account = composed(zcdpAccountant);
    for (const { sigma, k, delta, eps_pld, eps_rdp } of reference.discrete_gaussian_composition) {
      const ours = account(
        { kind: "discrete-gaussian", l2SensitivitySquared: 1, variance: sigma * sigma },
        k,
      ).epsilon(delta);
      // A privacy-loss distribution follows the true curve closely, from above.
      expect(ours).toBeGreaterThanOrEqual(eps_pld * (1 - 1e-3));
      expect(ours).toBeLessThanOrEqual(eps_rdp * (1 + 1e-9));
    }
  });

  /** A discrete Gaussian of one share, an entry changed by 1. */
  const exact = (variance: number, count: number) =>
    pldAccountant([{ shift: { most: 1, shareVariance: variance, noiseShares: 1 }, count }]);

  it("accounts for discrete noise exactly, as Google's accountant of loss distributions does", () => {
    expectAgainstUs(
      "δ of discrete Gaussians, exact",
      // Below this δ nothing is resolved: what is cut at the ends is added to it.
      reference.discrete_gaussian_delta
        .filter(({ delta_exact }) => delta_exact > 1e-14)
        .map(({ sigma2, eps, delta_exact }) => ({
          ours: exact(sigma2, 1).delta(eps),
          reference: delta_exact,
        })),
      // Single entries of coarse noise have few losses, each between two of the grid.
      { tolerance: 0.02, below: 1e-12 },
    );
    // Its losses are rounded up to multiples of 10^-4: it may be above ours by half of that for each entry.
    for (const { sigma, k, delta, eps_pld } of reference.discrete_gaussian_composition) {
      const ours = exact(sigma * sigma, k).epsilon(delta);
      expect(ours).toBeGreaterThanOrEqual(eps_pld * (1 - 1e-4) - 1e-4 * k);
      expect(ours).toBeLessThanOrEqual(eps_pld * (1 + 2e-3) + 2e-6);
    }
  });

  it("accounts exactly for fine noise as for a Gaussian", () => {
    const rows = some(reference.gaussian_composition.filter(({ sigma }) => sigma >= 1));
    expectAgainstUs(
      "ε of Gaussians composed, exact on a fine grid",
      rows.map(({ sigma, k, delta, eps_exact_mp }) => ({
        ours: pldAccountant([
          { shift: { most: 256, shareVariance: (256 * sigma) ** 2, noiseShares: 1 }, count: k },
        ]).epsilon(delta),
        reference: eps_exact_mp,
      })),
      { tolerance: 3e-3, below: 1e-5 },
    );
    expect(rows.length).toBeGreaterThan(inGate(16, { whole: 50 }));
  });

  it("composes Laplace noise no worse than Rényi accounting on a grid, nor than adding ε", () => {
    const account = composed(rdpAccountant);
    for (const { scale, k, delta, eps_basic, eps_pld, eps_rdp } of reference.laplace_composition) {
      const ours = account({ kind: "laplace", l1Sensitivity: 1, scale }, k).epsilon(delta);
      expect(ours).toBeLessThanOrEqual(Math.min(eps_basic, eps_rdp) * (1 + 1e-9));
      expect(ours).toBeGreaterThanOrEqual(eps_pld * (1 - 1e-3));
    }
  });
});
