/**
 * Up to three names that differ little from the one sought: in case or blanks, or by a third of its letters.
 * @param among - of which the first 10 000 are compared
 */
export function nearest(name: string, among: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_.-]+/g, "");
  const sought = plain(name);
  const farthest = Math.max(1, Math.floor(sought.length / 3));
  return among
    .slice(0, 10_000)
    .map((candidate) => ({ candidate, distance: editDistance(sought, plain(candidate), farthest) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Levenshtein's distance, or any number above `limit` when it is greater. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
