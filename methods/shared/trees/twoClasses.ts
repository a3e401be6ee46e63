import type { MethodIssue } from "@consilium/core/method/method";
import type { Study } from "@consilium/core/study/study";

/** Boosting tells two classes apart: docs/methods/boosted-trees.md#boosted-trees. What every method of it refuses. */
export function twoClassIssues(study: Study): MethodIssue[] {
  if (study.label === undefined) {
    return [[["label"], "missing: boosted trees learn to tell the two levels of a label apart; declare it"]];
  }
  const { length } = study.label.levels;
  // Fewer are no label at all: that is the schema's to say.
  if (length <= 2) return [];
  return [
    [
      ["label", "levels"],
      `${length} levels; boosted trees tell exactly two apart: use correlation-tree, or make the label two levels`,
    ],
  ];
}

/** Boosting may go by its defaults alone: a study may leave its parameters out. */
export function withParameters(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...raw, parameters: raw.parameters ?? {} };
}
