import { readSaid } from "@consilium/core/readSaid";
import { planStudy } from "@consilium/core/study/plan";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { studyDocument } from "@consilium/core/study/study";
import { rootOf } from "@consilium/gate/root";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { parseStudy, readStudyDocument } from "../testing/studies.js";
import { survivalSource, survivalTestStudy } from "../testing/survival/study.js";
import { atRiskNoise } from "./counts.js";
import { planSurvival, survivalLayout } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const [months, arm] = survivalSource.features;

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...survivalSource, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
}

const withMonths = (change: Record<string, unknown>) => ({ features: [{ ...months, ...change }, arm] });

describe("a study of survival", () => {
  it("has one sum of events and censorings by interval and group", () => {
    const study = survivalTestStudy({ privacy });
    const { stages, claim } = planSurvival(study);
    expect(stages).toHaveLength(1);
    expect(stages[0]).toMatchObject({ kind: "sum", id: "counts", length: 2 * 2 * 7, broadcasts: [] });
    expect(stages[0]!.disclosure).toMatchObject({
      form: "masked sum",
      normBound: Math.hypot(...rootOf(7, 8)) / 256,
    });
    expect(english(stages[0]!.disclosure.what)).toBe(
      "counts of rows by the interval of months, by whether status is dead and by arm: each row in one count (where half of 7500 rows in each of 2 groups survive, noise puts a curve within ±0.0027 at 95 %), added up over all sites",
    );
    expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#survival-proof" });
    expect(claim.epsilon).toBeLessThanOrEqual(1);
    expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    expect(survivalLayout(study)).toMatchObject({
      edges: [0, 6, 12, 24, 36, 48, 60],
      streams: [0, 1],
      causes: ["dead"],
    });
  });

  it("divides time evenly where no edges are declared, and has one group without a category", () => {
    const { edges: _, ...plain } = months;
    const study = survivalTestStudy({ features: [plain], parameters: { event: "dead", intervals: 3 } });
    expect(survivalLayout(study)).toMatchObject({ edges: [0, 20, 40, 60], groups: ["all"], groupName: null });
    expect(survivalLayout(survivalTestStudy({ features: [plain] })).edges).toHaveLength(101);
    const own = survivalTestStudy({ features: [plain, { ...arm, missing: "own-level" }] });
    expect(survivalLayout(own).groups).toEqual(["standard", "new", "(missing)"]);
  });

  it("has a stream of counts for each competing cause, and none where none is declared", () => {
    const label = { name: "status", levels: ["transplant", "alive", "dead"] };
    const study = survivalTestStudy({ label, parameters: { event: "dead", competing: ["transplant"] } });
    expect(survivalLayout(study)).toMatchObject({ streams: [2, 0, 1], causes: ["dead", "transplant"] });
    expect(planSurvival(study).stages[0]).toMatchObject({ length: 2 * 3 * 7 });
    const { text } = studyDocument(survivalTestStudy());
    expect(text).not.toContain("competing");
  });

  it("reads a text of earlier versions, with the intervals that it has", () => {
    const { text } = studyDocument(survivalTestStudy({ parameters: { event: "dead", intervals: 20 } }));
    expect(JSON.parse(text)).toMatchObject({ parameters: { event: "dead", intervals: 20 } });
    expect(readStudyDocument(text, sha256(text))).toMatchObject({ ok: true });
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
      error: { issues: [{ path: "features[0].below", message: "survival.time-below {}" }] },
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
      [
        { parameters: { event: "dead", competing: ["dead"] } },
        'parameters.competing: "dead" is the event; leave it out',
      ],
      [
        { parameters: { event: "dead", competing: ["moved"] } },
        'parameters.competing: "moved" is not a level of status; take some of: alive, dead',
      ],
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

describe("the plan of too few records", () => {
  const { edges: _, ...plain } = months;
  const sized = (
    expectedRows: number,
    { epsilon = 1, features = [plain], ...own }: Record<string, unknown> = {},
  ) => ({
    ...survivalSource,
    features,
    privacy: { epsilon, delta: 1e-6 },
    participation: { ...survivalSource.participation, expectedRows },
    ...own,
  });
  const warnings = (...of: Parameters<typeof sized>) => planStudy(survivalTestStudy(sized(...of))).warnings;
  const refusal = (...of: Parameters<typeof sized>) => faults(sized(...of));
  const said = (line: string) => readSaid(line)!.params as { readonly needed: number; readonly rows: number };

  it("warns, and says how many rows it takes for noise to leave a curve within a tenth", () => {
    const [warning, ...others] = warnings(200);
    expect(others).toEqual([]);
    expect(warning).toMatch(/^survival\.too-few-rows /);
    const { needed, ...rest } = said(warning!);
    expect(rest).toEqual({ rows: 200, groups: 1, declared: 1 });
    expect(warnings(needed)).toEqual([]);
    expect(warnings(needed - 1)).toHaveLength(1);
    const precise = planSurvival(survivalTestStudy(sized(needed))).stages[0]!.disclosure;
    expect(english(precise.what)).toContain("noise puts a curve within ±0.1 at 95 %");
    // Of each group by itself, nearly whatever intervals there are, and with more causes more noise.
    expect(said(warnings(200, { features: [plain, arm] })[0]!)).toMatchObject({ groups: 2 });
    expect(said(warnings(200, { features: [plain, arm] })[0]!).needed / needed).toBeCloseTo(2, 1);
    const fewer = said(warnings(200, { parameters: { event: "dead", intervals: 20 } })[0]!).needed;
    expect(fewer).toBeGreaterThan(needed / 2);
    expect(warnings(200, { privacy: "none" })).toEqual([]);
  });

  it("warns of fewer than ten intervals where groups are compared", () => {
    const asked = (intervals: number, features: unknown) =>
      planStudy(survivalTestStudy({ features, parameters: { event: "dead", intervals } })).warnings;
    expect(asked(9, [plain, arm])).toEqual(['survival.few-intervals {"intervals":9}']);
    expect(asked(10, [plain, arm])).toEqual([]);
    expect(asked(9, [plain])).toEqual([]);
  });

  it("refuses a study in whose groups the number of records would not stand out of its noise", () => {
    const [fault] = refusal(5);
    const needed = Number(
      /^privacy: noise is as large as the counts of 5 rows: .* fewer than (\d+);/.exec(fault!)?.[1],
    );
    expect(refusal(needed)).toEqual([]);
    expect(refusal(needed - 1)).toHaveLength(1);
    const of = survivalTestStudy(sized(needed));
    const { root, stage } = survivalLayout(of);
    const stdDev = noiseStdDev(of, stage, 3) * atRiskNoise(root, 2)[0]!;
    expect(needed).toBe(Math.floor(2 * stdDev) + 1);
    expect(refusal(5, { privacy: "none" })).toEqual([]);
  });
});
