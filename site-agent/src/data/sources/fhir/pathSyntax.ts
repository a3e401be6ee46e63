import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import type { QuerySays } from "@consilium/words/says/queries";
/**
 * The syntax of FHIRPath 2.0 (HL7, sections 5 to 7), as far as the shareable subset of SQL on FHIR 2 uses it: from the text of
 * a path to its tree. What the functions mean stands in `compilePath.ts`.
 */

export type PathNode =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "this" }
  | { readonly kind: "constant"; readonly name: string }
  | { readonly kind: "member"; readonly of: PathNode; readonly name: string }
  | { readonly kind: "index"; readonly of: PathNode; readonly index: PathNode }
  | {
      readonly kind: "call";
      readonly of: PathNode;
      readonly name: string;
      readonly args: readonly PathNode[];
    }
  | { readonly kind: "negate"; readonly of: PathNode }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: PathNode;
      readonly right: PathNode;
    };

/** By their precedence, what binds least first. */
const operators = [["or"], ["and"], ["=", "!="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/"]] as const;
export type Operator = (typeof operators)[number][number];

/** What is wrong with a path, which is said behind the place of the path in its view. */
export class PathFault<K extends keyof QuerySays = keyof QuerySays> extends Error {
  readonly said: AnySaid;

  constructor(code: K, params: QuerySays[K]) {
    super(code);
    this.said = { code, params };
  }
}

interface Token {
  readonly kind: "name" | "number" | "text" | "constant" | "this" | "sign" | "end";
  readonly text: string;
}

const tokenPattern =
  /\s+|(?<number>\d+(?:\.\d+)?)|'(?<text>(?:[^'\\]|\\.)*)'|`(?<quoted>[^`]*)`|%(?<constant>[A-Za-z_]\w*)|(?<this>\$this\b)|(?<name>[A-Za-z_]\w*)|(?<sign><=|>=|!=|[=<>+\-*/.,()[\]])/suy;

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f" };

function tokens(path: string): Token[] {
  const found: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  while (pattern.lastIndex < path.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(path)?.groups;
    if (groups === undefined) throw new PathFault("path.character", { at: at + 1 });
    const { number, text, quoted, constant, this: self, name, sign } = groups;
    if (number !== undefined) found.push({ kind: "number", text: number });
    else if (text !== undefined) found.push({ kind: "text", text: unescaped(text) });
    else if (quoted !== undefined) found.push({ kind: "name", text: memberName(quoted) });
    else if (constant !== undefined) found.push({ kind: "constant", text: constant });
    else if (self !== undefined) found.push({ kind: "this", text: self });
    else if (name !== undefined) found.push({ kind: "name", text: name });
    else if (sign !== undefined) found.push({ kind: "sign", text: sign });
  }
  return [...found, { kind: "end", text: "" }];
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gsu, (_, written: string) =>
    /^u./.test(written)
      ? String.fromCharCode(Number.parseInt(written.slice(1), 16))
      : (escapes[written] ?? written),
  );
}

function memberName(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw new PathFault("path.backticks", {});
}

/** At so many levels of parentheses and operators a path is refused. */
const depthMost = 50;

/** @throws PathFault */
export function parsePath(path: string): PathNode {
  const all = tokens(path);
  let at = 0;
  let depth = 0;
  const isNext = (...texts: readonly string[]) =>
    (all[at]!.kind === "sign" || all[at]!.kind === "name") && texts.includes(all[at]!.text);
  const expect = (sign: string) => {
    const { kind, text } = all[at]!;
    const due = nameOf(sign);
    if (!isNext(sign) && kind === "end") throw new PathFault("path.ends", { due });
    if (!isNext(sign)) throw new PathFault("path.due", { due, before: nameOf(text) });
    at++;
  };

  const expression = (level: number): PathNode => {
    if (level === operators.length) return unary();
    let left = expression(level + 1);
    for (let operator = operators[level]!.find((one) => isNext(one)); operator !== undefined; ) {
      at++;
      left = { kind: "binary", operator, left, right: expression(level + 1) };
      operator = operators[level]!.find((one) => isNext(one));
    }
    return left;
  };
  const nested = (): PathNode => {
    if (++depth > depthMost) throw new PathFault("path.deep", { most: depthMost });
    const node = expression(0);
    depth--;
    return node;
  };
  const unary = (): PathNode => {
    if (!isNext("-", "+")) return postfix(primary());
    const sign = all[at++]!.text;
    const of = postfix(primary());
    return sign === "-" ? { kind: "negate", of } : of;
  };
  const primary = (): PathNode => {
    const { kind, text } = all[at]!;
    if (kind === "name") {
      if ((text === "true" || text === "false") && all[at + 1]!.text !== "(") {
        at++;
        return { kind: "literal", value: text === "true" };
      }
      return invocation({ kind: "this" });
    }
    at++;
    if (kind === "number") return { kind: "literal", value: Number(text) };
    if (kind === "text") return { kind: "literal", value: text };
    if (kind === "constant") return { kind: "constant", name: text };
    if (kind === "this") return { kind: "this" };
    if (kind === "end") throw new PathFault("path.incomplete", {});
    if (text !== "(") throw new PathFault("path.unexpected", { text: nameOf(text) });
    const inner = nested();
    expect(")");
    return inner;
  };
  /** A member or a call, whose name is next. */
  const invocation = (of: PathNode): PathNode => {
    const { kind, text: name } = all[at++]!;
    if (kind === "end") throw new PathFault("path.ends-with-point", {});
    if (kind !== "name") throw new PathFault("path.no-name", { text: nameOf(name) });
    if (!isNext("(")) return { kind: "member", of, name };
    at++;
    const args: PathNode[] = [];
    while (!isNext(")")) {
      if (args.length > 0) expect(",");
      args.push(nested());
    }
    at++;
    return { kind: "call", of, name, args };
  };
  const postfix = (first: PathNode): PathNode => {
    let of = first;
    for (;;) {
      if (isNext(".")) {
        at++;
        of = invocation(of);
      } else if (isNext("[")) {
        at++;
        of = { kind: "index", of, index: nested() };
        expect("]");
      } else return of;
    }
  };

  const node = nested();
  const { kind, text } = all[at]!;
  if (kind !== "end") throw new PathFault("path.unsupported", { text: nameOf(text) });
  return node;
}
