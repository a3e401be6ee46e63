/** Predictors and rows for tests, with every kind of input. Not part of any process. */
import { isOneOutput } from "@consilium/core/learning/trees/tree";
import type { InputColumn, LinearMapPredictor, TreePredictor } from "@consilium/core/release/predictor";
import type { RawRow } from "@consilium/core/testing/release/predict";

/** Numbers from 0 to 1 that are the same in every run. */
export function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const sampleInputs: readonly InputColumn[] = [
  { name: "age", type: "numeric", min: 0, max: 120, missing: null, edges: [0.1, 18.5, 42, 65.25, 90.7] },
  { name: 'height, "cm"', type: "numeric", min: -1, max: 1, missing: 0.3, edges: [-0.7, 0.3, 1 / 3] },
  { name: "sex", type: "categorical", levels: ["female", "male", "(missing)"], missing: 2 },
  // As the model's own output is called.
  { name: "label", type: "categorical", levels: ["a", "b", "größe", "d & <e>"], missing: null },
];

type Node = TreePredictor["trees"][number]["nodes"][number];

/** Values as broadcast models have them: multiples of 2^-24. */
const fixedPoint = (value: number) => Math.round(value * 2 ** 24) / 2 ** 24;

/** A tree of random questions; its leaves are at most so deep. @param hasSets - whether categories are split by sets of levels */
function randomTree(
  uniform: () => number,
  options: {
    readonly inputs: readonly InputColumn[];
    readonly depth: number;
    readonly outputs: number;
    readonly hasSets: boolean;
  },
): { nodes: Node[] } {
  const { inputs, depth, outputs, hasSets } = options;
  const nodes: Node[] = [];
  const grow = (left: number): number => {
    const at = nodes.length;
    if (left === 0 || (left < depth && uniform() < 0.15)) {
      const values = Array.from({ length: outputs }, () => fixedPoint(2 * uniform() - 1));
      nodes.push({ kind: "leaf", values, cover: 1 });
      return at;
    }
    const feature = Math.floor(uniform() * inputs.length);
    const input = inputs[feature]!;
    const cuts = input.type === "numeric" ? input.edges.length : input.levels.length;
    const first = Math.floor(uniform() * cuts);
    const cut = hasSets && input.type === "categorical" ? randomSet(uniform, cuts) : first;
    const split = { kind: "split" as const, feature, cut, gain: 1, cover: 2 };
    nodes.push({ ...split, left: 0, right: 0 });
    nodes[at] = { ...split, left: grow(left - 1), right: grow(left - 1) };
    return at;
  };
  grow(depth);
  return { nodes };
}

/** Some of the levels, neither none nor all. */
function randomSet(uniform: () => number, levels: number): number[] {
  const share = uniform();
  const set = Array.from({ length: levels }, (_, level) => level).filter(() => uniform() < share);
  return set.length === 0 ? [0] : set.slice(0, levels - 1);
}

/** A tree whose leaves add to one class alone, as those of a softmax do. */
function ofOneClass({ nodes }: TreePredictor["trees"][number], own: number) {
  return {
    nodes: nodes.map((node) =>
      node.kind === "leaf"
        ? { ...node, values: node.values.map((value, c) => (c === own ? value : 0)) }
        : node,
    ),
  };
}

export function sampleTrees(
  link: TreePredictor["link"],
  options: {
    readonly trees?: number;
    readonly depth?: number;
    readonly isXgboost?: boolean;
    readonly calibration?: TreePredictor["probability"]["calibration"];
    readonly inputs?: readonly InputColumn[];
    readonly hasSets?: boolean;
    /** Every tree of a softmax adds to all classes, not each to one. */
    readonly isDense?: boolean;
  } = {},
): TreePredictor {
  const { trees = 12, depth = 5, isXgboost = false, calibration = null } = options;
  const { inputs = sampleInputs, hasSets = false, isDense = false } = options;
  const uniform = uniforms(7);
  const levels = isOneOutput(link) ? ["benign", "malignant"] : ["low", "middle", "high"];
  const outputs = isOneOutput(link) ? 1 : levels.length;
  return {
    kind: "trees",
    inputs: [...inputs],
    label: { name: "outcome", levels },
    trees: Array.from({ length: trees }, (_, t) => {
      // A tree that asks nothing is one too.
      const tree = randomTree(uniform, { inputs, depth: t === 1 ? 0 : depth, outputs, hasSets });
      return link === "softmax" && !isDense ? ofOneClass(tree, t % outputs) : tree;
    }),
    base: Array.from({ length: outputs }, (_, c) => fixedPoint(0.25 - 0.1 * c)),
    link,
    probability: { derivation: "Made up for tests (docs/methods/evaluation.md#probabilities).", calibration },
    isXgboost,
  };
}

export function sampleMap(norm: LinearMapPredictor["norm"]): LinearMapPredictor {
  const uniform = uniforms(11);
  const columns = sampleInputs.reduce(
    (sum, input) => sum + (input.type === "numeric" ? 1 : input.levels.length),
    0,
  );
  const numbers = (length: number) => Array.from({ length }, () => 2 * uniform() - 1);
  return {
    kind: "linear-map",
    inputs: [...sampleInputs],
    subtract: numbers(columns),
    divide: numbers(columns).map((value) => 1 + Math.abs(value)),
    norm,
    matrix: numbers(3 * columns),
    outputs: ["pc1", "pc2", "pc3"],
  };
}

/** Random rows, among them values on every edge and just beside it, and missing ones where the study allows it. */
export function sampleRowsOf(inputs: readonly InputColumn[], rows: number): RawRow[] {
  const uniform = uniforms(23);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(uniform() * all.length)]!;
  const valueFor = (input: InputColumn): number | string | null => {
    if (input.missing !== null && uniform() < 0.1) return null;
    if (input.type === "categorical") return pick(input.levels.filter((_, i) => i !== input.missing));
    const edge = pick(input.edges);
    const beside = Math.abs(edge) * Number.EPSILON;
    const kind = uniform();
    if (kind < 0.25) return edge;
    if (kind < 0.35) return edge - beside;
    if (kind < 0.4) return edge + beside;
    return input.min + uniform() * (input.max - input.min);
  };
  return Array.from({ length: rows }, () =>
    Object.fromEntries(inputs.map((input) => [input.name, valueFor(input)])),
  );
}
