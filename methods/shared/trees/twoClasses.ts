import type { MethodIssue } from "@consilium/core/method/method";
import { sentences } from "@consilium/core/said";
import type { Study } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";

const fault = sentences<StudyFaultSays>();

/** Boosting tells two classes apart: docs/methods/boosted-trees.md#boosted-trees. What every method of it refuses. */
export function twoClassIssues(study: Study): MethodIssue[] {
  if (study.label === undefined) {
    return [[["label"], fault("fault.classes-missing", {})]];
  }
  const { length } = study.label.levels;
  // Fewer are no label at all: that is the schema's to say.
  if (length <= 2) return [];
  return [[["label", "levels"], fault("fault.two-classes", { levels: length })]];
}

/** Boosting may go by its defaults alone: a study may leave its parameters out. */
export function withParameters(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...raw, parameters: raw.parameters ?? {} };
}
