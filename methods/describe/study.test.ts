import { saidText } from "@consilium/core/said";
import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { weightsOf } from "../shared/counts/sections.js";
import { describeSource, tableStudy } from "../testing/describe.js";
import { parseStudy } from "../testing/studies.js";
import { asDescribe, describeLayout, planDescribe } from "./study.js";

const age = describeSource.features[0]!;
const sex = describeSource.features[1]!;

describe("a study of describe", () => {
  it("counts missing values by themselves unless it says otherwise, and plans in one stage", () => {
    const study = tableStudy(asDescribe, { parameters: { tables: [["age", "sex"]] } });
    expect(study.features.map(({ missing }) => missing)).toEqual(["own-level", "own-level"]);
    const { features, marginals, numbers, stage } = describeLayout(study);
    expect(features.map(({ cells, missing }) => [cells, missing])).toEqual([
      [6, 5],
      [3, 2],
    ]);
    expect(marginals.map(({ offset, cells }) => [offset, cells])).toEqual([
      [0, 12],
      [12, 6],
      [18, 18],
    ]);
    // By group two moments and a run of small cells: 256, and each whole number of 0 to 100 by itself.
    const [small] = numbers;
    expect([small!.sumsAt, small!.squaresAt, small!.cellsAt]).toEqual([36, 38, 40]);
    expect(numbers[1]).toBeNull();
    expect(stage.length).toBe(40 + 2 * small!.cells.binned.bins);
    expect(planDescribe(study).stages.map(({ id }) => id)).toEqual([stage.id]);
    expect(english(saidText(stage.what))).toMatch(
      /^how many rows there are .* of age, sex, by ill, .* distribution, .* age with sex \(each count is within ±/,
    );
    // The control: a rule of the study's own stays.
    const kept = tableStudy(asDescribe, { features: [{ ...age, missing: "reject-row" }, sex] });
    expect(kept.features[0]!.missing).toBe("reject-row");
    expect(describeLayout(kept).features[0]!.missing).toBeNull();
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      "a number without edges",
      { features: [{ ...age, edges: undefined }, sex] },
      'features[0].edges: numeric column "age" has no edges',
    ],
    ["edges that do not ascend", { features: [{ ...age, edges: [40, 20] }, sex] }, "edges must ascend"],
    [
      "a level declared twice",
      { features: [age, { ...sex, levels: ["f", "f"] }] },
      "levels must differ from each other",
    ],
    [
      "a pair with an unknown column",
      { parameters: { tables: [["age", "weight"]] } },
      'parameters.tables[0]: column "weight" is not declared',
    ],
    ["a pair with the label", { parameters: { tables: [["age", "ill"]] } }, '"ill" is the label'],
    ["a pair of one column", { parameters: { tables: [["age", "age"]] } }, "two different columns"],
    [
      "the same pair twice",
      {
        parameters: {
          tables: [
            ["age", "sex"],
            ["sex", "age"],
          ],
        },
      },
      "parameters.tables[1]: the same two columns are at parameters.tables[0] already",
    ],
    [
      "more counts than a release can hold",
      { features: [{ ...age, edges: Array.from({ length: 40_000 }, (_, i) => (i + 1) / 400) }, sex] },
      'column "age" has 40,000 edges, at most 1,500 are allowed',
    ],
    [
      "more groups of cells than a sum can hold",
      { label: { name: "ill", levels: Array.from({ length: 1200 }, (_, i) => `level ${i}`) } },
      "at most 524,288 are allowed",
    ],
    [
      "sites that trust nobody",
      { participation: { ...describeSource.participation, tolerateColluding: 0 } },
      "participation.tolerateColluding",
    ],
  ])("is refused with %s", (_, change, message) => {
    const parsed = parseStudy({ ...describeSource, ...change });
    expect(parsed.ok ? "" : english(parsed.error.message)).toContain(message);
  });

  it("is refused by its columns alone where they are ten times too many", () => {
    const features = Array.from({ length: 20_000 }, (_, i) => ({ ...age, name: `c${i}`, edges: undefined }));
    const study = { ...describeSource, label: undefined, features, parameters: { bins: 2 } };
    const before = process.cpuUsage();
    const parsed = parseStudy(study);
    const { user } = process.cpuUsage(before);
    expect(parsed.ok ? "" : english(parsed.error.message)).toContain("at least 5,220,000 numbers");
    // Microseconds of this process: 0.4 s, and 5 s where each column is cut into cells first.
    expect(user).toBeLessThan(2_000_000);
  });

  it("takes equal widths in place of edges where it says how many", () => {
    const study = tableStudy(asDescribe, {
      features: [{ ...age, edges: undefined }, sex],
      parameters: { bins: 10 },
    });
    expect(describeLayout(study).features[0]!.binned.bins).toBe(10);
  });

  it("leaves missing numbers to the methods that count them", () => {
    const features = [{ ...age, missing: "own-level" }];
    const pca = { ...describeSource, analysis: "pca", method: "dp-pca", label: undefined };
    const parameters = { components: 1, radius: 0.5 };
    const refused = parseStudy({ ...pca, parameters, features });
    expect(refused.ok ? "" : english(refused.error.message)).toBe(
      "features[0].missing: dp-pca cannot compute with missing numbers; write reject-row or a constant",
    );
    expect(parseStudy({ ...pca, parameters, features: [age] }).ok).toBe(true);
  });

  it("warns exactly where the average cell holds fewer rows than the noise puts a count within", () => {
    const warned = (expectedRows: number) =>
      planStudy(
        tableStudy(asDescribe, {
          participation: { ...describeSource.participation, expectedRows },
          parameters: { tables: [["age", "sex"]] },
        }),
      ).warnings.map(english);
    const { marginals, stage } = describeLayout(
      tableStudy(asDescribe, { parameters: { tables: [["age", "sex"]] } }),
    );
    const table = marginals.at(-1)!;
    // Of the fewest sites that the noise is sized for, of three one may collude: σ = Δ/√(2ρ)·√(3/2).
    expect(stage.sensitivitySquared).toBeGreaterThan(
      marginals.reduce((sum, { weight }) => sum + weight ** 2, 0),
    );
    const enough = 30 * table.cells;
    expect(warned(20 * enough)).toEqual([]);
    expect(warned(table.cells)[0]).toMatch(
      /the noise hides most counts of age with sex \(18 counts of 1 rows on average, ±/,
    );
  });
});

describe("weights", () => {
  it("are 1 for tables of one size", () => {
    expect(weightsOf([7, 7, 7])).toEqual([1, 1, 1]);
  });

  it("make the sum of all noise variances the least: no other integers within a few of them do better by a per mille", () => {
    const cells = [2, 12, 30, 400];
    const cost = (weights: readonly number[]) =>
      weights.reduce((sum, w) => sum + w ** 2, 0) *
      weights.reduce((sum, w, i) => sum + cells[i]! / w ** 2, 0);
    const chosen = weightsOf(cells);
    const own = cost(chosen);
    // The optimum in real numbers: (Σ √c)².
    expect(own / cells.reduce((sum, c) => sum + Math.sqrt(c), 0) ** 2).toBeLessThan(1.001);
    expect(own).toBeLessThan(0.75 * cost(cells.map(() => 1)));
  });
});
