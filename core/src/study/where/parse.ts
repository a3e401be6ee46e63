import type { AnySaid, Name as NameParam } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { nearest } from "../../nearest.js";
import { nameOf, saidText, sentences } from "../../said.js";
import { quoted } from "../../text.js";
import {
  type Expression,
  keywords,
  type Literal,
  type Name,
  type Sign,
  signs,
  type Term,
} from "./expression.js";

/** A fault of an expression, and where it is in the text. */
export class WhereError extends Error {
  readonly said: AnySaid;
  readonly at: number;

  constructor(said: AnySaid, at: number) {
    super(saidText(said));
    this.name = "WhereError";
    this.said = said;
    this.at = at;
  }
}

const fault = sentences<StudyFaultSays>();
/** A piece of the text, as a person finds it there. */
const shown = (text: string): NameParam => nameOf(quoted(text));
const nearOf = (text: string, kind: TokenKind, among: readonly string[]): NameParam[] =>
  kind === "word" ? nearest(text, among).slice(0, 1).map(nameOf) : [];

/** So many conditions may stand in each other: reading and evaluating recur. */
const depthMost = 32;

const tokenPattern =
  /(?<date>\d{4}-\d\d-\d\d(?![\d-]))|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>"(?:[^"]|"")*"|'(?:[^']|'')*')|(?<quoted>`(?:[^`]|``)*`)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<sign><=|>=|!=|[=<>(),])/uy;
const blank = /\s*/y;

/** What other languages write, with what is written here. */
const foreign: readonly (readonly [text: string, own: string])[] = [
  ["==", "="],
  ["=>", ">="],
  ["=<", "<="],
  ["<>", "!="],
  ["&&", "and"],
  ["||", "or"],
  ["!", "not"],
];

/** 31.01.2015, 31/1/2015 or 2015/01/31. */
const foreignDate = /(?:\d{1,2}([./])\d{1,2}\1\d{4}|\d{4}([./])\d{1,2}\2\d{1,2})(?!\d)/y;

type TokenKind = "date" | "number" | "text" | "quoted" | "word" | "sign" | "end";
interface Token {
  readonly kind: TokenKind;
  /** Of a word that is one of the language's, in small letters. */
  readonly text: string;
  readonly at: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
    if (at === text.length) return [...tokens, { kind: "end", text: "the end", at }];
    const own = foreign.find(([sign]) => text.startsWith(sign, at) && !text.startsWith("!=", at));
    if (own !== undefined)
      throw new WhereError(
        fault("where.written-otherwise", { text: shown(own[0]), own: nameOf(own[1]) }),
        at,
      );
    foreignDate.lastIndex = at;
    const [otherDate] = foreignDate.exec(text) ?? [];
    if (otherDate !== undefined)
      throw new WhereError(fault("fault.no-date", { text: nameOf(otherDate) }), at);
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(text);
    if (match === null) {
      const [first = ""] = text.slice(at);
      const isOpen = first === '"' || first === "'" || first === "`";
      const what = isOpen
        ? fault("where.no-end", { mark: nameOf(first) })
        : fault("where.means-nothing", { text: shown(first) });
      throw new WhereError(what, at);
    }
    const [kind, found] = Object.entries(match.groups!).find(([, one]) => one !== undefined) as [
      TokenKind,
      string,
    ];
    const isKeyword = kind === "word" && keywords.has(found.toLowerCase());
    tokens.push({ kind, text: isKeyword ? found.toLowerCase() : found, at });
    at = tokenPattern.lastIndex;
  }
}

/**
 * Reads a condition such as `age >= 18 and admission in ("Emergency", "Urgent") and discharged is not missing`. Grammar:
 * docs/recoding.md.
 * @throws WhereError
 */
export function parseExpression(text: string): Expression {
  return new Parser(tokensOf(text)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const read = this.#or();
    const { kind, text, at } = this.#token;
    if (kind === "end") return read;
    const near = nearOf(text, kind, ["and", "or"]);
    throw new WhereError(fault("where.joined", { text: shown(text), near }), at);
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #or = (): Expression => this.#joined("or", () => this.#joined("and", this.#not));

  #joined(op: "and" | "or", part: () => Expression): Expression {
    const of = [part()];
    while (this.#takes(op)) of.push(part());
    return of.length === 1 ? of[0]! : { op, of };
  }

  #not = (): Expression => {
    if (++this.#depth > depthMost)
      throw new WhereError(fault("where.nested", { max: depthMost }), this.#token.at);
    let read: Expression;
    if (this.#takes("not")) read = { op: "not", of: this.#not() };
    else if (this.#takes("(")) {
      read = this.#or();
      this.#expect(")");
    } else read = this.#predicate();
    this.#depth--;
    return read;
  };

  #predicate(): Expression {
    const left = this.#term();
    if (left.kind !== "column") throw new WhereError(fault("where.column-first", {}), left.at);
    if (this.#takes("is")) {
      const isNot = this.#takes("not");
      this.#expect("missing");
      return negated(isNot, { op: "missing", left });
    }
    const isNot = this.#takes("not");
    if (this.#takes("in")) return negated(isNot, { op: "in", left, values: this.#list() });
    if (this.#takes("between")) {
      const least = this.#term();
      this.#expect("and");
      return negated(isNot, { op: "between", left, least, most: this.#term() });
    }
    const { text, kind, at } = this.#token;
    const sign = signs.find((one) => !isNot && kind === "sign" && one === text);
    if (sign !== undefined) {
      this.#next++;
      return { op: "compare", left, sign: sign satisfies Sign, right: this.#term() };
    }
    const near = nearOf(text, kind, [...keywords]);
    const params = { column: shown(left.value), text: shown(text), near, negated: isNot ? 1 : 0 };
    throw new WhereError(fault("where.compared", params), at);
  }

  #list(): Literal[] {
    this.#expect("(");
    const values: Literal[] = [];
    do {
      const one = this.#term();
      if (one.kind === "column")
        throw new WhereError(fault("where.list", { column: nameOf(one.value) }), one.at);
      values.push(one);
    } while (this.#takes(","));
    this.#expect(")");
    return values;
  }

  #term(): Name | Term {
    const { kind, text, at } = this.#token;
    const isKeyword = kind === "word" && keywords.has(text);
    if (kind === "end" || kind === "sign" || isKeyword) {
      const keyword = isKeyword ? nameOf(text) : null;
      throw new WhereError(fault("where.term", { text: kind === "end" ? null : shown(text), keyword }), at);
    }
    this.#next++;
    const unquoted = () => text.slice(1, -1).replaceAll(text[0]! + text[0]!, text[0]!);
    switch (kind) {
      case "number":
        if (!Number.isFinite(Number(text))) throw new WhereError(fault("where.too-large", {}), at);
        return { at, kind, value: Number(text) + 0 };
      case "text":
        return { at, kind, value: unquoted() };
      case "quoted":
        return { at, kind: "column", value: unquoted() };
      case "word":
        return { at, kind: "column", value: text };
      case "date":
        return { at, kind, value: text };
    }
  }

  /** @returns whether this word or sign came next; it is passed over then */
  #takes(wanted: string): boolean {
    const { kind, text } = this.#token;
    if (text !== wanted || (kind !== "word" && kind !== "sign")) return false;
    this.#next++;
    return true;
  }

  #expect(wanted: string): void {
    if (this.#takes(wanted)) return;
    const { kind, text, at } = this.#token;
    const found = kind === "end" ? null : shown(text);
    throw new WhereError(fault("where.expected", { wanted: nameOf(wanted), text: found }), at);
  }
}

const negated = (isNot: boolean, of: Expression): Expression => (isNot ? { op: "not", of } : of);
