import { describe, expect, it } from "vitest";
import { expectExactForEveryPattern } from "../testing/dropouts.js";
import { phaseOrder, runSum, siteName, testPlace } from "../testing/sum.js";
import { interpolate } from "./crypto/shamirJoin.js";
import { addMasks } from "./masks.js";
import { neighbourhoods } from "./neighbours.js";
import { newRingVector } from "./ring.js";

describe("a secure sum", () => {
  // Six and seven sites, and samples of up to 40, take a minute: test/secure-sum/everyDropout.test.ts.
  it.each([3, 4, 5])("of %i sites is exact for every dropout pattern above the threshold", (sites) => {
    expectExactForEveryPattern(sites);
  });

  it.each(phaseOrder)(
    "with one site too few before `%s` fails, and nothing can be joined from the messages sent",
    (phase) => {
      for (const sites of [3, 5, 8]) {
        const place = testPlace({ sites });
        const { threshold, shareThreshold } = place.parameters;
        const drops = sites - threshold + 1;
        const fates = new Map(
          Array.from({ length: drops }, (_, i) => [siteName((2 * i + 1) % sites), phase] as const),
        );
        const run = runSum(place, { fates });
        expect(run.end.phase).toBe("failed");
        if (run.end.phase !== "failed") return;
        expect(run.end.error.code).toBe("SUM_THRESHOLD");
        const answers = run.sites.flatMap((site) =>
          site.outputs.flatMap((output) => (output.kind === "unmask" ? [{ site, post: output.post }] : [])),
        );
        if (["keys", "shares", "masked"].includes(phase)) expect(answers).toEqual([]);
        const graph = neighbourhoods(place);
        for (const owner of run.sites) {
          const revealed = answers.flatMap(({ site, post }) =>
            post.shares
              .filter((share) => share.of === owner.site)
              .map((share) => ({ index: graph.indexIn(owner.site, site.site), bytes: share.share })),
          );
          expect(revealed.length).toBeLessThan(shareThreshold);
          if (revealed.length > 0) expect(interpolate(0, revealed)).toHaveLength(32);
        }
      }
    },
  );

  it.each([32, 64] as const)(
    "of %i bits looks uniform: each byte of a masked vector of zeros",
    (ringBits) => {
      // Chi-squared with 255 degrees of freedom is above 377.1 with probability 1e-6, for each of ringBits/8 bytes.
      const place = testPlace({ sites: 3, ringBits, length: 100_000 });
      const run = runSum(place);
      const masked = run.sites[0]!.outputs.find((output) => output.kind === "masked");
      if (masked?.kind !== "masked") throw new Error("the site masked");
      const vector = newRingVector(ringBits, place.length);
      addMasks(vector, masked.masks);
      const uniform = (bytes: Uint8Array, offset: number) => {
        const counts = new Float64Array(256);
        for (let i = offset; i < bytes.length; i += ringBits / 8) counts[bytes[i]!]!++;
        const expected = place.length / 256;
        return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0) < 377.1;
      };
      for (let offset = 0; offset < ringBits / 8; offset++)
        expect(uniform(new Uint8Array(vector.buffer), offset)).toBe(true);
      // A mask that is a little off would show: one byte in fifty is zero.
      const skewed = new Uint8Array(vector.slice().buffer);
      for (let i = 0; i < skewed.length; i += 50 * (ringBits / 8)) skewed[i] = 0;
      expect(uniform(skewed, 0)).toBe(false);
      // No two sites' masks, and no two attempts', have anything in common.
      const again = runSum(testPlace({ sites: 3, ringBits, length: 100_000, attempt: 2 }));
      const keys = [...run.sites, ...again.sites].flatMap((site) =>
        site.outputs.flatMap((output) => (output.kind === "masked" ? output.masks : [])),
      );
      // Three pairs, known to two sites each, and three self masks: six keys in each attempt.
      expect(new Set(keys.map(({ key }) => Buffer.from(key).toString("hex"))).size).toBe(12);
    },
  );
});
