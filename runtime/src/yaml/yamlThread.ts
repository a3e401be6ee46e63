import { Worker } from "node:worker_threads";
import type { YamlLimits } from "@consilium/core/yamlLimits";

/** What a thread is asked: a text's value, or the lines of some places in it. */
export interface YamlRequest {
  readonly text: string;
  readonly limits: YamlLimits;
  /** Keys from the top, outermost first. Left out: the value is asked for. */
  readonly paths?: readonly (readonly (string | number)[])[];
}

export type YamlReply =
  | { readonly value: unknown }
  /** For each path the line of its node, or of the nearest one around it; null for none. */
  | { readonly lines: readonly (number | null)[] }
  | { readonly excess: keyof YamlLimits }
  | { readonly invalid: { readonly line: number | null; readonly code: string; readonly message: string } };

/**
 * The lexer yields its tokens one by one and neither recurses nor looks back, so that a text is cut off at the first
 * token over a limit. The parser's stack is as deep as what it builds: bounded here, it bounds the recursion of all that
 * follows. That must be bounded before and not caught after: V8 ends the whole process, not only the thread, when a
 * regular expression is compiled on a stack that is nearly full.
 *
 * The text is embedded so that it is the same from sources and from a build, with no file to find.
 */
const workerText = `
const { createRequire } = require("node:module");
const { parentPort, workerData } = require("node:worker_threads");
const { Composer, CST, isNode, Lexer, LineCounter, Parser } = createRequire(workerData.from)("yaml");

const counted = {
  "scalar": "nodes", "single-quoted-scalar": "nodes", "double-quoted-scalar": "nodes", "block-scalar-header": "nodes",
  "flow-map-start": "nodes", "flow-seq-start": "nodes", "comma": "nodes", "seq-item-ind": "nodes",
  "explicit-key-ind": "nodes", "map-value-ind": "nodes", "doc-start": "nodes",
  "newline": "lines", "anchor": "anchors", "alias": "aliases", "tag": "tags", "directive-line": "tags",
};

class Excess extends Error {
  constructor(count) {
    super("over a limit");
    this.count = count;
  }
}

/** The first ends the reading: a text may hold nothing else. */
class Misplaced extends Error {
  constructor({ message, offset }) {
    super(message);
    this.offset = offset;
  }
}

function* tokensOf(text, limits, lines) {
  const counts = { lines: 0, nodes: 0, anchors: 0, aliases: 0, tags: 0 };
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let inScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    // A plain scalar's own text may look like any other token.
    const count = inScalar ? undefined : counted[CST.tokenType(lexeme)];
    inScalar = !inScalar && lexeme === CST.SCALAR;
    if (count !== undefined && ++counts[count] > limits[count]) throw new Excess(count);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") throw new Misplaced(token);
      yield token;
    }
    if (parser.stack.length > limits.depth) throw new Excess("depth");
    const top = parser.stack.at(-1);
    const isMap = top?.type === "block-map" || (top?.type === "flow-collection" && top.start.type === "flow-map-start");
    if (isMap && top.items.length > limits.keys) throw new Excess("keys");
  }
  yield* parser.end();
}

function documentOf(text, limits, lines) {
  // Names of columns and keys are texts, and a map's other keys would have to be written out to become some.
  const composer = new Composer({ lineCounter: lines, prettyErrors: false, stringKeys: true });
  let document = null;
  for (const one of composer.compose(tokensOf(text, limits, lines), true, text.length)) {
    if (document !== null) {
      document.errors.push({ pos: [one.range[0]], code: "MULTIPLE_DOCS", message: "the text holds more than one document" });
      break;
    }
    document = one;
  }
  return document;
}

function answer({ text, limits, paths }) {
  if (text.length > limits.length) return { excess: "length" };
  const lines = new LineCounter();
  const invalid = (offset, code, message) => ({
    invalid: { line: lines.linePos(offset).line, code, message: message.slice(0, 200) },
  });
  let document;
  try {
    document = documentOf(text, limits, lines);
  } catch (thrown) {
    if (thrown instanceof Misplaced) return invalid(thrown.offset, "UNEXPECTED_TOKEN", thrown.message);
    throw thrown;
  }
  const [fault] = document.errors;
  if (fault !== undefined) return invalid(fault.pos[0], fault.code, fault.message);
  if (paths === undefined) return { value: document.toJS({ maxAliasCount: limits.aliases }) };
  return {
    lines: paths.map((path) => {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return null;
    }),
  };
}

parentPort.on("message", (request) => {
  let reply;
  try {
    reply = answer(request);
  } catch (thrown) {
    // Aliases are resolved, and what they stand for is counted, where the value is written out.
    if (thrown instanceof ReferenceError && thrown.message.startsWith("Unresolved")) {
      reply = { invalid: { line: null, code: "UNRESOLVED_ALIAS", message: "an alias names no anchor" } };
    } else if (thrown instanceof ReferenceError) reply = { excess: "aliases" };
    else if (thrown instanceof Excess) reply = { excess: thrown.count };
    // The library's own fault on a text, which is no fault of this process.
    else reply = { invalid: { line: null, code: "UNREADABLE", message: "the parser gave up" } };
  }
  parentPort.postMessage(reply);
});
`;

export function startYamlThread(heapMaxMb: number): Worker {
  const worker = new Worker(workerText, {
    eval: true,
    execArgv: [],
    workerData: { from: import.meta.url },
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb, maxYoungGenerationSizeMb: 32 },
  });
  worker.unref();
  return worker;
}
