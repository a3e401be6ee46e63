import {
  type Alias,
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";

/** A study's file as text, read and changed; what is not changed stays as it was written, comments included. */

export type Path = readonly (string | number)[];

/** Something wrong with the file. */
export interface TextFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  /** Where, as `participation.minimumSites`; empty for a fault of the YAML itself. */
  readonly path: string;
}

interface StudyText {
  /** What the text says; null while it is no YAML, or not a map. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** Of the YAML itself. */
  readonly faults: readonly TextFault[];
  /** The line of a key, or of what is nearest above it. */
  readonly lineOf: (path: string) => number;
}

export function readStudyText(text: string): StudyText {
  const counter = new LineCounter();
  const document = parse(text, counter);
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const faults = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: firstLine(error.message),
    path: "",
  }));
  for (const { range } of aliasesOf(document)) {
    faults.push({ line: lineAt(range?.[0] ?? 0), message: "a study has no aliases; write it out", path: "" });
  }
  if (faults.length > 0) return { value: null, faults, lineOf: () => 1 };
  const value: unknown = document.toJS();
  if (!isRecord(value)) {
    const fault = { line: 1, message: "the file must be a list of keys and values", path: "" };
    return { value: null, faults: [fault], lineOf: () => 1 };
  }
  return { value, faults: [], lineOf: (path) => lineAt(offsetOf(document, pathOf(path))) };
}

function parse(text: string, counter?: LineCounter): Document.Parsed {
  return parseDocument(text, {
    prettyErrors: false,
    ...(counter === undefined ? {} : { lineCounter: counter }),
  });
}

const firstLine = (message: string) => message.split("\n")[0]!.replace(/:$/, "");

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `features[3].max` as its parts. */
export function pathOf(text: string): Path {
  if (text === "study") return [];
  return [...text.matchAll(/[^.[\]]+/g)].map(([part], index, all) => {
    const before = all[index]!.index - 1;
    return text[before] === "[" ? Number(part) : part;
  });
}

/** Where the deepest part of a path stands that is there. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === part);
      if (!isPair(pair)) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === "number") {
      node = node.items[part];
      if (node === undefined) return offset;
      offset = (node as Node).range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** What a path of a parsed study holds. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[part] : undefined,
    value,
  );
}

/**
 * The text with one value changed. A single value is replaced where it stands and nothing else moves; what adds or takes
 * away keys is written anew by the YAML library, which keeps comments and order.
 * @param value - undefined takes the key away
 * @returns the same text while it is no YAML, or has aliases
 */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parse(text);
  if (!canChange(document)) return text;
  const node = document.getIn(path, true);
  if (isPlainScalar(value) && isScalar(node) && !isBlockText(node.type) && node.range != null) {
    const [from, to] = node.range;
    // A key without a value has a place of no length, right behind its colon.
    const gap = from === to && text[from - 1] === ":" ? " " : "";
    return `${text.slice(0, from)}${gap}${scalarText(value)}${text.slice(to)}`;
  }
  if (value === undefined) document.deleteIn(path);
  else setIn(document, path, value);
  return document.toString(format);
}

/** Aliases, which a study may not have, cannot always be written again. */
function canChange(document: Document.Parsed): boolean {
  const { errors, contents } = document;
  return errors.length === 0 && (isMap(contents) || contents === null) && aliasesOf(document).length === 0;
}

function aliasesOf(document: Document.Parsed): Alias[] {
  const aliases: Alias[] = [];
  visit(document, { Alias: (_, alias) => void aliases.push(alias) });
  return aliases;
}

const format = { lineWidth: 110 } as const;

type PlainScalar = string | number | boolean;

function isPlainScalar(value: unknown): value is PlainScalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

const isBlockText = (type: unknown) => type === "BLOCK_FOLDED" || type === "BLOCK_LITERAL";

/** Right in flow and block alike. */
function scalarText(value: PlainScalar): string {
  if (typeof value !== "string") return String(value);
  const isPlain =
    /^[A-Za-z][\w./%()+-]*(?: [\w./%()+-]+)*$/.test(value) && parseDocument(value).toJS() === value;
  return isPlain ? value : JSON.stringify(value);
}

function setIn(document: Document.Parsed, path: Path, value: unknown): void {
  // Maps on the way that are not there yet, or are empty.
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth);
    const there = document.getIn(parent, true);
    if (!isMap(there) && !isSeq(there)) document.setIn(parent, document.createNode({}));
    else if (there.items.length === 0) there.flow = false;
  }
  document.setIn(path, document.createNode(value, { flow: isSmall(value) }));
}

/** A list of texts or numbers, or a map of such: on one line. */
function isSmall(value: unknown): boolean {
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : null;
  return (
    parts?.every((part) => isPlainScalar(part) || (Array.isArray(part) && part.every(isPlainScalar))) ?? false
  );
}

/** The text with one more item at the end of a list, which is made where it is not there. */
export function withItem(text: string, path: Path, item: unknown): string {
  const document = parse(text);
  if (!canChange(document)) return text;
  const list = document.getIn(path, true);
  if (isSeq(list)) {
    if (list.items.length === 0) list.flow = false;
    list.add(document.createNode(item, { flow: isSmall(item) }));
  } else document.setIn(path, document.createNode([item]));
  return document.toString(format);
}
