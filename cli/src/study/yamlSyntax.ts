import type { YAMLError } from "yaml";

/** What is wrong with a text that is not YAML, in words, and where a person corrects it. */
export interface SyntaxFault {
  readonly message: string;
  /** Of the character, from 0. */
  readonly offset: number;
}

/**
 * The errors of YAML's parser for people. After the first one the parser guesses, so that only keys that are there twice are
 * listed beside it.
 * @param errors - of `parseDocument`, in the order of the text
 */
export function syntaxFaults(yaml: string, errors: readonly YAMLError[]): SyntaxFault[] {
  const repeated = errors.filter(({ code }) => code === "DUPLICATE_KEY");
  const first = errors.find(({ code }) => code !== "DUPLICATE_KEY");
  if (first === undefined) return repeated.map(({ pos }) => repeatedKey(yaml, pos[0]));
  return [syntaxFault(yaml, first, errors[errors.indexOf(first) + 1])];
}

function syntaxFault(yaml: string, error: YAMLError, next: YAMLError | undefined): SyntaxFault {
  const [offset] = error.pos;
  const here = (message: string): SyntaxFault => ({ message, offset });
  switch (error.code) {
    case "BAD_INDENT":
    case "MISSING_CHAR": {
      const opened = lastOpened(yaml, offset);
      if (opened !== null)
        return { message: `this ${yaml[opened]} is not closed on its line or below`, offset: opened };
      if (error.code === "BAD_INDENT")
        return here("indent this line like the others of its block: spaces only, the same number");
      return here("a colon is missing: write `key: value`");
    }
    case "TAB_AS_INDENT":
      return here("indent with spaces, not with a tab");
    case "MULTILINE_IMPLICIT_KEY":
      return here("a colon is missing: write `key: value`");
    case "BLOCK_AS_IMPLICIT_KEY":
      if (next?.code === "MULTILINE_IMPLICIT_KEY" && next.pos[0] === offset) {
        return {
          message: "this line is indented further than the one above, whose value is complete",
          offset: lineAfter(yaml, offset),
        };
      }
      return here('a second colon: put the value in quotes, as key: "a: b"');
    case "BAD_SCALAR_START":
      return here(`a value that begins with ${yaml[offset]} needs quotes`);
    case "BAD_DQ_ESCAPE":
      return here("no such escape in double quotes: use single quotes, or \\\\ for a backslash");
    case "MULTIPLE_DOCS":
      return here("a second document begins here: a file holds one study");
    case "TAG_RESOLVE_FAILED":
      return here("tags (!name) are not known here: put the value in quotes");
    case "BAD_ALIAS":
      return here("an alias (*name) without its anchor (&name): put a value that begins with * in quotes");
    default:
      return here("unexpected here: check quotes, brackets and indentation");
  }
}

function repeatedKey(yaml: string, offset: number): SyntaxFault {
  const key = /^[\w-]{1,64}/.exec(yaml.slice(offset, offset + 64))?.[0];
  return { message: `${key ?? "this key"} is there twice: keep one`, offset };
}

/** The first character of the next line that has one. */
function lineAfter(yaml: string, offset: number): number {
  const found = /\n\s*(?=\S)/.exec(yaml.slice(offset));
  return found === null ? offset : offset + found.index + found[0].length;
}

/** The quote, or the innermost bracket, that is open at `end`; null where none is. Comments are skipped. */
function lastOpened(yaml: string, end: number): number | null {
  const brackets: number[] = [];
  for (let at = 0; at < end; at++) {
    const char = yaml[at]!;
    const before = at === 0 ? "\n" : yaml[at - 1]!;
    if (char === "#" && /\s/.test(before)) {
      const line = yaml.indexOf("\n", at);
      if (line < 0) break;
      at = line;
    } else if ((char === '"' || char === "'") && /[\s[{,:(]/.test(before)) {
      const close = closingQuote(yaml, at, end);
      if (close === null) return at;
      at = close;
    } else if ((char === "[" || char === "{") && (brackets.length > 0 || /\s/.test(before)))
      brackets.push(at);
    else if (char === "]" || char === "}") brackets.pop();
  }
  return brackets.at(-1) ?? null;
}

function closingQuote(yaml: string, open: number, end: number): number | null {
  const quote = yaml[open]!;
  for (let at = open + 1; at < end; at++) {
    if (yaml[at] === "\\" && quote === '"') at++;
    else if (yaml[at] === quote) {
      if (quote === '"' || yaml[at + 1] !== quote) return at;
      at++;
    }
  }
  return null;
}
