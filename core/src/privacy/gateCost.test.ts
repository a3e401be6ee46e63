import { chargedEvent, epsilonAt, holdsCharge, rhoOf } from "@consilium/gate/cost";
import type { Query } from "@consilium/gate/query";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epsilonFromRho } from "./conversions.js";
import { distributedRho } from "./distributedNoise.js";
import { checkEvent, type DistributedDiscreteGaussianEvent, type PrivacyEvent } from "./events.js";
import { zcdpAccountant } from "./zcdp.js";

/** The gate's own account of a stage, in doubles, beside the ledger's in exact arithmetic. */
const queries: fc.Arbitrary<Query> = fc.oneof(
  fc.record({
    kind: fc.constant("vector" as const),
    parts: fc.integer({ min: 1, max: 20 }),
    length: fc.integer({ min: 1, max: 10_000 }),
    limit: fc.integer({ min: 1, max: 2 ** 40 }),
  }),
  fc.record({
    kind: fc.constant("gram" as const),
    parts: fc.integer({ min: 1, max: 3 }),
    order: fc.integer({ min: 1, max: 100 }),
    limit: fc.integer({ min: 1, max: 2 ** 20 }),
  }),
);

const noises = fc.record({
  shareVariance: fc.double({ min: 0.5, max: 1e6, noNaN: true }),
  sites: fc.integer({ min: 5, max: 40 }),
  shares: fc.integer({ min: 1, max: 5 }),
});

const charged = (event: PrivacyEvent): number => {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  accountant.compose(event);
  return accountant.rho();
};

describe("the gate's ρ", () => {
  it("is that of exact arithmetic, to a relative 2^-40", () => {
    fc.assert(
      fc.property(queries, noises, (query, noise) => {
        const event = chargedEvent({ query, scale: 1, patients: null, noise });
        const exact = distributedRho(checkEvent(event) as DistributedDiscreteGaussianEvent).ceiling();
        expect(Math.abs(rhoOf(event) - exact)).toBeLessThanOrEqual(exact * 2 ** -40);
      }),
    );
  });

  it("takes what a ledger books, for a row and for a patient, and nothing much below", () => {
    fc.assert(
      fc.property(queries, noises, fc.integer({ min: 1, max: 20 }), (query, noise, rowsMost) => {
        const event = chargedEvent({ query, scale: 1, patients: { rowsMost, unit: null }, noise });
        const rho = charged(event);
        expect(holdsCharge(event, { rho, factor: 1 })).toBe(true);
        expect(holdsCharge(event, { rho: rho * (1 - 1e-8), factor: 1 })).toBe(false);
      }),
    );
  });
});

describe("the gate's ε", () => {
  it("is that of exact arithmetic, to a relative 2^-30", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -30, max: 5, noNaN: true }),
        fc.double({ min: -60, max: -1, noNaN: true }),
        (logRho, logDelta) => {
          const [rho, delta] = [2 ** logRho, 2 ** logDelta];
          const exact = epsilonFromRho({ rho, delta });
          expect(Math.abs(epsilonAt(rho, delta) - exact)).toBeLessThanOrEqual(exact * 2 ** -30 + 1e-14);
        },
      ),
    );
  });
});
