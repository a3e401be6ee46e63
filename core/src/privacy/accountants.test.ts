import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyticGaussianAccountant, gaussianEpsilon } from "../../testing/privacy/analyticGaussian.js";
import { boundedEvent, boundedMechanism } from "../../testing/privacy/events.js";
import { expectRoundedUp, splitRow } from "../../testing/privacy/exact.js";
import { rdpAccountant } from "../../testing/privacy/rdp.js";
import vectors from "../../testing/privacy/testVectors/v1/accounting.json" with { type: "json" };
import type { Accountant, NeighbouringRelation } from "./accountant.js";
import { epsilonFromRho } from "./conversions.js";
import type { PrivacyEvent } from "./events.js";
import { exactRho } from "./rho.js";
import { zcdpAccountant } from "./zcdp.js";

/** What rounding may take back of monotonicity: far below what any release costs. */
const rounding = 1 + 1e-12;

const accountants: Readonly<
  Record<string, (options: { neighbouringRelation: NeighbouringRelation }) => Accountant>
> = { zcdp: zcdpAccountant, rdp: rdpAccountant, "analytic Gaussian": analyticGaussianAccountant };

const relations = ["add-remove", "replace-one"] as const;
const gaussian: PrivacyEvent = { kind: "gaussian", l2SensitivitySquared: 1, variance: 16 };
const laplace: PrivacyEvent = { kind: "laplace", l1Sensitivity: 1, scale: 4 };

function accounted(make: (typeof accountants)[string], events: readonly PrivacyEvent[]): Accountant {
  const accountant = make({ neighbouringRelation: "add-remove" });
  for (const event of events) accountant.compose(event);
  return accountant;
}

describe.each(Object.entries(accountants))("the contract of accountants: %s", (_, make) => {
  const fresh = () => make({ neighbouringRelation: "add-remove" });
  /** Events that this accountant takes. */
  const accepted = boundedEvent.filter((event) => fresh().refusal(event) === null);

  it("costs nothing before anything is composed", () => {
    for (const neighbouringRelation of relations) {
      const accountant = make({ neighbouringRelation });
      expect(accountant.neighbouringRelation).toBe(neighbouringRelation);
      expect(accountant.ledger).toEqual([]);
      expect(accountant.epsilon(0)).toBe(0);
      expect(accountant.epsilon(1e-5)).toBe(0);
      expect(accountant.delta(0)).toBe(0);
    }
  });

  it("keeps a ledger of what was composed, in order and frozen", () => {
    const accountant = fresh();
    accountant.compose(gaussian, 3);
    accountant.compose({ kind: "repeated", event: gaussian, count: 2 });
    expect(accountant.ledger).toEqual([
      { event: gaussian, count: 3 },
      { event: { kind: "repeated", event: gaussian, count: 2 }, count: 1 },
    ]);
    expect(accountant.ledger.every((entry) => Object.isFrozen(entry) && Object.isFrozen(entry.event))).toBe(
      true,
    );
  });

  it("changes nothing when it refuses: malformed, unknown, unsupported, or counted wrongly", () => {
    const accountant = fresh();
    accountant.compose(gaussian);
    const before = accountant.epsilon(1e-5);
    const unknown = { kind: "uniform", width: 1 } as unknown as PrivacyEvent;
    const refusals: [PrivacyEvent, number][] = [
      [unknown, 1],
      [{ ...gaussian, variance: -1 } as PrivacyEvent, 1],
      // The first part alone would be accepted.
      [{ kind: "composed", events: [gaussian, unknown] }, 1],
      [gaussian, 0],
      [gaussian, 1.5],
      [gaussian, Number.NaN],
    ];
    for (const [event, count] of refusals) expect(() => accountant.compose(event, count)).toThrow(RangeError);
    for (const event of [laplace, { kind: "no-bound", reason: "test" }] as const) {
      const mixed: PrivacyEvent = { kind: "composed", events: [gaussian, event] };
      if (accountant.refusal(event) === null) continue;
      expect(() => accountant.compose(mixed)).toThrow(accountant.refusal(event)!);
    }
    expect(accountant.ledger).toHaveLength(1);
    expect(accountant.epsilon(1e-5)).toBe(before);
  });

  it("rises with every event", () => {
    fc.assert(
      fc.property(fc.array(accepted, { maxLength: 4 }), accepted, (events, further) => {
        const accountant = accounted(make, events);
        const [epsilon, delta] = [accountant.epsilon(1e-6), accountant.delta(1)];
        accountant.compose(further);
        expect(accountant.epsilon(1e-6) * rounding).toBeGreaterThanOrEqual(epsilon);
        expect(accountant.delta(1) * rounding).toBeGreaterThanOrEqual(delta);
      }),
      { numRuns: 40 },
    );
  });

  it("falls as δ or ε grows, and gives back at most what it took", () => {
    fc.assert(
      fc.property(fc.array(accepted, { minLength: 1, maxLength: 4 }), (events) => {
        const accountant = accounted(make, events);
        const epsilons = [1e-12, 1e-6, 1e-3].map((delta) => accountant.epsilon(delta));
        expect(epsilons[0]! * rounding).toBeGreaterThanOrEqual(epsilons[1]!);
        expect(epsilons[1]! * rounding).toBeGreaterThanOrEqual(epsilons[2]!);
        const deltas = [0, 1, 10].map((epsilon) => accountant.delta(epsilon));
        expect(deltas[0]! * rounding).toBeGreaterThanOrEqual(deltas[1]!);
        expect(deltas[1]! * rounding).toBeGreaterThanOrEqual(deltas[2]!);
        expect(deltas[0]).toBeLessThanOrEqual(1);
        // At the ε of 1e-6, δ is no more than 1e-6 up to ε's own last digit.
        expect(accountant.delta(epsilons[1]! * (1 + 1e-9))).toBeLessThanOrEqual(1e-6 * (1 + 1e-6));
      }),
      { numRuns: 40 },
    );
  });

  it("does not depend on order, nesting or how counts are written", () => {
    fc.assert(
      fc.property(fc.array(accepted, { minLength: 1, maxLength: 4 }), (events) => {
        const one = accounted(make, events).epsilon(1e-6);
        const same = [
          accounted(make, events.toReversed()),
          accounted(make, [{ kind: "composed", events }]),
          accounted(make, [{ kind: "group", records: 1, event: { kind: "composed", events } }]),
        ];
        for (const accountant of same) expect(accountant.epsilon(1e-6)).toBeCloseTo(one, 9);
        const twice = accounted(make, [...events, ...events]).epsilon(1e-6);
        const counted = fresh();
        for (const event of events) counted.compose(event, 2);
        expect(counted.epsilon(1e-6)).toBeCloseTo(twice, 9);
        const repeated = accounted(
          make,
          events.map((event) => ({ kind: "repeated", event, count: 2 })),
        );
        expect(repeated.epsilon(1e-6)).toBeCloseTo(twice, 9);
      }),
      { numRuns: 20 },
    );
  });

  it("charges replace-one as a person with two records, and groups more than their members", () => {
    fc.assert(
      fc.property(fc.array(accepted, { minLength: 1, maxLength: 3 }), (events) => {
        const replaced = make({ neighbouringRelation: "replace-one" });
        for (const event of events) replaced.compose(event);
        const grouped = accounted(
          make,
          events.map((event) => ({ kind: "group", records: 2, event })),
        );
        expect(replaced.epsilon(1e-6)).toBe(grouped.epsilon(1e-6));
        expect(grouped.epsilon(1e-6) * rounding).toBeGreaterThanOrEqual(
          accounted(make, events).epsilon(1e-6),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("has an answer for events of any size, from the smallest double to the largest", () => {
    const extreme = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });
    const events: fc.Arbitrary<PrivacyEvent> = fc.oneof(
      fc.record({ kind: fc.constant("gaussian" as const), l2SensitivitySquared: extreme, variance: extreme }),
      fc.record({ kind: fc.constant("laplace" as const), l1Sensitivity: extreme, scale: extreme }),
      fc.record({ kind: fc.constant("discrete-laplace" as const), l1Sensitivity: extreme, scale: extreme }),
      fc.record({ kind: fc.constant("exponential-mechanism" as const), epsilon: extreme }),
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 3 }), (list) => {
        const accountant = fresh();
        for (const event of list) if (accountant.refusal(event) === null) accountant.compose(event);
        for (const delta of [0, 1e-300, 1e-6, 0.999])
          expect(accountant.epsilon(delta)).toBeGreaterThanOrEqual(0);
        for (const epsilon of [0, 1e-300, 1, 1e300]) {
          expect(accountant.delta(epsilon)).toBeGreaterThanOrEqual(0);
          expect(accountant.delta(epsilon)).toBeLessThanOrEqual(1);
        }
      }),
      {
        numRuns: 40,
        // ρ is below every double, and a sum of numbers near 2^1000 cancels to 0.
        examples: [
          [
            [
              {
                kind: "gaussian",
                l2SensitivitySquared: 1.4541376489299523e-119,
                variance: 2.984766868891423e235,
              },
            ],
          ],
        ],
      },
    );
  });

  it("refuses δ and ε that are out of range", () => {
    const accountant = accounted(make, [gaussian]);
    for (const bad of [-1e-9, 1.1, Number.NaN]) expect(() => accountant.epsilon(bad)).toThrow(RangeError);
    for (const bad of [-1e-9, Number.NaN]) expect(() => accountant.delta(bad)).toThrow(RangeError);
    expect(accountant.epsilon(1)).toBe(0);
    expect(accountant.epsilon(0)).toBe(Number.POSITIVE_INFINITY);
    expect(accountant.delta(Number.POSITIVE_INFINITY)).toBe(0);
  });
});

describe("accountants beside each other", () => {
  it("agree that Gaussians are Gaussian: RDP is zCDP, and the analytic ε is lower", () => {
    const gaussians = boundedMechanism.filter((event) => event.kind === "gaussian");
    fc.assert(
      fc.property(fc.array(gaussians, { minLength: 1, maxLength: 5 }), (events) => {
        const zcdp = accounted(zcdpAccountant, events);
        expect(accounted(rdpAccountant, events).epsilon(1e-6)).toBe(zcdp.epsilon(1e-6));
        const analytic = accounted(analyticGaussianAccountant, events);
        expect(analytic.epsilon(1e-6)).toBeLessThan(zcdp.epsilon(1e-6));
        expect(analytic.delta(1)).toBeLessThanOrEqual(zcdp.delta(1));
      }),
      { numRuns: 30 },
    );
  });

  it("never find RDP above zCDP, nor above the sum of pure ε", () => {
    fc.assert(
      fc.property(fc.array(boundedMechanism, { minLength: 1, maxLength: 5 }), (events) => {
        const rdp = accounted(rdpAccountant, events).epsilon(1e-6);
        expect(rdp).toBeLessThanOrEqual(accounted(zcdpAccountant, events).epsilon(1e-6) * (1 + 1e-9));
      }),
      { numRuns: 60 },
    );
    const three = accounted(rdpAccountant, [
      laplace,
      laplace,
      { kind: "exponential-mechanism", epsilon: 0.25 },
    ]);
    expect(three.epsilon(0)).toBe(0.75);
    expect(three.epsilon(1e-300)).toBe(0.75);
    expect(three.delta(0.75)).toBe(0);
    expect(accounted(zcdpAccountant, [laplace]).epsilon(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("adds ρ exactly: a thousand parts of a budget are the budget", () => {
    const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
    // ρ = 1/(2·variance) each; a binary fraction, so nothing is lost to rounding at all.
    accountant.compose({ kind: "discrete-gaussian", l2SensitivitySquared: 1, variance: 2 ** 20 }, 1 << 20);
    expect(accountant.rho()).toBe(0.5);
    expect(accountant.epsilon(1e-5)).toBe(epsilonFromRho({ rho: 0.5, delta: 1e-5 }));
    accountant.compose({
      kind: "group",
      records: 3,
      event: { kind: "gaussian-entries", squaredSensitivityToNoise: 1 },
    });
    expect(accountant.rho()).toBe(5);
  });

  it("knows the ρ of every mechanism", () => {
    const rhoOf = (event: PrivacyEvent) =>
      accounted(zcdpAccountant, [event]) as ReturnType<typeof zcdpAccountant>;
    expect(rhoOf({ kind: "exponential-mechanism", epsilon: 2 }).rho()).toBe(0.5);
    expect(rhoOf({ kind: "laplace", l1Sensitivity: 3, scale: 3 }).rho()).toBeCloseTo(Math.exp(-1), 15);
    expect(rhoOf({ kind: "discrete-laplace", l1Sensitivity: 3, scale: 3 }).rho()).toBeCloseTo(
      Math.tanh(0.5),
      15,
    );
    // Tiny signals, where u + e^-u - 1 and ε·tanh(ε/2) cancel in doubles: half the square, to its last digits.
    for (const kind of ["laplace", "discrete-laplace"] as const) {
      const rho = rhoOf({ kind, l1Sensitivity: 1e-40, scale: 1 }).rho();
      expect(rho / 5e-81).toBeCloseTo(1, 12);
    }
  });

  it("says the ρ of one event as the accountant adds it up", () => {
    fc.assert(
      fc.property(boundedEvent, (event) => {
        const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
        accountant.compose(event);
        expect(exactRho(event)).toBe(accountant.rho());
      }),
    );
    const unbounded: PrivacyEvent = { kind: "no-bound", reason: "none" };
    expect(exactRho({ kind: "composed", events: [gaussian, unbounded] })).toBe(Number.POSITIVE_INFINITY);
    expect(() => exactRho({ ...gaussian, variance: 0 } as PrivacyEvent)).toThrow(RangeError);
  });

  it("takes a release without a bound for what it is", () => {
    for (const make of [zcdpAccountant, rdpAccountant]) {
      const accountant = accounted(make, [
        gaussian,
        { kind: "no-bound", reason: "the paper's noise is shared" },
      ]);
      expect(accountant.epsilon(1e-5)).toBe(Number.POSITIVE_INFINITY);
      expect(accountant.delta(100)).toBe(1);
      accountant.compose(gaussian);
      expect(accountant.epsilon(0.5)).toBe(Number.POSITIVE_INFINITY);
      expect(accountant.ledger).toHaveLength(3);
    }
    expect(accounted(zcdpAccountant, [{ kind: "no-bound", reason: "x" }])).toHaveProperty("rho");
    expect(analyticGaussianAccountant({ neighbouringRelation: "add-remove" }).refusal(laplace)).toMatch(
      /laplace/,
    );
  });

  it("composes Gaussians analytically into one of μ² = Σ Δ²/σ²", () => {
    const accountant = analyticGaussianAccountant({ neighbouringRelation: "add-remove" });
    for (const stdDev of [1, 2, 4]) {
      accountant.compose({ kind: "gaussian", l2SensitivitySquared: 1, variance: stdDev * stdDev });
    }
    expect(accountant.epsilon(1e-5)).toBeCloseTo(5.127368256811985, 10);
    const single = gaussianEpsilon({ stdDev: 1 / Math.sqrt(1.3125), l2Sensitivity: 1, delta: 1e-5 });
    expect(accountant.epsilon(1e-5)).toBeCloseTo(single, 10);
  });
});

describe("Rényi divergences", () => {
  it("are mpmath's integral for Laplace and its sum for randomised response, never below", () => {
    for (const row of vectors.laplaceDivergence) {
      const { inputs, truth } = splitRow(row);
      const [u, order] = inputs as [number, number];
      const accountant = rdpAccountant({ neighbouringRelation: "add-remove" });
      accountant.compose({ kind: "laplace", l1Sensitivity: u, scale: 1 });
      expectRoundedUp(accountant.divergence(order), truth, 1e-15);
    }
    for (const row of vectors.responseDivergence) {
      const { inputs, truth } = splitRow(row);
      const [epsilon, order] = inputs as [number, number];
      const accountant = rdpAccountant({ neighbouringRelation: "add-remove" });
      accountant.compose({ kind: "discrete-laplace", l1Sensitivity: epsilon, scale: 1 });
      expectRoundedUp(accountant.divergence(order), truth, 1e-15);
    }
  });

  it("are bounded by αρ for every order: the ρ of Laplace and of pure ε hold", () => {
    // Computed here from the distributions, not from the product's curves.
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        fc.double({ min: 0.01, max: 60, noNaN: true }),
        (epsilon, x) => {
          const order = 1 + x;
          const p = 1 / (1 + Math.exp(-epsilon));
          const response = Math.log(p ** order * (1 - p) ** -x + (1 - p) ** order * p ** -x) / x;
          expect(response).toBeLessThanOrEqual(order * epsilon * Math.tanh(epsilon / 2) * (1 + 1e-9));
          const laplace =
            Math.log((order * Math.exp(x * epsilon) + x * Math.exp(-order * epsilon)) / (order + x)) / x;
          expect(laplace).toBeLessThanOrEqual(order * (epsilon + Math.expm1(-epsilon)) * (1 + 1e-9));
        },
      ),
      { numRuns: 3000 },
    );
  });
});
