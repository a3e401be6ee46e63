import type { Feature } from "@consilium/core/study/features";

/** Released columns are named as the features, and readers tell no letter case apart. */
export function nameIssues(features: readonly Feature[]): [path: PropertyKey[], message: string][] {
  const seen = new Map<string, string>();
  return features.flatMap(({ name }, index): [PropertyKey[], string][] => {
    const before = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    if (before === undefined || before === name) return [];
    return [
      [
        ["features", index, "name"],
        `columns "${before}" and "${name}" differ in letter case alone; a release needs other names`,
      ],
    ];
  });
}
