import { type Document, isMap, isNode, isScalar, type Pair, parseDocument, visit, type YAMLMap } from "yaml";

/**
 * Changes one value of a YAML text and leaves every other character as it is: comments, order, blanks. So that a form
 * can stand beside a file that people write by hand.
 */

export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/**
 * @param path - keys from the top
 * @param value - undefined: the key is taken away, and a map that is left empty with it
 * @returns null where the text has faults, or is written in a way that cannot be changed in place
 */
export function setInYaml(text: string, path: readonly string[], value: Plain | undefined): string | null {
  const document = parseDocument(text, { stringKeys: true });
  if (document.errors.length > 0) return null;
  const edited = value === undefined ? without(text, document, path) : withValue(text, document, path, value);
  if (edited === null) return null;
  // Whatever unusual the text holds: a change that did not do what it should is none.
  const check = parseDocument(edited, { stringKeys: true });
  if (check.errors.length > 0) return null;
  const found: unknown = check.toJS() ?? {};
  return sameJson(valueAt(found, path), value) &&
    sameJson(rest(found, path), rest(document.toJS() ?? {}, path))
    ? edited
    : null;
}

function withValue(text: string, document: Document, path: readonly string[], value: Plain): string | null {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return appended(text, `${path[0]}: ${inline(nested(path.slice(1), value))}`);
  }
  if (!isMap(contents)) return null;
  let map: YAMLMap = contents;
  for (const [depth, key] of path.entries()) {
    const pair = pairOf(map, key);
    const below = path.slice(depth + 1);
    if (pair === undefined)
      return withPair(text, map, { key, value: nested(below, value), isTop: depth === 0 });
    const child = pair.value;
    if (below.length > 0 && isMap(child) && child.items.length > 0) {
      map = child;
      continue;
    }
    return withChild(text, pair, nested(below, value));
  }
  return null;
}

/** Replaces the value of a key that is there. */
function withChild(text: string, pair: Pair, value: Plain): string | null {
  const range = isNode(pair.value) ? pair.value.range : null;
  if (range === null || range === undefined) return null;
  const keyEnd = isScalar(pair.key) && pair.key.range ? pair.key.range[1] : range[0];
  const [below, end] = trimmed(text, range[0], range[1]);
  // A block that stood below its key makes room for a value beside it.
  const start = /^\s*:\s*$/.test(text.slice(keyEnd, below)) ? text.indexOf(":", keyEnd) + 1 : below;
  const gap = /[\s]/.test(text[start - 1] ?? "") ? "" : " ";
  const comments = commentsOf(pair.value, text.slice(start, end));
  return `${text.slice(0, start)}${gap}${inline(value)}${comments}${text.slice(end)}`;
}

/** What people wrote beside the parts of a value that is replaced, on one line. */
function commentsOf(value: unknown, replaced: string): string {
  if (!isNode(value) || !replaced.includes("#")) return "";
  const found: string[] = [];
  const add = (comment: string | null | undefined) => {
    if (comment !== null && comment !== undefined)
      found.push(
        ...comment
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => replaced.includes(line)),
      );
  };
  visit(value, {
    Node: (_, node) => {
      add(node.commentBefore);
      add(node.comment);
    },
  });
  return found.length === 0 ? "" : ` # ${found.join("; ")}`;
}

/** Adds a key to a map that is there. */
function withPair(
  text: string,
  map: YAMLMap,
  added: { readonly key: string; readonly value: Plain; readonly isTop: boolean },
): string | null {
  const pairText = `${inline(added.key)}: ${inline(added.value)}`;
  const { range } = map;
  if (range === null || range === undefined) return null;
  if (map.flow === true) {
    const open = range[0] + 1;
    const comma = map.items.length === 0 ? "" : ",";
    return `${text.slice(0, open)} ${pairText}${comma}${text.slice(open)}`;
  }
  if (added.isTop) return appended(text, pairText);
  const first = startOf(map.items[0]);
  if (first === null) return null;
  const indent = text.slice(text.lastIndexOf("\n", first - 1) + 1, first);
  if (!/^ *$/.test(indent)) return null;
  return `${text.slice(0, first)}${pairText}\n${indent}${text.slice(first)}`;
}

function without(text: string, document: Document, path: readonly string[]): string | null {
  const chain: { readonly map: YAMLMap; readonly pair: Pair }[] = [];
  let node: unknown = document.contents;
  for (const key of path) {
    const pair = isMap(node) ? pairOf(node, key) : undefined;
    // What is not there need not go.
    if (!isMap(node) || pair === undefined) return text;
    chain.push({ map: node, pair });
    node = pair.value;
  }
  while (chain.length > 1 && chain.at(-1)!.map.items.length === 1) chain.pop();
  const { map, pair } = chain.at(-1)!;
  return map.flow === true ? withoutFlow(text, map, pair) : withoutLines(text, pair);
}

function withoutLines(text: string, pair: Pair): string | null {
  const start = startOf(pair);
  const range = isNode(pair.value) ? pair.value.range : null;
  if (start === null || range === null || range === undefined) return null;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(from, start).trim() !== "") return null;
  const [, end] = trimmed(text, start, range[1]);
  const lineEnd = text.indexOf("\n", end);
  return text.slice(0, from) + (lineEnd === -1 ? "" : text.slice(lineEnd + 1));
}

function withoutFlow(text: string, map: YAMLMap, pair: Pair): string | null {
  const index = map.items.indexOf(pair);
  const next = map.items[index + 1];
  const start = startOf(pair);
  const before = map.items[index - 1];
  if (start === null) return null;
  if (next !== undefined) {
    const following = startOf(next);
    return following === null ? null : text.slice(0, start) + text.slice(following);
  }
  const beforeRange = before === undefined || !isNode(before.value) ? null : before.value.range;
  const range = isNode(pair.value) ? pair.value.range : null;
  if (beforeRange === null || beforeRange === undefined || range === null || range === undefined) return null;
  return text.slice(0, beforeRange[1]) + text.slice(range[1]);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function startOf(pair: Pair | undefined): number | null {
  return isScalar(pair?.key) && pair.key.range ? pair.key.range[0] : null;
}

/** A block's range may take in the line breaks and comments after it. */
function trimmed(text: string, start: number, end: number): readonly [number, number] {
  let at = end;
  while (at > start && /\s/.test(text[at - 1]!)) at--;
  return [start, at];
}

function appended(text: string, line: string): string {
  const begun = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${begun}${line}\n`;
}

function nested(path: readonly string[], value: Plain): Plain {
  return path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value);
}

/** A value on one line, as the sample policy writes it. */
export function inline(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, one]) => `${inline(key)}: ${inline(one as Plain)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  if (typeof value === "string") return isPlainWord(value) ? value : JSON.stringify(value);
  if (typeof value === "number") return numberText(value);
  return String(value);
}

function isPlainWord(text: string): boolean {
  return /^[A-Za-z][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
}

/** YAML 1.1 reads 1e-6 as a text, and 1.0e-6 as a number. */
function numberText(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential() : String(value);
  return /^-?\d+e/.test(text) ? text.replace("e", ".0e") : text;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}

/** Everything but what stands at a path; maps that are empty do not count. */
function rest(value: unknown, path: readonly string[]): unknown {
  const [key, ...below] = path;
  if (!isRecord(value) || key === undefined) return null;
  const { [key]: own, ...others } = value;
  const inner = below.length === 0 ? null : rest(own, below);
  return isRecord(inner) && Object.keys(inner).length > 0 ? { ...others, [key]: inner } : others;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sameJson(a: unknown, b: unknown): boolean {
  return sortedJson(a) === sortedJson(b);
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}
