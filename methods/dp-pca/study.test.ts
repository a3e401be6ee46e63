import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import { unwrap } from "@consilium/core/result";
import { noiseWeight, planStudy, type SumStage } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import { studyDocument } from "@consilium/core/study/study";
import { english } from "@consilium/runtime/http/spoken";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStudy, readStudyDocument } from "../testing/studies.js";
import { rowsToChoose } from "./ball.js";
import {
  asDpPca,
  type DpPcaStudy,
  dpPcaCentre,
  dpPcaForm,
  dpPcaLayout,
  dpPcaRadius,
  dpPcaStdDev,
} from "./study.js";

const numeric = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: "numeric", min: 0, max: i + 1 }));

function studyWith(change: Record<string, unknown> = {}): DpPcaStudy {
  const plain = {
    name: "planned",
    table: "visits",
    analysis: "pca",
    parameters: { components: 2 },
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { minimumSites: 5, tolerateColluding: 1, maxRowsPerSite: 1_000 },
    features: numeric(30),
  };
  return asDpPca(unwrap(parseStudy({ ...plain, ...change })));
}

const sums = (study: DpPcaStudy) => planStudy(study).stages as SumStage[];
const levels = (count: number) => Array.from({ length: count }, (_, i) => `l${i}`);

/** The study's whole cost, added up by somebody who has the plan's events alone. */
function recomputed(study: DpPcaStudy, delta: number) {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  for (const stage of sums(study)) accountant.compose(stage.disclosure.event);
  return { epsilon: accountant.epsilon(delta), rho: accountant.rho() };
}

const anyStudy = fc
  .record({
    epsilon: fc.double({ min: 0.01, max: 20, noNaN: true }),
    deltaExponent: fc.integer({ min: 3, max: 12 }),
    form: fc.constantFrom("auto", "one-round", "two-round", "iteration"),
    ball: fc.constantFrom("declared", "private"),
    columns: fc.integer({ min: 2, max: 40 }),
    classes: fc.integer({ min: 1, max: 6 }),
    maxRows: fc.constantFrom(1, 1, 3, 20),
    weighting: fc.constantFrom("patients", "rows"),
    kappa: fc.constantFrom(0.5, 0.05, 1, 4),
    minimumSites: fc.integer({ min: 3, max: 20 }),
    maxRowsPerSite: fc.constantFrom(10, 1_000, 1_000_000),
  })
  .map((c) => ({
    ...c,
    delta: 10 ** -c.deltaExponent,
    study: studyWith({
      features: numeric(c.columns),
      parameters: { components: 2, form: c.form, kappa: c.kappa, ball: c.ball },
      privacy: { epsilon: c.epsilon, delta: 10 ** -c.deltaExponent },
      participation: { minimumSites: c.minimumSites, maxRowsPerSite: c.maxRowsPerSite },
      ...(c.classes > 1 ? { label: { name: "class", levels: levels(c.classes) } } : {}),
      ...(c.maxRows > 1 ? { patient: { column: "id", maxRows: c.maxRows, weighting: c.weighting } } : {}),
    }),
  }));

describe("the plan of dp-pca", () => {
  it("claims what anybody gets from its events, and never more than was asked", () => {
    fc.assert(
      fc.property(anyStudy, ({ study, epsilon, delta, maxRows }) => {
        const { claim } = planStudy(study);
        const { epsilon: again, rho } = recomputed(study, delta);
        expect(claim).toMatchObject({ verdict: "proved", epsilon: again, delta });
        expect(claim.epsilon).toBeLessThanOrEqual(epsilon);
        // And nearly all of it: ρ adds up to the study's to 1e-12.
        expect(rho / rhoFromEpsilon({ epsilon, delta })).toBeGreaterThan(1 - 1e-12);
        expect(claim.unit).toContain(
          maxRows > 1 ? `one patient of one site, with at most ${maxRows} rows` : "one record",
        );
      }),
      { numRuns: 40 },
    );
  });

  it("gives every share of noise two grid units, every sum room in its ring, and every entry one weight", () => {
    fc.assert(
      fc.property(anyStudy, ({ study, maxRowsPerSite, minimumSites }) => {
        const layout = dpPcaLayout(study);
        for (const stage of sums(study)) {
          if (layout.choice !== null && stage.id.startsWith("ball-")) continue;
          const { event, weights } = stage.noise!;
          const heaviest = Math.max(...event.groups.map(({ weight }) => weight));
          expect(Math.sqrt(event.shareVariance / heaviest)).toBeGreaterThanOrEqual(2);
          expect(event.noiseShares).toBe(minimumSites - 1);
          const largest =
            1024 * maxRowsPerSite * layout.squaredNormLimit + 12 * Math.sqrt(event.shareVariance * 1024);
          expect(largest).toBeLessThan(2 ** (stage.ringBits - 1) * (1 + 1e-9));
          // A² of one record, in exact integers.
          expect(BigInt(event.l2SensitivitySquared)).toBeGreaterThanOrEqual(
            BigInt(layout.squaredNormLimit) ** 2n,
          );
          const counted = new Map<number, number>();
          const weightOf = noiseWeight(weights);
          for (let i = 0; i < stage.length; i++) {
            counted.set(weightOf(i), (counted.get(weightOf(i)) ?? 0) + 1);
          }
          expect(counted).toEqual(new Map(event.groups.map(({ entries, weight }) => [weight, entries])));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("is the noise of the specification", () => {
    // ε = 1, δ = 1e-5, κ = 1/2: σ = 1.25·4.045130 = 5.056413 in the sum without the colluding sites.
    expect(dpPcaStdDev(studyWith())).toBeCloseTo(5.056413, 6);
    const [stage] = sums(studyWith());
    // Each of five sites, one of them colluding, carries half.
    const { event } = stage!.noise!;
    expect(Math.sqrt(event.shareVariance) / 4 ** dpPcaLayout(studyWith()).gridExponent).toBeCloseTo(
      2.528206,
      6,
    );
    expect(event.sites).toBe(1024);
    expect(planStudy(studyWith()).masking).toBe("pairwise");
  });

  it("protects a patient with m rows by m times the noise", () => {
    const record = dpPcaStdDev(studyWith());
    const patient = studyWith({ patient: { column: "id", maxRows: 4, weighting: "rows" } });
    expect(dpPcaStdDev(patient) / record).toBeCloseTo(4, 9);
    const [stage] = sums(patient);
    expect(stage!.disclosure.event).toEqual({ kind: "group", records: 4, event: stage!.noise!.event });
    expect(stage!.disclosure.sensitivity).toBe(5);
  });

  it("protects a patient whose rows weigh as much as one by the noise of one row", () => {
    const patient = studyWith({ patient: { column: "id", maxRows: 4 } });
    expect(dpPcaStdDev(patient)).toBe(dpPcaStdDev(studyWith()));
    const [stage] = sums(patient);
    expect(stage!.disclosure).toMatchObject({ event: stage!.noise!.event, sensitivity: 1.25 });
    expect(english(stage!.disclosure.what)).toContain("so that patients are counted");
  });

  it("is one stage, two, or rounds of power iteration", () => {
    const shapes = (change: Record<string, unknown>) =>
      sums(studyWith(change)).map(({ id, length, broadcasts }) => [id, length, broadcasts[0]?.length ?? 0]);
    const label = { name: "class", levels: levels(3) };
    const form = (form: string, more = {}) => ({ label, parameters: { components: 2, form, ...more } });
    expect(shapes(form("one-round"))).toEqual([["class-moments", 3 * 496, 0]]);
    expect(shapes(form("two-round"))).toEqual([
      ["pooled-moments", 496, 0],
      ["class-moments", 3 * 6, 60],
    ]);
    expect(shapes(form("iteration", { iterations: 2 }))).toEqual([
      ["iterate-1", 31 * 3, 60],
      ["iterate-2", 31 * 3, 60],
      ["class-moments", 3 * 6, 60],
    ]);
  });

  it("chooses its form by the number of classes and the length of the vector", () => {
    const auto = (columns: number, classes: number) =>
      dpPcaForm(
        studyWith({
          features: numeric(columns),
          ...(classes > 1 ? { label: { name: "class", levels: levels(classes) } } : {}),
        }),
      );
    expect(auto(30, 1)).toBe("one-round");
    expect(auto(30, 3)).toBe("one-round");
    expect(auto(30, 4)).toBe("two-round");
    expect(auto(2800, 2)).toBe("one-round");
    expect(auto(2900, 2)).toBe("two-round");
    expect(auto(4000, 2)).toBe("two-round");
    expect(auto(4200, 2)).toBe("iteration");
  });

  it("sends 32 bits where the sum fits, and does not depend on who takes part", () => {
    const small = studyWith({
      privacy: { epsilon: 0.05, delta: 1e-5 },
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 200 },
    });
    expect(dpPcaLayout(small).ringBits).toBe(32);
    expect(dpPcaLayout(studyWith()).ringBits).toBe(64);
    const named = studyWith({
      participation: { sites: ["a", "b", "c", "d", "e"], minimumSites: 5, maxRowsPerSite: 1000 },
    });
    expect(sums(named)[0]!.noise!.event.sites).toBe(1024);
  });

  it("without privacy claims none and adds nothing", () => {
    const none = planStudy(studyWith({ privacy: "none" }));
    expect(none.claim).toMatchObject({ verdict: "no privacy", epsilon: null, proof: null });
    expect(sums(studyWith({ privacy: "none" })).every(({ noise }) => noise === null)).toBe(true);
    expect(none.stages[0]!.disclosure.event.kind).toBe("no-bound");
  });

  it("centres and scales by public numbers", () => {
    const features = [
      { name: "age", type: "numeric", min: 0, max: 100 },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
      { name: "ward", type: "categorical", levels: levels(4), missing: "own-level" },
    ];
    const open = studyWith({ features });
    expect([...dpPcaCentre(open)]).toEqual([0.5, 0.5, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2]);
    // 1/12, then 1/2 and 4/5: every row with the middle age is this far from the centre but for 1/12.
    expect(dpPcaRadius(open)).toBeCloseTo(Math.sqrt(1 / 12 + 0.5 + 0.8), 12);
    const given = studyWith({ features, parameters: { components: 2, centre: 0, radius: 3 } });
    expect([...dpPcaCentre(given)]).toEqual(new Array(8).fill(0));
    expect(dpPcaRadius(given)).toBe(3);
    const list = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    expect([...dpPcaCentre(studyWith({ features, parameters: { components: 2, centre: list } }))]).toEqual(
      list,
    );
  });

  it("warns where noise outweighs any signal, and of a delta that says nothing", () => {
    const warnings = (change: Record<string, unknown>) =>
      planStudy(studyWith(change)).warnings.map(english).join("\n");
    expect(warnings({})).toBe("");
    expect(warnings({ privacy: { epsilon: 0.01, delta: 1e-5 } })).toContain("stand out of the noise");
    expect(warnings({ privacy: { epsilon: 1, delta: 1e-3 } })).toContain(
      "delta 0.001 is too large for up to",
    );
  });

  it("is refused when a vector would be too long, and takes a form that is not", () => {
    const wide = { features: numeric(20_000), parameters: { components: 2, form: "one-round" } };
    const parsed = parseStudy({
      name: "wide",
      table: "t",
      analysis: "pca",
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { maxRowsPerSite: 100 },
      ...wide,
    });
    expect(parsed.ok ? "" : parsed.error.issues[0]!.path).toBe("parameters.form");
  });
});

describe("whose ball rows are clipped by", () => {
  const participation = { minimumSites: 5, tolerateColluding: 1, maxRowsPerSite: 1_000 };
  const expecting = (expectedRows: number) => ({ participation: { ...participation, expectedRows } });
  const isPrivate = (study: DpPcaStudy) => dpPcaLayout(study).choice !== null;
  const said = (study: DpPcaStudy) => english(sums(study)[0]!.disclosure.what);

  it("is chosen by default where columns are numbers and rows are enough, and the plan says why", () => {
    const study = studyWith(expecting(600));
    expect(study.parameters.ball).toBe("auto");
    expect(isPrivate(study)).toBe(true);
    expect(sums(study).map(({ id, length, broadcasts }) => [id, length, broadcasts])).toEqual([
      ["ball-centre", 31, []],
      ["ball-radius", 8, [{ name: "centre", length: 30 }]],
      ["class-moments", 496, [{ name: "radius-step", length: 1 }]],
    ]);
    expect(said(study)).toContain("ball: auto has them chosen: 600 expected rows are at least the 181");
  });

  it("is the declared one where a choice would not pay, and the plan says why", () => {
    const few = studyWith(expecting(150));
    expect(isPrivate(few)).toBe(false);
    expect(said(few)).toContain("150 expected rows are fewer than the 181 that a choice needs");
    const categorical = { name: "sex", type: "categorical", levels: ["f", "m"] };
    const mixed = studyWith({ ...expecting(600), features: [...numeric(3), categorical] });
    expect(isPrivate(mixed)).toBe(false);
    expect(said(mixed)).toContain("0/1 columns of a category");
    expect(isPrivate(studyWith())).toBe(false);
    expect(said(studyWith())).toContain("participation.expectedRows does not say");
    const open = studyWith({ ...expecting(600), privacy: "none" });
    expect(isPrivate(open)).toBe(false);
  });

  it("is the declared one where a study gives any of it, and a private one where it asks for that", () => {
    for (const given of [{ centre: 0.3 }, { radius: 0.8 }]) {
      const study = studyWith({ ...expecting(600), parameters: { components: 2, ...given } });
      expect(study.parameters.ball).toBe("declared");
      expect(isPrivate(study)).toBe(false);
      const asked = studyWith({ parameters: { components: 2, ball: "private", ...given } });
      expect(isPrivate(asked)).toBe(true);
    }
  });

  it("needs as many rows as two public rules ask, fewer with more budget", () => {
    // ρ = .0305566, .075 of it for each sum, 1/√(2ρ) = 14.7707: 2·14.7707·√(30·1.25) rows for the centre.
    expect(rowsToChoose(studyWith(), 30)).toBe(Math.ceil(2 * 14.7707 * Math.sqrt(30 * 1.25)));
    // And for the radius 2·14.7707·√8, where columns are few.
    expect(rowsToChoose(studyWith({ features: numeric(2) }), 2)).toBe(84);
    const more = { parameters: { components: 2, ball: "auto", ballShare: 0.3 } };
    expect(rowsToChoose(studyWith(more), 30)).toBeLessThan(rowsToChoose(studyWith(), 30));
    const patients = (weighting: string) => studyWith({ patient: { column: "id", maxRows: 4, weighting } });
    expect(rowsToChoose(patients("rows"), 30)).toBeGreaterThan(3.9 * rowsToChoose(studyWith(), 30));
    expect(rowsToChoose(patients("patients"), 30)).toBe(rowsToChoose(studyWith(), 30));
  });

  it("means in an earlier text what it meant then", () => {
    const study = studyWith(expecting(600));
    const { ball, ...parameters } = study.parameters;
    expect(ball).toBe("auto");
    const earlier = studyDocument({ ...study, parameters });
    const read = unwrap(readStudyDocument(earlier.text, earlier.hash));
    expect(read.text).toBe(earlier.text);
    expect(isPrivate(asDpPca(read.study))).toBe(false);
    expect(said(asDpPca(read.study))).not.toContain("ball");
    const now = studyDocument(study);
    const again = unwrap(readStudyDocument(now.text, now.hash));
    expect(planHash(again.study, planStudy(again.study))).toBe(planHash(study, planStudy(study)));
  });

  it("costs its part and no more, and the noise of the components is that of the rest", () => {
    const declared = studyWith({ parameters: { components: 2, ball: "declared" } });
    const chosen = studyWith({ parameters: { components: 2, ball: "private" } });
    expect(dpPcaStdDev(chosen) / dpPcaStdDev(declared)).toBeCloseTo(1 / Math.sqrt(0.85), 9);
    const half = studyWith({ parameters: { components: 2, ball: "private", ballShare: 0.5 } });
    expect(dpPcaStdDev(half) / dpPcaStdDev(declared)).toBeCloseTo(Math.SQRT2, 9);
  });

  it("is warned of where noise would choose it", () => {
    const warned = (rows: number) =>
      planStudy(studyWith({ ...expecting(rows), parameters: { components: 1, ball: "private" } }))
        .warnings.map(english)
        .join("\n");
    expect(warned(100)).toContain(
      "noise chooses centre and radius more than the rows do: that takes 181 rows",
    );
    expect(warned(600)).not.toContain("noise chooses");
  });

  it.each([
    ["a share without a choice", { ball: "declared", ballShare: 0.1 }, "parameters.ballShare"],
    ["a share of nearly all", { ball: "private", ballShare: 0.6 }, "parameters.ballShare"],
    ["another word", { ball: "public" }, "parameters.ball"],
  ])("is refused with %s", (_, parameters, path) => {
    const parsed = parseStudy({
      name: "planned",
      table: "visits",
      analysis: "pca",
      privacy: { epsilon: 1, delta: 1e-5 },
      participation,
      features: numeric(3),
      parameters: { components: 1, ...parameters },
    });
    expect(parsed.ok ? "" : parsed.error.issues[0]!.path).toBe(path);
  });
});
