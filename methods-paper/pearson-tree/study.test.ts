import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { groupedStages, groupName } from "@consilium/core/study/stageGroups";
import { parseStudy } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";

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
const nodes = (count: number) => Array.from({ length: count }, (_, visit) => `node-${visit + 1}`);
const wide = Array.from({ length: 300 }, (_, f) => ({ name: `f${f}`, type: "numeric", min: 0, max: 1 }));
const fault = (change: Record<string, unknown>) => {
  const result = parsed(change);
  return result.ok ? "no fault" : english(result.error.message);
};

describe("a study of the published correlation tree", () => {
  it("is the paper variant's method: depth-first, with one subset for each site and the largest score taken", () => {
    expect(unwrap(parsed({}))).toMatchObject({
      method: "pearson-tree",
      parameters: { depth: 3, order: "depth-first", partitions: 1, selection: "argmax", leafShare: 0.5 },
    });
  });

  it("plans exact sums: per node two classes, the subsets, and three numbers for each of four attributes", () => {
    const { stages, masking } = planOf();
    expect(masking).toBe("pairwise");
    expect(stages.map(({ id }) => id)).toEqual([...nodes(7), "leaves"]);
    expect(stages.map((stage) => (stage.kind === "sum" ? stage.length : 0))).toEqual([
      ...new Array<number>(7).fill(15),
      16,
    ]);
    for (const stage of stages) expect(stage).toMatchObject({ noise: null, ringBits: 64 });
  });

  it("tells each stage what became of the node before, and may end with any node but the root", () => {
    const [root, ...others] = planOf().stages;
    expect(root!.broadcasts).toEqual([]);
    for (const stage of others) expect(stage.broadcasts).toEqual([{ name: "splits", length: 2 }]);
    expect(planOf().stages.map(({ mayBeSkipped }) => mayBeSkipped ?? false)).toEqual([
      false,
      ...new Array<boolean>(6).fill(true),
      false,
    ]);
  });

  it("takes the levels of a categorical feature for map tasks, and says what is none", () => {
    const asked = (mapTasks: string, more: object = {}, features: readonly object[] = raw.features) =>
      fault({ features, parameters: { depth: 1, evaluation: "none", mapTasks, ...more } });
    expect(asked("b")).toBe("no fault");
    expect(asked("a")).toMatch(/name a categorical feature/);
    expect(asked("c")).toMatch(/name a categorical feature/);
    expect(asked("b", { partitions: 2 })).toMatch(/in place of partitions/);
    expect(asked("b", {}, raw.features.slice(1))).toMatch(/declare further features/);
    const mapped = { name: "b", type: "categorical", levels: ["x", "z"], map: { p: "x", q: "z" } };
    expect(asked("b", {}, [raw.features[0]!, mapped])).toMatch(/has a map/);
  });

  it("visits at most 2^h - 1 nodes, and at most 2A - 1 with A attributes", () => {
    const visits = (depth: number) => planOf({ parameters: { depth, evaluation: "none" } }).stages.length - 1;
    expect([1, 2, 3, 4].map(visits)).toEqual([1, 3, 7, 7]);
  });

  it("shows all nodes as one group, for all disclose the same", () => {
    expect(groupedStages(planOf().stages).map(({ stages }) => groupName(stages))).toEqual([
      "node-1 … node-7 (7 stages)",
      "leaves",
    ]);
  });

  it("plans a sum for each level where the study asks for breadth-first, and none may be skipped", () => {
    const { stages } = planOf({ parameters: { order: "breadth-first", evaluation: "none" } });
    expect(stages.map(({ id }) => id)).toEqual(["level-1", "level-2", "level-3", "leaves"]);
    expect(stages.map((stage) => (stage.kind === "sum" ? stage.length : 0))).toEqual([15, 30, 60, 16]);
    expect(stages.some(({ mayBeSkipped }) => mayBeSkipped)).toBe(false);
    expect(stages.map(({ disclosure }) => disclosure.cost?.epsilon)).toEqual([1, 1, 1, 1]);
  });

  it("claims what its authors claim, says why it does not hold, and that each split spends ε1 again", () => {
    const { claim, stages } = planOf();
    expect(claim).toMatchObject({ verdict: "claimed by the authors, not verified", epsilon: 2, proof: null });
    expect(claim.reasons.map(english).join(" ")).toMatch(/Cuts are values of records/);
    expect(claim.reasons.map(english).join(" ")).toMatch(/Every level spends the selection's budget again/);
    expect(stages.map(({ disclosure }) => disclosure.cost?.epsilon)).toEqual(new Array(8).fill(1));
    expect(stages.every(({ disclosure }) => disclosure.event.kind === "no-bound")).toBe(true);
    expect(planOf({ privacy: "none" }).claim.verdict).toBe("no privacy");
  });

  it.each<[Record<string, unknown>, string | RegExp]>([
    [
      { parameters: { depth: 5 } },
      "parameters.depth: 5 levels of 4 attributes, each asked once; ask at most 4",
    ],
    [
      { features: wide, parameters: { depth: 9 } },
      "parameters.depth: a depth-first tree of 9 levels and 300 attributes has up to 511 nodes to split, a stage each, over the limit of 400; lower depth, or set order: breadth-first",
    ],
    [{ features: wide, parameters: { depth: 9, order: "breadth-first" } }, "no fault"],
    [{ features: wide, parameters: { depth: 8 } }, "no fault"],
    [{ parameters: { order: "level" } }, /^parameters.order: /],
    [
      { participation: { maxRowsPerSite: 100_000_000 } },
      /^participation.maxRowsPerSite: the method sorts a site's table in memory: 100000000 rows of 2 features are over/,
    ],
    [
      { variant: "sound", method: "pearson-tree" },
      "variant: pearson-tree is of `variant: paper`, its privacy is not proven; write that, or use dp-pcc",
    ],
    [{ parameters: { bins: 4 } }, "parameters.bins: no such key; remove it or correct its spelling"],
    [{ label: undefined }, "label: missing"],
  ])("refuses %j", (change, message) => {
    expect(fault(change)).toMatch(message);
  });

  it("warns of dropouts, of subsets that are too small, and of a draw that chooses nothing", () => {
    const [dropouts, ...others] = planOf().warnings.map(english);
    expect(dropouts).toMatch(/^sums without noise are opened for one list of sites/);
    expect(others).toEqual([]);
    expect(english(planOf({ parameters: { partitions: 600 } }).warnings[1]!)).toMatch(
      /^600 subsets of at most 5000 rows/,
    );
    expect(english(planOf({ parameters: { selection: "sample" } }).warnings[1]!)).toMatch(
      /^with at most 3 subsets the drawn attributes are close to any: the best is drawn at most 4\.5 times/,
    );
    expect(planOf({ parameters: { selection: "sample", partitions: 100 } }).warnings).toHaveLength(1);
    expect(english(planOf({ features: wide, parameters: { depth: 6 } }).warnings[1]!)).toMatch(
      /^up to 63 nodes are split one after the other, each with a sum of its own; order: breadth-first needs 6 sums/,
    );
    expect(english(planOf({ parameters: { scoreSensitivity: 0.1 } }).warnings[1]!)).toMatch(/has no effect/);
  });
});
