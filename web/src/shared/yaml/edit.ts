import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { inline, isRecord, type Path, type Plain, valueAt } from "./values.js";

/** Edits a YAML text from a form: unchanged parts stay as people wrote them. */

/**
 * Changes one value and leaves every other character as it is: comments, order, blanks.
 * @param value - undefined: the key is removed, and a map that becomes empty with it
 * @returns null if the text has errors, or cannot be changed in place
 */
export function setInYaml(text: string, path: Path, value: Plain | undefined): string | null {
  const document = parseDocument(text, { stringKeys: true });
  if (document.errors.length > 0) return null;
  const edited = value === undefined ? without(text, document, path) : replaced(text, document, path, value);
  if (edited === null) return null;
  // A safeguard for unusual texts: a change without the intended result is discarded.
  const check = parseDocument(edited, { stringKeys: true });
  if (check.errors.length > 0) return null;
  const found: unknown = check.toJS() ?? {};
  return sameJson(valueAt(found, path), value) &&
    sameJson(rest(found, path), rest(document.toJS() ?? {}, path))
    ? edited
    : null;
}

function replaced(text: string, document: Document, path: Path, value: Plain): string | null {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return appended(text, `${path[0]}: ${inline(nested(path.slice(1), value))}`);
  }
  let node: unknown = contents;
  for (const [depth, key] of path.entries()) {
    const below = path.slice(depth + 1);
    if (isSeq(node) && typeof key === "number") {
      node = node.items[key];
      continue;
    }
    if (!isMap(node)) return null;
    const pair = pairOf(node, key);
    if (pair === undefined)
      return withPair(text, node, { key: String(key), value: nested(below, value), isTop: depth === 0 });
    const child = pair.value;
    const isOnTheWay =
      (isMap(child) || (isSeq(child) && typeof below[0] === "number")) && child.items.length > 0;
    if (below.length === 0 || !isOnTheWay) return withChild(text, pair, nested(below, value));
    node = child;
  }
  return null;
}

/** Replaces the value of an existing key. */
function withChild(text: string, pair: Pair, value: Plain): string | null {
  const range = isNode(pair.value) ? pair.value.range : null;
  if (range === null || range === undefined) return null;
  const keyEnd = isScalar(pair.key) && pair.key.range ? pair.key.range[1] : range[0];
  const [below, end] = trimmed(text, range[0], range[1]);
  // A block below its key is replaced by a value on the key's line.
  const start = /^\s*:\s*$/.test(text.slice(keyEnd, below)) ? text.indexOf(":", keyEnd) + 1 : below;
  const gap = /[\s]/.test(text[start - 1] ?? "") ? "" : " ";
  const comments = commentsOf(pair.value, text.slice(start, end));
  return `${text.slice(0, start)}${gap}${inline(value)}${comments}${text.slice(end)}`;
}

/** The comments inside a replaced value, on one line. */
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

/** Adds a key to an existing map. */
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

function without(text: string, document: Document, path: Path): string | null {
  const chain: { readonly map: YAMLMap; readonly pair: Pair }[] = [];
  let node: unknown = document.contents;
  for (const key of path) {
    const pair = isMap(node) ? pairOf(node, key) : undefined;
    // A missing key needs no removal.
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

function pairOf(map: YAMLMap, key: string | number): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function startOf(pair: Pair | undefined): number | null {
  return isScalar(pair?.key) && pair.key.range ? pair.key.range[0] : null;
}

/** A block's range may include the line breaks and comments after it. */
function trimmed(text: string, start: number, end: number): readonly [number, number] {
  let at = end;
  while (at > start && /\s/.test(text[at - 1]!)) at--;
  return [start, at];
}

function appended(text: string, line: string): string {
  const begun = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${begun}${line}\n`;
}

function nested(path: Path, value: Plain): Plain {
  return path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value);
}

/** Everything except the value at a path; empty maps are ignored. */
function rest(value: unknown, path: Path): unknown {
  const [key, ...below] = path;
  if (typeof value !== "object" || value === null || key === undefined) return null;
  const { [key]: own, ...others } = value as Readonly<Record<string | number, unknown>>;
  const inner = below.length === 0 ? null : rest(own, below);
  return isRecord(inner) && Object.keys(inner).length > 0 ? { ...others, [key]: inner } : others;
}

function sameJson(a: unknown, b: unknown): boolean {
  return sortedJson(a) === sortedJson(b);
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

/**
 * The text with one value changed. A single value is replaced in place; changes that add or remove keys are rewritten
 * by the YAML library, which keeps comments and order.
 * @param value - undefined removes the key
 * @returns the same text if it is not valid YAML, or has aliases
 */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (!canChange(document) || (value === undefined && !document.hasIn(path))) return text;
  const inPlace =
    isPlainScalar(value) && isScalar(document.getIn(path, true)) ? setInYaml(text, path, value) : null;
  if (inPlace !== null) return inPlace;
  if (value === undefined) document.deleteIn(path);
  else setIn(document, path, value);
  return document.toString(format);
}

/** Aliases cannot always be rewritten. */
function canChange(document: Document.Parsed): boolean {
  const { errors, contents } = document;
  return errors.length === 0 && (isMap(contents) || contents === null) && aliasesOf(document).length === 0;
}

export function aliasesOf(document: Document.Parsed): Alias[] {
  const aliases: Alias[] = [];
  visit(document, { Alias: (_, alias) => void aliases.push(alias) });
  return aliases;
}

const format = { lineWidth: 110 } as const;

type PlainScalar = string | number | boolean;

function isPlainScalar(value: unknown): value is PlainScalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function setIn(document: Document.Parsed, path: Path, value: unknown): void {
  // Missing or empty parent maps.
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth);
    const there = document.getIn(parent, true);
    if (!isMap(there) && !isSeq(there)) document.setIn(parent, document.createNode({}));
    else if (there.items.length === 0) there.flow = false;
  }
  document.setIn(path, document.createNode(value, { flow: isSmall(value) }));
}

/** A list or map of texts or numbers: written on one line. */
function isSmall(value: unknown): boolean {
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : null;
  return (
    parts?.every((part) => isPlainScalar(part) || (Array.isArray(part) && part.every(isPlainScalar))) ?? false
  );
}

/** The text with an item appended to a list, which is created if missing. */
export function withItem(text: string, path: Path, item: unknown): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (!canChange(document)) return text;
  const list = document.getIn(path, true);
  if (isSeq(list)) {
    if (list.items.length === 0) list.flow = false;
    list.add(document.createNode(item, { flow: isSmall(item) }));
  } else document.setIn(path, document.createNode([item]));
  return document.toString(format);
}
