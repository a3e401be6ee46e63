import { planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { describe, expect, it } from "vitest";
import { parseStudy, readStudyDocument } from "../testing/studies.js";
import { survivalSource, survivalTestStudy } from "../testing/survival/study.js";
import { planSurvival, recordsNeeded, survivalLayout } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const [months, arm] = survivalSource.features;

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...survivalSource, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${message}`);
}

const withMonths = (change: Record<string, unknown>) => ({ features: [{ ...months, ...change }, arm] });

describe("a study of survival", () => {
  it("has one sum of events and censorings by interval and group", () => {
    const study = survivalTestStudy({ privacy });
    const { stages, claim } = planSurvival(study);
    expect(stages).toHaveLength(1);
    expect(stages[0]).toMatchObject({ kind: "sum", id: "counts", length: 2 * 13, broadcasts: [] });
    expect(stages[0]!.disclosure).toMatchObject({
      form: "masked sum",
      normBound: 1,
      sensitivity: 1,
      what: "counts of rows by the interval of months, by whether status is dead and by arm: each row in one count (where half of 7500 rows in each of 2 groups survive, noise puts a curve within ±0.0023 at 95 %), added up over all sites",
    });
    expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#survival-proof" });
    expect(claim.epsilon).toBeLessThanOrEqual(1);
    expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    expect(survivalLayout(study)).toMatchObject({ edges: [0, 6, 12, 24, 36, 48, 60], event: 1 });
  });

  it("divides time evenly where no edges are declared, and has one group without a category", () => {
    const { edges: _, ...plain } = months;
    const study = survivalTestStudy({ features: [plain], parameters: { event: "dead", intervals: 3 } });
    expect(survivalLayout(study)).toMatchObject({ edges: [0, 20, 40, 60], groups: ["all"], groupName: null });
    expect(survivalLayout(survivalTestStudy({ features: [plain] })).edges).toHaveLength(21);
    const own = survivalTestStudy({ features: [plain, { ...arm, missing: "own-level" }] });
    expect(survivalLayout(own).groups).toEqual(["standard", "new", "(missing)"]);
  });

  it("refuses negative times row by row, in a text that travelled too", () => {
    const study = survivalTestStudy();
    expect(study.features[0]).toMatchObject({ below: "reject-row" });
    const { text, hash } = studyDocument(study);
    expect(readStudyDocument(text, hash)).toMatchObject({ ok: true });
    // A text that travelled without it: the site reads it by itself.
    const { below: _, ...plain } = study.features[0] as Record<string, unknown>;
    const weakened = studyDocument({ ...study, features: [plain, study.features[1]!] } as typeof study);
    expect(readStudyDocument(weakened.text, weakened.hash)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("features[0].below: reject-row: a negative time") },
    });
  });

  it("is refused with the fix", () => {
    const levels = Array.from({ length: 13 }, (_, i) => `ward ${i}`);
    const cases: [change: Record<string, unknown>, fault: string][] = [
      [
        { parameters: { event: "died" } },
        'parameters.event: "died" is not a level of status; take one of: alive, dead',
      ],
      [{ parameters: {} }, "parameters.event: missing"],
      [{ label: undefined }, "label: missing"],
      [{ features: [arm] }, "features: 0 numeric columns; declare one, the time of follow-up"],
      [
        { features: [months, { ...months, name: "age" }] },
        "features: 2 numeric columns; declare one, the time of follow-up",
      ],
      [
        { features: [months, arm, { ...arm, name: "ward" }] },
        "features: 2 categorical columns; declare at most one, the group",
      ],
      [{ features: [months, { ...arm, levels }] }, "features[1].levels: 13 groups; at most 12"],
      [
        withMonths({ min: -1 }),
        "features[0].min: 0: follow-up begins there; max is the horizon, where those still followed are censored",
      ],
      [
        withMonths({ edges: [12, 6] }),
        "features[0].edges: edges must ascend, each greater than the one before",
      ],
      [
        withMonths({ edges: [12, 60] }),
        "features[0].edges: the last edge is the horizon, which ends the last interval anyway; remove it",
      ],
      [
        withMonths({ missing: { constant: 3 } }),
        "features[0].missing: reject-row: no constant stands for a time that was not recorded",
      ],
      [
        withMonths({ edges: Array.from({ length: 1000 }, (_, i) => (i + 1) / 20) }),
        "features[0].edges: 1000 edges; at most 999",
      ],
      [
        { patient: { column: "person", maxRows: 2 } },
        "patient.maxRows: 1: a patient has one time of follow-up, so one row",
      ],
      [
        { privacy, participation: { ...survivalSource.participation, tolerateColluding: 0 } },
        "participation.tolerateColluding: at least 1: every site knows its own share of the noise and must not count on it",
      ],
      [
        {
          privacy: { epsilon: 1e-17, delta: 1e-30 },
          participation: { ...survivalSource.participation, maxRowsPerSite: 1e9 },
        },
        "privacy.epsilon: noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite",
      ],
      [{ variant: "paper" }, "variant: survival is `sound`; it has no other variant"],
    ];
    for (const [change, fault] of cases) expect(faults(change)).toEqual([fault]);
    expect(faults({ patient: { column: "person", maxRows: 1 } })).toEqual([]);
  });
});

describe("the plan's warning of too few records", () => {
  const { edges: _, ...plain } = months;
  const warnings = (expectedRows: number, epsilon: number, intervals: number, features = [plain]) =>
    planStudy(
      survivalTestStudy({
        features,
        privacy: { epsilon, delta: 1e-6 },
        parameters: { event: "dead", intervals },
        participation: { ...survivalSource.participation, expectedRows },
      }),
    ).warnings;

  it("comes with 228 rows at ε = 1, and says how many it takes and how many intervals there may be", () => {
    const [warning, ...others] = warnings(228, 1, 40);
    expect(others).toEqual([]);
    const [, needed, fewer] = /about (\d+) rows .*; ask at most (\d+) intervals, or raise epsilon$/
      .exec(warning!)!
      .map(Number);
    expect(warning).toBe(
      `with the 228 rows that the study expects counts are too few for 40 intervals: it takes about ${needed} rows for the curves to stand out of the noise; ask at most ${fewer} intervals, or raise epsilon`,
    );
    expect(needed).toBeGreaterThan(800);
    expect(warnings(needed!, 1, 40)).toEqual([]);
    expect(warnings(needed! - 1, 1, 40)).toHaveLength(1);
    expect(warnings(228, 1, fewer!)).toEqual([]);
    expect(warnings(228, 1, fewer! + 1)).toHaveLength(1);
  });

  it("counts each group by itself, and says so", () => {
    expect(warnings(1500, 1, 40)).toEqual([]);
    expect(warnings(1500, 1, 40, [plain, arm])[0]).toMatch(/in each of 2 groups of equal size/);
    expect(warnings(20, 1, 40)[0]).toMatch(/noise; raise epsilon$/);
    expect(planStudy(survivalTestStudy()).warnings).toEqual([]);
  });

  it("asks for a mean count of two deviations of its noise, and half of the survivors within a tenth", () => {
    expect(recordsNeeded(5, 40)).toBe(5 * 2 * 81);
    // σ√c/(2n) times 1.96 is 0.1.
    expect((1.959963984540054 * 5 * Math.sqrt(9)) / (2 * recordsNeeded(5, 4))).toBeCloseTo(0.1, 12);
  });
});
