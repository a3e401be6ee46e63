import type { MethodIssue } from "@consilium/core/method/method";
import { sentences } from "@consilium/core/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";

/** More features asked for than there are. */
export function selectIssues(study: {
  readonly features: readonly unknown[];
  readonly parameters: { readonly select?: number | undefined };
}): MethodIssue[] {
  const features = study.features.length;
  const { select } = study.parameters;
  if (select === undefined || select <= features) return [];
  return [[["parameters", "select"], sentences<StudyFaultSays>()("fault.select", { select, features })]];
}
