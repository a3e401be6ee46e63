/** Compares what a page shows with what was printed now: all but times, sizes, numbers, keys and tokens must be the same. */

/** A text with everything in it replaced that differs from run to run. */
export function shapeOf(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?/g, "<time>")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "<time>")
    .replace(/setup#[\w-]+/g, "setup#<token>")
    .replace(/cns1\.[\w-]+/g, "<token>")
    .replace(/\b[0-9a-f]{10,}\b/g, "<hash>")
    .replace(/\b[0-9a-f]{6,}\b(?=…|~)/g, "<hash>")
    .replace(/(?<![\w.])(?:\d+(?:\.\d+)?(?:ms|[dhms])\s?)+(?![\w])/g, "<duration> ")
    .replace(/-?\d[\d.,]*(?:e[+-]?\d+)?/g, "<n>")
    .replace(/<n>\s?(?:[KMG]i)?B\b/g, "<bytes>")
    .replace(/[█▓░▏▎▍▌▋▊▉]+/g, "<bar>")
    .replace(/─+/g, "─")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Where lines break does not count: that depends on how long a folder's name is.
 * @param shown - what the page shows; a line `…` stands for any number of lines
 * @param some - each line shown must be among those printed, in any order
 * @returns what is shown and was not printed, or was printed and is not shown; null if there is nothing
 */
export function difference(shown: string, printed: string, some = false): string | null {
  if (some) {
    const actual = printed.split("\n").map(shapeOf);
    const lacking = shown
      .split("\n")
      .map(shapeOf)
      .find((line) => line !== "…" && !actual.includes(line));
    return lacking === undefined ? null : `is shown and was not printed: ${lacking}`;
  }
  const parts = shown.split(/^…$/m).map(shapeOf);
  const actual = shapeOf(printed);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = index === 0 ? 0 : isLast ? actual.length - part.length : actual.indexOf(part, at);
    if (found < at || !actual.startsWith(part, found))
      return mismatch(part, actual.slice(Math.max(at, found)));
    at = found + part.length;
    while (actual[at] === " ") at++;
  }
  return at >= actual.length ? null : `was printed and is not shown: ${actual.slice(at, at + context)}`;
}

const context = 160;

function mismatch(shown: string, printed: string): string {
  let same = 0;
  while (same < shown.length && shown[same] === printed[same]) same++;
  const from = Math.max(0, same - 40);
  return `shows: ${shown.slice(from, from + context)}\nbut was printed: ${printed.slice(from, from + context)}`;
}
