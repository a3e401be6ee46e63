import { epsilonFromRho } from "@consilium/core/privacy/conversions";
import { distributedRho } from "@consilium/core/privacy/distributedNoise";
import { planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { asPaperFelp, publishedScale } from "@consilium/methods-paper/felp/study";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { asFelpS, blocksOf, felpSLayout } from "../felp-s/study.js";
import { guaranteedStdDev } from "../shared/local-learning/guaranteedNoise.js";
import { selectedFeatures, solverOf } from "../shared/local-learning/localLearning.js";
import { parseStudy } from "../testing/studies.js";
import {
  categorical,
  featureSelectionStudy,
  numeric,
  rawFeatureSelection,
  type TestStudy,
} from "../testing/study/featureSelection.js";
import { asFelpA, felpALayout } from "./study.js";

const budget = { epsilon: 1, delta: 1e-5 };
const many = (count: number) => Array.from({ length: count }, (_, j) => numeric(`f${j}`));

function issuesOf(options: TestStudy): string[] {
  const parsed = parseStudy(rawFeatureSelection(options));
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
}

describe("a study of feature-selection", () => {
  it("is felp-a unless it says more, and felp for the paper's variant", () => {
    expect(featureSelectionStudy({})).toMatchObject({ variant: "sound", method: "felp-a" });
    expect(featureSelectionStudy({ variant: "paper" })).toMatchObject({ variant: "paper", method: "felp" });
    expect(featureSelectionStudy({}).parameters).toEqual({
      prototypeShare: 0.3,
      kappa: 1,
      clip: 1,
      rounds: 1,
      lambda: 0.01,
    });
    expect(featureSelectionStudy({ variant: "paper" }).parameters).toEqual({
      lambda: 0.01,
      solver: "auto",
      subsamples: 20,
      beta: 0.9,
      bootstrap: "with-replacement",
      seed: "consilium",
    });
  });

  it("selects a tenth of the features, at least one", () => {
    expect(selectedFeatures(featureSelectionStudy({}))).toBe(1);
    expect(selectedFeatures(featureSelectionStudy({ features: many(35) }))).toBe(3);
    expect(selectedFeatures(featureSelectionStudy({ parameters: { select: 2 } }))).toBe(2);
  });

  it("reads again as it was written", () => {
    for (const options of [{}, { method: "felp-s" }, { variant: "paper", method: "fple" }]) {
      const study = featureSelectionStudy({ ...options, privacy: budget });
      const { text, hash } = studyDocument(study);
      const again = parseStudy(JSON.parse(text));
      expect(again.ok && studyDocument(again.value).hash).toBe(hash);
    }
  });

  it("is refused with the fix where it cannot be run", () => {
    const refusals: [TestStudy, RegExp][] = [
      [{ parameters: { select: 4 } }, /select: 4 features asked of 3; ask at most 3/],
      [{ method: "relief" }, /method of feature-selection must be one of/],
      [{ method: "felp" }, /felp, fple, fwell and fwell-en are of `variant: paper`/],
      [{ method: "felp-a", variant: "paper" }, /felp-a is `sound`/],
      [{ method: "felp-s", variant: "paper" }, /felp-s is `sound`/],
      [{ levels: ["only"] }, /label.levels: declare at least two levels/],
      [{ variant: "paper", method: "fwell", privacy: budget }, /privacy: fwell adds no noise/],
      [{ variant: "paper", method: "fwell-en", privacy: budget }, /privacy: fwell-en adds no noise/],
      [{ parameters: { centre: [0.5, 0.5] } }, /centre: 2 numbers for 5 design columns/],
      [{ method: "felp-s", parameters: { blocks: 300 } }, /blocks: 300 blocks for at most 200 rows/],
      [{ privacy: budget, participation: { tolerateColluding: 0 } }, /tolerateColluding: at least 1/],
      [{ parameters: { clip: 0 } }, /parameters.clip/],
      [
        { variant: "paper", participation: { maxRowsPerSite: 10_000_000 } },
        /maxRowsPerSite: 10000000 rows of 5 design columns do not fit in a site's memory.*at most 6710886 rows/,
      ],
      [
        { method: "felp-s", participation: { maxRowsPerSite: 10_000_000 } },
        /maxRowsPerSite: 10000000 rows of 5 design columns/,
      ],
      [
        { variant: "paper", features: many(5000), parameters: { solver: "newton" } },
        /solver: newton takes at most 4096 features/,
      ],
      [
        {
          privacy: { epsilon: 1e-9, delta: 1e-15 },
          patient: { column: "who", maxRows: 10_000, weighting: "rows" },
        },
        /privacy.epsilon: noise of this size does not fit/,
      ],
    ];
    for (const [options, message] of refusals) expect(issuesOf(options).join("\n")).toMatch(message);
    const { label, ...rest } = rawFeatureSelection({});
    expect(label).toBeDefined();
    const parsed = parseStudy(rest);
    expect(parsed.ok ? [] : parsed.error.issues).toEqual([{ path: "label", message: "fault.missing {}" }]);
  });

  it("solves by Newton's method for few features and by L-BFGS for many", () => {
    expect(solverOf({ solver: "auto" }, 500)).toBe("newton");
    expect(solverOf({ solver: "auto" }, 501)).toBe("lbfgs");
    expect(solverOf({ solver: "newton" }, 4000)).toBe("newton");
  });
});

describe("the plan of felp-a", () => {
  const wdbcLike: TestStudy = {
    features: many(30),
    privacy: budget,
    parameters: { radius: 1.5, select: 3 },
    participation: { minimumSites: 5, maxRowsPerSite: 1000 },
  };

  it("has the noise of the specification: σ1 = 15.66672 and σ2 = 4.834856 at ε = 1, δ = 1e-5", () => {
    const study = asFelpA(featureSelectionStudy(wdbcLike));
    const layout = felpALayout(study);
    expect(guaranteedStdDev(study, layout.prototypes)).toBeCloseTo(15.66672, 4);
    expect(guaranteedStdDev(study, layout.margins[0]!)).toBeCloseTo(4.834856, 5);
  });

  it("spends the whole budget and no more, over all its rounds", () => {
    for (const rounds of [1, 4]) {
      const plan = planStudy(featureSelectionStudy({ ...wdbcLike, parameters: { rounds } }));
      expect(plan.stages.map(({ id }) => id)).toEqual([
        "prototypes",
        ...Array.from({ length: rounds }, (_, t) => `margins-${t + 1}`),
      ]);
      const rho = plan.stages.reduce((sum, stage) => {
        if (stage.kind !== "sum" || stage.noise === null) throw new Error("a sum with noise");
        return sum + distributedRho(stage.noise.event).ceiling();
      }, 0);
      expect(epsilonFromRho({ rho, delta: budget.delta })).toBeLessThanOrEqual(1);
      expect(epsilonFromRho({ rho: rho * (1 + 1e-9), delta: budget.delta })).toBeGreaterThan(1 - 1e-6);
      expect(plan.claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#felp-a-proof" });
      expect(plan.claim.epsilon).toBeLessThanOrEqual(1);
    }
  });

  it("states Δ in the integers that are added", () => {
    const study = asFelpA(featureSelectionStudy({ privacy: budget, parameters: { kappa: 0.5 } }));
    const { prototypes, margins } = felpALayout(study);
    expect(prototypes.sensitivitySquared).toBe(2 ** 40 + 2 ** 38);
    expect(margins[0]!.sensitivitySquared).toBe(2 ** 40);
    expect([prototypes.length, margins[0]!.length]).toEqual([2 * 6, 3]);
    const stage = planStudy(study).stages[1]!;
    expect(stage.broadcasts).toEqual([
      { name: "prototypes", length: 10 },
      { name: "present", length: 2 },
    ]);
    expect(stage.disclosure.sensitivity).toBe(1);
  });

  it("charges a patient for all their rows, or one row where they weigh as much as one", () => {
    const first = (more: object) =>
      planStudy(featureSelectionStudy({ ...wdbcLike, ...more })).stages[0]!.disclosure;
    const one = first({});
    const four = first({ patient: { column: "who", maxRows: 4, weighting: "rows" } });
    expect(four.event).toMatchObject({ kind: "group", records: 4 });
    expect(four.cost!.epsilon).toBeCloseTo(one.cost!.epsilon, 4);
    expect(first({ patient: { column: "who", maxRows: 4 } })).toMatchObject({ event: one.event });
  });

  it("centres levels on the middle of their simplex, and sizes R by the columns' own spread", () => {
    const layout = felpALayout(asFelpA(featureSelectionStudy({})));
    expect([...layout.centre]).toEqual([0.5, 0.5, 1 / 6, 1 / 6, 1 / 6]);
    expect(layout.radius).toBeCloseTo(Math.sqrt(2 / 12 + 3 * (1 / 6) * (1 / 3)), 12);
    const moved = felpALayout(asFelpA(featureSelectionStudy({ parameters: { centre: 0.2 } })));
    expect([...moved.centre]).toEqual([0.2, 0.2, 0.1, 0.1, 0.1]);
  });

  it("warns before anything is spent where no table could show what is asked: Arcene's 10,000 columns", () => {
    const arcene: TestStudy = {
      features: many(10_000),
      privacy: budget,
      parameters: { select: 1000 },
      participation: { minimumSites: 5, maxRowsPerSite: 40 },
    };
    expect(planStudy(featureSelectionStudy(arcene)).warnings.map(english).join()).toMatch(
      /stand out of the noise only with far more than \d+ rows in all/,
    );
    expect(planStudy(featureSelectionStudy(wdbcLike)).warnings).toEqual([]);
    expect(planStudy(featureSelectionStudy({ ...arcene, privacy: "none" })).warnings).toEqual([]);
  });
});

describe("the plan of felp-s", () => {
  const common: TestStudy = { method: "felp-s", privacy: budget };

  it("has as many blocks as the study says, or one for every forty rows allowed", () => {
    expect(blocksOf(asFelpS(featureSelectionStudy(common)))).toBe(5);
    expect(blocksOf(asFelpS(featureSelectionStudy({ ...common, parameters: { blocks: 7 } })))).toBe(7);
    const few = featureSelectionStudy({ ...common, participation: { maxRowsPerSite: 10 } });
    expect(blocksOf(asFelpS(few))).toBe(1);
  });

  it("states √2, and warns where there are too few blocks", () => {
    const study = featureSelectionStudy(common);
    expect(felpSLayout(asFelpS(study)).sensitivitySquared).toBe(2 ** 41);
    const plan = planStudy(study);
    expect(plan.stages[0]!.disclosure.sensitivity).toBeCloseTo(Math.SQRT2, 12);
    expect(plan.claim.proof).toBe("docs/METHODS.md#felp-s-proof");
    expect(plan.warnings.map(english).join()).toMatch(/far more than \d+ blocks of rows in all, here are 15/);
    const roomy = { ...common, parameters: { blocks: 100 } };
    expect(planStudy(featureSelectionStudy(roomy)).warnings).toEqual([]);
  });
});

describe("the plan of the published methods", () => {
  it("claims nothing: one exact sum, with the authors' noise elsewhere", () => {
    for (const method of ["felp", "fple"]) {
      const plan = planStudy(featureSelectionStudy({ variant: "paper", method, privacy: budget }));
      expect(plan.claim.verdict).toBe("claimed by the authors, not verified");
      expect(plan.claim.reasons.length).toBeGreaterThan(2);
      expect(plan.stages).toMatchObject([
        { id: "weights", length: 4, ringBits: 64, noise: null, disclosure: { event: { kind: "no-bound" } } },
      ]);
    }
    const none = planStudy(featureSelectionStudy({ variant: "paper", method: "fwell" }));
    expect(none.claim.verdict).toBe("no privacy");
  });

  it("has the published scale, and says where it drowns every weight: WDBC at ε = 0.01", () => {
    const recommended: TestStudy = {
      variant: "paper",
      features: many(30),
      privacy: { epsilon: 0.01, delta: 1e-5 },
      parameters: { select: 3 },
      participation: { minimumSites: 4, maxRowsPerSite: 142 },
    };
    const study = asPaperFelp(featureSelectionStudy(recommended));
    expect(publishedScale(study, 569)).toBeCloseTo(2 / (569 * 0.01 * 0.01), 9);
    expect(planStudy(study).warnings.map(english).join()).toMatch(
      /3 of 30 features stand out of the published noise only/,
    );
  });

  it("says when comparing all rows takes hours", () => {
    const long = featureSelectionStudy({ variant: "paper", participation: { maxRowsPerSite: 2_000_000 } });
    expect(planStudy(long).warnings.map(english).join()).toMatch(/every row is compared with every other/);
  });
});

it("a category counts as one feature, whatever its levels", () => {
  const study = featureSelectionStudy({ features: [categorical("c", ["x", "y", "z"]), numeric("a")] });
  const plan = planStudy(study);
  expect(plan.stages.map((stage) => (stage.kind === "sum" ? stage.length : 0))).toEqual([2 * 5, 2]);
});
