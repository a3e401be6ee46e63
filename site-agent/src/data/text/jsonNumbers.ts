/** The numbers of a JSON object as they are written: of one above 2^53 float64 would be another. */

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs;

/** @param text - a JSON object @returns its own keys, of which the last of a name counts */
export function numbersIn(text: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  let depth = 0;
  let key: string | null = null;
  let isValue = false;
  for (const [part] of text.matchAll(token)) {
    if (part === "{" || part === "[") depth++;
    else if (part === "}" || part === "]") depth--;
    else if (depth !== 1) continue;
    else if (part === ",") isValue = false;
    else if (part === ":") isValue = true;
    else if (!isValue) key = JSON.parse(part) as string;
    else if (/^[-0-9]/.test(part)) numbers.set(key!, part);
  }
  return numbers;
}
