/** Every way in which sites can drop out above the threshold; up to five sites are tested beside the machines. */

import { inGate } from "@consilium/core/testing/wholeRun";
import fc from "fast-check";
import { it } from "vitest";
import { expectExact, expectExactForEveryPattern, shuffled } from "../../secure-sum/testing/dropouts.js";
import { phaseOrder, runSum, siteName, testPlace } from "../../secure-sum/testing/sum.js";

it("a sum of 6 sites is exact for every dropout pattern above the threshold", () => {
  expectExactForEveryPattern(6);
});

it("so is one of 7, of which two may drop out: in the gate for each twelfth of 561 patterns", () => {
  // Among these are all pairs of sites and all pairs of phases.
  expectExactForEveryPattern(7, inGate(12, { whole: 1 }));
});

it("a sum of 8 to 40 sites is exact for sampled dropout patterns, in both widths and whatever the order of posts", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 40 }),
      fc.constantFrom(32 as const, 64 as const),
      fc.integer({ min: 0, max: 2 }),
      fc.string(),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 39 }), fc.constantFrom(...phaseOrder)), {
        maxLength: 12,
      }),
      (sites, ringBits, tolerateColluding, seed, dropouts) => {
        const place = testPlace({ sites, ringBits, tolerateColluding });
        const { threshold, graph } = place.parameters;
        // On a circulant graph t of each neighbourhood must stay as well: as many as may drop anywhere.
        const spare =
          graph.kind === "complete" ? sites - threshold : graph.degree + 1 - place.parameters.shareThreshold;
        const fates = new Map(
          dropouts
            .filter(([i]) => i < sites)
            .slice(0, spare)
            .map(([i, phase]) => [siteName(i), phase] as const),
        );
        expectExact(place, fates, runSum(place, { fates, order: shuffled(seed) }));
      },
    ),
    { numRuns: inGate(6, { whole: 10 }) },
  );
});
