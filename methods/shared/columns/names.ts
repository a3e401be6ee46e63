import type { MethodIssue } from "@consilium/core/method/method";
import { nameOf, sentences } from "@consilium/core/said";
import type { Feature } from "@consilium/core/study/features";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";

/** Released columns are named as the features, and readers tell no letter case apart. */
export function nameIssues(features: readonly Feature[]): MethodIssue[] {
  const seen = new Map<string, string>();
  return features.flatMap(({ name }, index): MethodIssue[] => {
    const before = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    if (before === undefined || before === name) return [];
    const params = { first: nameOf(before), second: nameOf(name) };
    return [[["features", index, "name"], sentences<StudyFaultSays>()("fault.letter-case", params)]];
  });
}
