import type { ReleaseSample } from "@consilium/core/release/views";
import { t } from "../shared/language";

/** Distinguishable colours and shapes. */
const groupsMost = 6;
const others = () => t("other levels");

/** The names to colour by: every level, or the most frequent ones and a last group for the rest. */
export function groupLevels({ levels, level }: Pick<ReleaseSample, "levels" | "level">): string[] {
  if (levels.length <= groupsMost) return levels.map(named);
  const counts = levels.map((_, index) => ({ index, count: 0 }));
  for (const index of level) counts[index]!.count++;
  const kept = counts
    .sort((a, b) => b.count - a.count || a.index - b.index)
    .slice(0, groupsMost - 1)
    .map(({ index }) => named(levels[index]!));
  return [...kept, others()];
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** One of the groups; empty where there are none. */
  readonly group: string;
}

export function pointsOf(sample: ReleaseSample, groups: readonly string[]): Point[] {
  const known = new Set(groups);
  return sample.x.map((x, row) => {
    const level = sample.levels[sample.level[row] ?? -1];
    const name = level === undefined ? "" : named(level);
    return { x, y: sample.y[row]!, group: name === "" || known.has(name) ? name : others() };
  });
}

const named = (level: string) => (level === "" ? t("(empty)") : level);
