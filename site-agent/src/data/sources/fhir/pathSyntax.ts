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

/** What is wrong with a path. Its message is shown behind the place of the path in its view. */
export class PathFault extends Error {}

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
    if (groups === undefined) throw new PathFault(`character ${at + 1} is not supported`);
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
  throw new PathFault("a name between backticks holds letters, digits and _ here");
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
    if (!isNext(sign))
      throw new PathFault(
        all[at]!.kind === "end" ? `ends where ${sign} is due` : `${sign} is due before "${all[at]!.text}"`,
      );
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
    if (++depth > depthMost) throw new PathFault(`nests deeper than ${depthMost} levels`);
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
    if (text !== "(")
      throw new PathFault(kind === "end" ? "is not complete" : `"${text}" is not expected here`);
    const inner = nested();
    expect(")");
    return inner;
  };
  /** A member or a call, whose name is next. */
  const invocation = (of: PathNode): PathNode => {
    const { kind, text: name } = all[at++]!;
    if (kind !== "name")
      throw new PathFault(kind === "end" ? "ends with a point" : `"${name}" is not a name`);
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
  if (all[at]!.kind !== "end") throw new PathFault(`"${all[at]!.text}" is not supported here`);
  return node;
}
