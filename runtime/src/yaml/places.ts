import { type Document, isCollection, isMap, isScalar, isSeq, type Node } from "yaml";

/**
 * Where in the file a key such as `features[3].max` stands: the value if it is a single one and the key is not asked
 * for, else the key. Of a key that is not there, the nearest one around it. The pages use this file too.
 */
export function offsetOf(document: Document, path: string, of: "key" | "value" = "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  let rest = path === "study" ? "" : path;
  while (rest !== "") {
    if (isMap(node)) {
      const key = longestKey(
        node.items.map((pair) => keyText(pair.key)),
        rest,
      );
      const pair = node.items.find((item) => keyText(item.key) === key);
      if (key === undefined || pair === undefined) return offset;
      rest = rest.slice(key.length).replace(/^\./, "");
      const value: unknown = pair.value;
      const keyOffset = startOf(pair.key) ?? offset;
      const atValue = isScalar(value) && value.value !== null && !(of === "key" && rest === "");
      offset = atValue ? (startOf(value) ?? keyOffset) : keyOffset;
      node = value;
    } else if (isSeq(node)) {
      const index = /^\[(\d+)\]\.?/.exec(rest);
      const item: unknown = index === null ? undefined : node.items[Number(index[1])];
      if (index === null || item === undefined) return offset;
      rest = rest.slice(index[0].length);
      offset = startOf(item) ?? offset;
      node = item;
    } else return offset;
  }
  return offset;
}

/** Keys may themselves hold dots and brackets, so the longest that the path continues is the one meant. */
function longestKey(keys: readonly string[], path: string): string | undefined {
  return keys
    .filter((key) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`))
    .sort((a, b) => b.length - a.length)[0];
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isCollection(node) ? ((node as Node).range?.[0] ?? undefined) : undefined;
}
