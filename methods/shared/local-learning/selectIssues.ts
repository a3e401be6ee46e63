import type { MethodIssue } from "@consilium/core/method/method";

/** More features asked for than there are. */
export function selectIssues(study: {
  readonly features: readonly unknown[];
  readonly parameters: { readonly select?: number | undefined };
}): MethodIssue[] {
  const features = study.features.length;
  const { select } = study.parameters;
  if (select === undefined || select <= features) return [];
  return [[["parameters", "select"], `${select} features asked of ${features}; ask at most ${features}`]];
}
