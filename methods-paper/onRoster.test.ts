import { documentOnRoster, noiseShares, studyOnRoster } from "@consilium/core/study/onRoster";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import { noiseStdDev, type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { thresholdFor } from "@consilium/secure-sum/parameters";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

function studyOf(): Study {
  const parsed = parseStudy({
    name: "sized",
    table: "records",
    analysis: "boosted-trees",
    method: "dp-histboost",
    privacy: { epsilon: 1, delta: 1e-5 },
    features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
    label: { name: "outcome", levels: ["no", "yes"] },
    participation: { maxRowsPerSite: 1000 },
  });
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

const stage = soundStage({
  id: "one" as SoundStage["id"],
  broadcasts: [],
  share: 1,
  query: { kind: "histogram", cells: 4, touches: 1, channels: [{ least: 0, most: 16 }] },
  integersPerUnit: 16,
  what: { code: "dp-ka.rows", params: {} },
});

const participation = fc
  .record({
    minimumSites: fc.integer({ min: 3, max: 40 }),
    tolerateColluding: fc.integer({ min: 1, max: 38 }),
    more: fc.integer({ min: 0, max: 300 }),
  })
  .filter(({ minimumSites, tolerateColluding }) => tolerateColluding <= minimumSites - 2)
  .map(({ more, ...rest }) => ({ ...rest, sites: rest.minimumSites + more }));

describe("shares of noise", () => {
  it("are those of the fewest survivors but the colluding ones, and never fewer with more sites", () => {
    const some = studyOf();
    fc.assert(
      fc.property(participation, ({ sites, ...rest }) => {
        const study = { ...some, participation: { ...some.participation, ...rest } };
        const shares = noiseShares(studyOnRoster(study, sites));
        expect(shares).toBe(thresholdFor({ sites, ...rest }) - rest.tolerateColluding);
        expect(shares).toBeGreaterThanOrEqual(2);
        expect(shares).toBeLessThanOrEqual(sites - rest.tolerateColluding);
        expect(shares).toBeGreaterThanOrEqual(noiseShares(study));
        expect(noiseShares(studyOnRoster(study, sites + 1))).toBeGreaterThanOrEqual(shares);
      }),
    );
  });

  it("carry the same guarantee on every roster", () => {
    const study = studyOf();
    const guaranteed = (of: Study) => soundSum(of, stage).shareStdDev * Math.sqrt(noiseShares(of));
    for (const sites of [3, 5, 10, 20, 50])
      expect(guaranteed(studyOnRoster(study, sites)) / guaranteed(study)).toBeCloseTo(1, 9);
  });

  it("leave the less in a sum, the more sites there are than must be", () => {
    const study = studyOf();
    const gain = (sites: number) =>
      noiseStdDev(study, stage, sites) / noiseStdDev(studyOnRoster(study, sites), stage, sites);
    expect(gain(3)).toBe(1);
    expect(gain(5)).toBeCloseTo(Math.sqrt(3 / 2), 6);
    expect(gain(10)).toBeCloseTo(Math.sqrt(6 / 2), 6);
    expect(gain(20)).toBeCloseTo(Math.sqrt(13 / 2), 6);
  });
});

describe("a study on its roster", () => {
  it("is one object for one number of sites, and its text is the study's", () => {
    const document = studyDocument(studyOf());
    const on = documentOnRoster(document, 7);
    expect(on.study).toBe(documentOnRoster(document, 7).study);
    expect(on.study).not.toBe(documentOnRoster(document, 8).study);
    expect([on.text, on.hash]).toEqual([document.text, document.hash]);
  });

  it("has the plan that was shown before, but for the noise in its sums", () => {
    const study = studyOf();
    const [shown, sized] = [planStudy(study), planStudy(studyOnRoster(study, 12))];
    expect(sized.claim.epsilon).toBeCloseTo(shown.claim.epsilon!, 9);
    expect(sized.claim.epsilon).toBeLessThanOrEqual(1);
    for (const [index, one] of sized.stages.entries()) {
      const [before, after] = [shown.stages[index] as SumStage, one as SumStage];
      expect([after.id, after.length, after.broadcasts]).toEqual([
        before.id,
        before.length,
        before.broadcasts,
      ]);
      expect([before.noise!.event.noiseShares, after.noise!.event.noiseShares]).toEqual([2, 8]);
      expect(after.noise!.event.shareVariance).toBeLessThan(before.noise!.event.shareVariance);
      expect(after.disclosure.sensitivity).toBe(before.disclosure.sensitivity);
    }
  });
});
