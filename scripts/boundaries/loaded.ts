import type { SourceFacts } from "./program.js";
import { isTestSupport } from "./rules.js";

/**
 * What a process loads of ours, each file after those that it loads itself.
 * @param of - its first file, or a folder for all sources in it
 * @param isWithout - which files do not count where import() loads them; one that is imported otherwise does
 */
export function loadedBy(
  of: string,
  facts: readonly SourceFacts[],
  isWithout: (path: string) => boolean = () => false,
): string[] {
  const byPath = new Map(facts.map((file) => [file.path, file] as const));
  const starts = byPath.has(of)
    ? [of]
    : [...byPath.keys()].filter((path) => path.startsWith(`${of}/`) && !isTestSupport(path)).sort();
  const order = new Set<string>();
  const underWay = new Set<string>();
  const visit = (path: string) => {
    const file = byPath.get(path);
    if (file === undefined || underWay.has(path)) return;
    underWay.add(path);
    for (const { target, isValue, isLater } of file.imports) {
      if (isValue && target !== null && !(isLater && isWithout(target))) visit(target);
    }
    order.add(path);
  };
  for (const path of starts) visit(path);
  return [...order];
}
