import type { StageId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { saidText } from "@consilium/core/said";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import {
  expectedSaid,
  planSoundSums,
  type SoundStage,
  soundIssues,
  soundSum,
} from "@consilium/core/study/soundSums";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

function studyOf(more: object = {}): Study {
  return unwrap(
    parseStudy({
      name: "sums",
      table: "t",
      analysis: "pca",
      features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
      parameters: { components: 1 },
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { maxRowsPerSite: 1000, sites: ["a", "b", "c"] },
      ...more,
    }),
  );
}

const stage = (more: Partial<SoundStage> = {}): SoundStage => ({
  ...soundStage({
    id: "counts" as StageId,
    broadcasts: [],
    share: 1,
    query: countQuery(10),
    integersPerUnit: 1,
    what: { code: "dp-ka.rows", params: {} },
  }),
  ...more,
});
const plan = (study: Study, stages: readonly SoundStage[]) =>
  planSoundSums(study, () => ({ stages, proof: "docs/METHODS.md#proof", warnings: [] }));

describe("sound sums", () => {
  it("cost together no more than the study allows, and next to all of it", () => {
    const shares = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 });
    const epsilons = fc.constantFrom(0.05, 0.5, 1, 8);
    fc.assert(
      fc.property(shares, epsilons, fc.integer({ min: 1, max: 3 }), (parts, epsilon, maxRows) => {
        const total = parts.reduce((sum, part) => sum + part, 0);
        const study = studyOf({
          privacy: { epsilon, delta: 1e-5 },
          patient: { column: "who", maxRows },
        });
        const stages = parts.map((part, i) => stage({ id: `s-${i}` as StageId, share: part / total }));
        const { claim } = plan(study, stages);
        expect(claim.verdict).toBe("proved");
        expect(claim.epsilon).toBeLessThanOrEqual(epsilon);
        expect(claim.epsilon).toBeGreaterThan(epsilon * (1 - 1e-9));
      }),
      { numRuns: 25 },
    );
  });

  it("have the noise of the published example", () => {
    // ρ = .0305565952 for (1, 1e-5); five sites, one colluding: a share is σ/2.
    const study = studyOf({ participation: { maxRowsPerSite: 1000, minimumSites: 5 } });
    const leaves = stage({ share: 0.05, sensitivitySquared: 256, entryMost: 16, integersPerUnit: 16 });
    expect((2 * soundSum(study, leaves).shareStdDev) / 16).toBeCloseTo(18.09037, 4);
    const levels = stage({
      share: 0.05 / 3,
      sensitivitySquared: 5 * 256,
      entryMost: 16,
      integersPerUnit: 16,
    });
    expect((2 * soundSum(study, levels).shareStdDev) / 16).toBeCloseTo(70.06371, 4);
  });

  it("scale integers until every share of noise has two of them", () => {
    const study = studyOf({ privacy: { epsilon: 500, delta: 1e-5 } });
    const { scale, noise, ringBits } = soundSum(study, stage());
    expect(scale).toBeGreaterThan(1);
    expect(noise!.event.shareVariance).toBeGreaterThanOrEqual(4);
    expect(noise!.event.l2SensitivitySquared).toBe(scale ** 2);
    expect(ringBits).toBe(32);
  });

  it("take 64 bits where the rows may be many", () => {
    const study = studyOf({ participation: { maxRowsPerSite: 1_000_000_000 } });
    expect(soundSum(study, stage({ entryMost: 16, sensitivitySquared: 256 })).ringBits).toBe(64);
  });

  it("refuse to plan more than the whole budget", () => {
    expect(() => plan(studyOf(), [stage({ share: 0.6 }), stage({ share: 0.5 })])).toThrow(RangeError);
  });

  it("charge a patient with several rows as a group, and say so", () => {
    const study = studyOf({ patient: { column: "who", maxRows: 3, weighting: "rows" } });
    const { stages, claim } = plan(study, [stage()]);
    expect(stages[0]!.disclosure.event).toMatchObject({ kind: "group", records: 3 });
    expect(claim.unit).toBe("one patient of one site, with at most 3 rows");
    expect(stages[0]!.disclosure.sensitivity).toBe(3);
  });

  it("charge a patient whose rows weigh as much as one for one, and say so", () => {
    const study = studyOf({ patient: { column: "who", maxRows: 3 } });
    const { stages, claim } = plan(study, [stage()]);
    const { event, sensitivity, what } = stages[0]!.disclosure;
    expect(event).toMatchObject({ kind: "distributed-discrete-gaussian", l2SensitivitySquared: 36 });
    expect(claim.unit).toBe(
      "one patient of one site, with at most 3 rows that together weigh as much as one",
    );
    expect(claim.lossDistribution).toBeUndefined();
    expect(sensitivity).toBe(1);
    expect(english(what)).toContain("each row weighing 1 over the number of its patient's rows");
    const row = soundSum(studyOf(), stage());
    const own = soundSum(study, stage());
    expect(own).toMatchObject({ scale: 1, unit: 6, ringBits: 32 });
    expect(own.shareStdDev).toBeCloseTo(row.shareStdDev, 9);
    // Where integers are divided by the rows of a patient, they are no finer than for rows.
    const query = { kind: "vector", parts: 1, length: 10, limit: 4 ** 20 } as const;
    const fine = soundStage({ ...stage(), query });
    expect(soundSum(study, fine)).toEqual(soundSum(studyOf(), fine));
  });

  it("are warned of in what they count", () => {
    const saidIn = (study: Study) => english(saidText(expectedSaid(study)));
    const patient = { column: "who", maxRows: 3 };
    const participation = { maxRowsPerSite: 1000, sites: ["a", "b", "c"], expectedRows: 614 };
    expect(saidIn(studyOf({ participation }))).toBe("with the 614 rows that the study expects");
    expect(saidIn(studyOf({ participation, patient }))).toBe(
      "with at most 614 patients, as many as the study expects rows,",
    );
    expect(saidIn(studyOf({ patient }))).toBe("with 1500 patients, half of the most that there may be,");
  });

  it("have no finer grid for patients than noise needs", () => {
    // A row's share of noise needs integers of 1/128: 60 to a patient, and twice that.
    const sized = (more: object) =>
      soundSum(studyOf({ privacy: { epsilon: 500, delta: 1e-5 }, ...more }), stage());
    expect(sized({}).scale).toBe(128);
    expect(sized({ patient: { column: "who", maxRows: 5 } })).toMatchObject({ scale: 2, unit: 60 });
  });

  it("claim nothing without privacy", () => {
    const { claim, stages } = plan(studyOf({ privacy: "none" }), [stage()]);
    expect(claim.verdict).toBe("no privacy");
    expect(stages[0]).toMatchObject({ noise: null, disclosure: { event: { kind: "no-bound" } } });
  });

  it("need a site that may collude", () => {
    const study = { ...studyOf() };
    expect(soundIssues(study)).toEqual([]);
    const trusting = { ...study, participation: { ...study.participation, tolerateColluding: 0 } };
    expect(soundIssues(trusting)).toHaveLength(1);
  });
});
