import fc from "fast-check";
import type { MechanismEvent, PrivacyEvent } from "../../src/privacy/events.js";

const size = fc.double({ min: 0.01, max: 100, noNaN: true });

/** A release for which something is proven. */
export const boundedMechanism: fc.Arbitrary<MechanismEvent> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("gaussian" as const, "discrete-gaussian" as const),
    l2SensitivitySquared: size,
    variance: size,
  }),
  fc.record({
    kind: fc.constantFrom("gaussian-entries" as const, "discrete-gaussian-entries" as const),
    squaredSensitivityToNoise: size,
  }),
  fc
    .record({
      l2SensitivitySquared: fc.integer({ min: 1, max: 1000 }),
      shareVariance: fc.double({ min: 1, max: 1000, noNaN: true }),
      groups: fc.array(
        fc.record({ entries: fc.integer({ min: 1, max: 1000 }), weight: fc.integer({ min: 1, max: 4 }) }),
        { minLength: 1, maxLength: 3 },
      ),
      sites: fc.integer({ min: 1, max: 12 }),
      missing: fc.integer({ min: 0, max: 11 }),
    })
    .map(({ missing, ...rest }) => ({
      kind: "distributed-discrete-gaussian" as const,
      ...rest,
      noiseShares: Math.max(1, rest.sites - missing),
    })),
  fc.record({
    kind: fc.constantFrom("laplace" as const, "discrete-laplace" as const),
    l1Sensitivity: size,
    scale: size,
  }),
  fc.record({ kind: fc.constant("exponential-mechanism" as const), epsilon: size }),
);

export const boundedEvent: fc.Arbitrary<PrivacyEvent> = fc.letrec<{ event: PrivacyEvent }>((tie) => ({
  event: fc.oneof(
    { maxDepth: 3 },
    boundedMechanism,
    fc.record({ kind: fc.constant("composed" as const), events: fc.array(tie("event"), { maxLength: 3 }) }),
    fc.record({
      kind: fc.constant("repeated" as const),
      event: tie("event"),
      count: fc.integer({ min: 1, max: 5 }),
    }),
    fc.record({
      kind: fc.constant("group" as const),
      event: tie("event"),
      records: fc.integer({ min: 1, max: 4 }),
    }),
  ),
})).event;

export const anyEvent: fc.Arbitrary<PrivacyEvent> = fc.oneof(
  boundedEvent,
  fc.record({ kind: fc.constant("no-bound" as const), reason: fc.string({ minLength: 1, maxLength: 50 }) }),
);
