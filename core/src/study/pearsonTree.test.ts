import { describe, expect, it } from "vitest";
import { unwrap } from "../result.js";
import { planStudy } from "./plan.js";
import { parseStudy } from "./study.js";

const raw = {
  name: "tree",
  table: "t",
  analysis: "correlation-tree",
  variant: "paper",
  features: [
    { name: "a", type: "numeric", min: 0, max: 1 },
    { name: "b", type: "categorical", levels: ["x", "y", "z"] },
  ],
  label: { name: "y", levels: ["no", "yes"] },
  privacy: { epsilon: 2, delta: 1e-6 },
  parameters: { evaluation: "none" },
  participation: { sites: ["p", "q", "r"], maxRowsPerSite: 5000 },
};
const parsed = (change: Record<string, unknown>) => parseStudy({ ...raw, ...change });
const planOf = (change: Record<string, unknown> = {}) => planStudy(unwrap(parsed(change)));
const fault = (change: Record<string, unknown>) => {
  const result = parsed(change);
  return result.ok ? "no fault" : result.error.message;
};

describe("a study of the published correlation tree", () => {
  it("is the paper variant's method, with one subset for each site and the largest score taken", () => {
    expect(unwrap(parsed({}))).toMatchObject({
      method: "pearson-tree",
      parameters: { depth: 3, partitions: 1, selection: "argmax", leafShare: 0.5 },
    });
  });

  it("plans exact sums: per node two classes, the subsets, and three numbers for each of four attributes", () => {
    const { stages, masking } = planOf();
    expect(masking).toBe("pairwise");
    expect(stages.map(({ id }) => id)).toEqual(["level-1", "level-2", "level-3", "leaves"]);
    expect(stages.map((stage) => (stage.kind === "sum" ? stage.length : 0))).toEqual([15, 30, 60, 16]);
    for (const stage of stages) expect(stage).toMatchObject({ noise: null, ringBits: 64 });
  });

  it("claims what its authors claim, says why it does not hold, and that each level spends ε1 again", () => {
    const { claim, stages } = planOf();
    expect(claim).toMatchObject({ verdict: "claimed by the authors, not verified", epsilon: 2, proof: null });
    expect(claim.reasons.join(" ")).toMatch(/Cuts are values of records/);
    expect(claim.reasons.join(" ")).toMatch(/Every level spends the selection's budget again/);
    expect(stages.map(({ disclosure }) => disclosure.cost?.epsilon)).toEqual([1, 1, 1, 1]);
    expect(stages.every(({ disclosure }) => disclosure.event.kind === "no-bound")).toBe(true);
    expect(planOf({ privacy: "none" }).claim.verdict).toBe("no privacy");
  });

  it.each<[Record<string, unknown>, string | RegExp]>([
    [
      { parameters: { depth: 5 } },
      "parameters.depth: 5 levels of 4 attributes, each asked once; ask at most 4",
    ],
    [
      { participation: { maxRowsPerSite: 100_000_000 } },
      /^participation.maxRowsPerSite: the method sorts a site's table in memory: 100000000 rows of 2 features are over/,
    ],
    [
      { variant: "sound", method: "pearson-tree" },
      "variant: pearson-tree is of `variant: paper`, its privacy is not proved; write that, or use dp-pcc",
    ],
    [{ parameters: { bins: 4 } }, "parameters.bins: no such key; remove it or correct its spelling"],
    [{ label: undefined }, "label: missing"],
  ])("refuses %j", (change, message) => {
    expect(fault(change)).toMatch(message);
  });

  it("warns of dropouts, of subsets that are too small, and of a draw that chooses nothing", () => {
    const [dropouts, ...others] = planOf().warnings;
    expect(dropouts).toMatch(/^sums without noise are opened for one list of sites/);
    expect(others).toEqual([]);
    expect(planOf({ parameters: { partitions: 600 } }).warnings[1]).toMatch(
      /^600 subsets of at most 5000 rows/,
    );
    expect(planOf({ parameters: { selection: "sample" } }).warnings[1]).toMatch(
      /^with at most 3 subsets the drawn attributes are close to any: the best is drawn at most 4\.5 times/,
    );
    expect(planOf({ parameters: { selection: "sample", partitions: 100 } }).warnings).toHaveLength(1);
    expect(planOf({ parameters: { scoreSensitivity: 0.1 } }).warnings[1]).toMatch(/has no effect/);
  });
});
