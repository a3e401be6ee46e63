import { planStudy } from "@consilium/core/study/plan";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { additiveTestStudy } from "../testing/additive/study.js";
import { testStudySource } from "../testing/histBoost/study.js";
import { parseStudy } from "../testing/studies.js";
import { additiveLayout, asAdditive, learningRate, planAdditive } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const participation = { minimumSites: 3, maxRowsPerSite: 3000 };
const source = { ...testStudySource, method: "dp-additive" };

function faults(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...source, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
}

describe("a study of dp-additive", () => {
  it("is sound and complete without a parameter", () => {
    const parsed = parseStudy(source);
    expect(parsed.ok && parsed.value).toMatchObject({
      variant: "sound",
      method: "dp-additive",
      parameters: { epochs: 6, lambda: 1, bins: 16, seed: "consilium" },
    });
    if (parsed.ok) expect(learningRate(asAdditive(parsed.value))).toBe(1 / Math.sqrt(3));
  });

  it("has one sum for each epoch, and the evaluation", () => {
    const study = additiveTestStudy({ epochs: 3, evaluation: { heldOut: 0.2 } });
    const { stages } = planAdditive(study);
    expect(
      stages.map((stage) => [
        stage.id,
        stage.kind === "sum" ? stage.length : null,
        stage.broadcasts.map(({ name, length }) => `${name} ${length}`),
      ]),
    ).toEqual([
      ["epoch-1", 2 * (8 + 4 + 3), []],
      ["epoch-2", 30, ["curves 16"]],
      ["epoch-3", 30, ["curves 16"]],
      ["evaluation", 40, ["curves 16", "cuts 19"]],
    ]);
    expect(additiveLayout(study).offsets).toEqual([0, 8, 12, 15]);
  });

  it("costs no more than it asks for, and next to all of it", () => {
    for (const parameters of [{ evaluation: "none" }, { evaluation: { share: 0.2 }, epochs: 7 }]) {
      const { claim } = planStudy(additiveTestStudy(parameters, { privacy, participation }));
      expect(claim).toMatchObject({ verdict: "proved", proof: "docs/METHODS.md#dp-additive-proof" });
      expect(claim.epsilon).toBeLessThanOrEqual(1);
      expect(claim.epsilon).toBeGreaterThan(1 - 1e-9);
    }
  });

  it("has √.3125 of the noise in its first epoch, at the same cost", () => {
    const study = additiveTestStudy({ epochs: 2 }, { privacy, participation });
    const [first, second] = additiveLayout(study).stages;
    expect(noiseStdDev(study, first!, 3) / noiseStdDev(study, second!, 3)).toBeCloseTo(Math.sqrt(0.3125), 6);
    const [one, two] = planAdditive(study).stages.map(({ disclosure }) => disclosure);
    expect(one!.cost!.epsilon).toBeCloseTo(two!.cost!.epsilon, 9);
    expect(one!.normBound).toBeCloseTo(Math.sqrt(3 * 0.3125), 12);
    expect(two).toMatchObject({
      form: "masked sum",
      normBound: Math.sqrt(3),
    });
    expect(english(two!.what)).toBe(
      "first and second derivatives of the rows' log loss at each bin of each of the 3 features, added up over all sites",
    );
  });

  it("is refused with the fix", () => {
    const cases: [change: Record<string, unknown>, fault: string][] = [
      [
        { label: { name: "sick", levels: ["no", "yes", "maybe"] } },
        "label.levels: 3 levels; boosted trees tell exactly two apart: use correlation-tree, or make the label two levels",
      ],
      [
        { variant: "paper" },
        "variant: dp-additive is `sound`; the method of `variant: paper` is cart-dps-adaboost",
      ],
      [{ parameters: { epochs: 0 } }, "parameters.epochs: at least 1"],
      [{ parameters: { lambda: 0 } }, "parameters.lambda: greater than 0"],
      [
        { privacy, participation: { ...participation, tolerateColluding: 0 } },
        "participation.tolerateColluding: at least 1: every site knows its own share of the noise and must not count on it",
      ],
      [
        {
          privacy: { epsilon: 1e-13, delta: 1e-12 },
          participation: { ...participation, maxRowsPerSite: 1e9 },
        },
        "privacy.epsilon: noise of this size does not fit 64-bit numbers; raise epsilon, ask fewer epochs, or lower maxRowsPerSite or patient.maxRows",
      ],
    ];
    for (const [change, fault] of cases) expect(faults(change)).toEqual([fault]);
  });

  it("says where stumps are likely to predict better, by the rows that it expects", () => {
    const warned = (rows: number) =>
      planAdditive(
        additiveTestStudy(
          { epochs: 6 },
          { privacy, participation: { ...participation, expectedRows: rows } },
        ),
      ).warnings.map(english);
    const [warning, ...others] = warned(60);
    expect(others).toEqual([]);
    const needed = Number(/about (\d+) rows in training/.exec(warning!)?.[1]);
    expect(warning).toBe(
      `with the 60 rows that the study expects stumps are likely to predict as well or better: for a curve's bin to stand out of its noise it takes about ${needed} rows in training; use method: dp-histboost with depth: 1, declare fewer features or bins, or raise epsilon`,
    );
    expect(needed).toBeGreaterThan(60);
    expect(warned(needed)).toEqual([]);
    expect(warned(needed - 1)).toHaveLength(1);
    expect(
      planAdditive(additiveTestStudy({}, { participation: { ...participation, expectedRows: 60 } })).warnings,
    ).toEqual([]);
  });
});
