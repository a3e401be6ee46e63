/**
 * A tutorial as what it asks its reader to do. Fenced blocks of `sh` and `python` are to be run, each with the block of
 * `text` after it, if there is one, as its output; pictures are to be taken. A comment before a block says more:
 *
 * `<!-- run: after invited; then connected; show 4 -->`
 *
 * - `after M`: not before the milestone M, on whichever page that is reached
 * - `then M`: afterwards the milestone M is reached
 * - `while TEXT: M`: as soon as it prints that, the milestone M is reached
 * - `until TEXT`: continues in the background, as in a terminal of its own; it has begun when it prints that
 * - `again until TEXT & TEXT`: looked at again until it prints all of them
 * - `show N` or `show N, M`: when outputs are written, the first N lines and the last M, and `…` for the rest
 * - `some`: each line shown must be among those printed, in any order
 * - `exit N`: ends with that code
 * - `never: REASON`: is not run
 */
export interface Run {
  readonly after: string | null;
  readonly reaches: string | null;
  readonly during: { readonly printed: string; readonly reaches: string } | null;
  readonly until: string | null;
  readonly again: readonly string[] | null;
  readonly show: readonly [first: number, last: number] | null;
  readonly some: boolean;
  readonly exit: number;
  readonly never: string | null;
}

export interface Block {
  readonly kind: "sh" | "python";
  /** Of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  readonly run: Run;
  readonly output: Output | null;
}

/** What a page shows as a block's output, and the lines [from, to) where that stands, from 0. */
interface Output {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export type Step = Block | { readonly kind: "picture"; readonly line: number; readonly name: string };

const plain: Run = {
  after: null,
  reaches: null,
  during: null,
  until: null,
  again: null,
  show: null,
  some: false,
  exit: 0,
  never: null,
};

/** @param page - its name, for faults @throws SyntaxError where a comment is not understood */
export function stepsOf(page: string, text: string): Step[] {
  const lines = text.split("\n");
  const steps: Step[] = [];
  let run: Run = plain;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const comment = /^<!-- run: (.*) -->$/.exec(line);
    if (comment) {
      run = runOf(comment[1]!, `${page}:${at + 1}`);
      continue;
    }
    const picture = /^!\[[^\]]+\]\(images\/([a-z-]+)\.png\)$/.exec(line);
    if (picture) steps.push({ kind: "picture", line: at + 1, name: picture[1]! });
    const fence = /^```(\w*)/.exec(line);
    if (fence === null) continue;
    const end = lines.indexOf("```", at + 1);
    if (end < 0) throw new SyntaxError(`${page}:${at + 1}: this block has no end`);
    const kind = fence[1];
    if (kind === "sh" || kind === "python") {
      const code = lines.slice(at + 1, end).join("\n");
      const output = outputAfter(lines, end);
      steps.push({ kind, line: at + 2, code, run, output });
      at = output?.to ?? end;
    } else at = end;
    run = plain;
  }
  return steps;
}

/** The block of text that follows another one, with nothing but an empty line between. */
function outputAfter(lines: readonly string[], end: number): Output | null {
  const start = lines[end + 1] === "" ? end + 2 : end + 1;
  if (lines[start] !== "```text") return null;
  const to = lines.indexOf("```", start + 1);
  return { text: lines.slice(start + 1, to).join("\n"), from: start + 1, to };
}

function runOf(text: string, place: string): Run {
  const run: { -readonly [K in keyof Run]: Run[K] } = { ...plain };
  for (const part of text.split(";").map((one) => one.trim())) {
    const [, word, rest] = /^([a-z]+):?\s*(.*)$/.exec(part) ?? [];
    if (word === "after" || word === "until" || word === "never") run[word] = rest!;
    else if (word === "then") run.reaches = rest!;
    else if (word === "while" && rest!.includes(": ")) {
      const [printed, reaches] = rest!.split(": ");
      run.during = { printed: printed!, reaches: reaches! };
    } else if (word === "again" && rest!.startsWith("until "))
      run.again = rest!.slice("until ".length).split(" & ");
    else if (word === "show" && /^\d+(?:, \d+)?$/.test(rest!)) {
      const [first, last = 0] = rest!.split(", ").map(Number);
      run.show = [first!, last];
    } else if (word === "some") run.some = true;
    else if (word === "exit" && /^\d+$/.test(rest!)) run.exit = Number(rest);
    else throw new SyntaxError(`${place}: "${part}" is not understood; see scripts/tutorials/page.ts`);
  }
  return run;
}

/** The page with these outputs in place of those that it shows. @param outputs - by the line of their step */
export function withOutputs(page: string, text: string, outputs: ReadonlyMap<number, string>): string {
  const lines = text.split("\n");
  for (const step of stepsOf(page, text).reverse()) {
    if (step.kind === "picture" || step.output === null) continue;
    const output = outputs.get(step.line);
    if (output === undefined) continue;
    lines.splice(step.output.from, step.output.to - step.output.from, ...shown(output, step.run).split("\n"));
  }
  return lines.join("\n");
}

function shown(output: string, { show }: Run): string {
  const lines = output.split("\n");
  if (show === null || lines.length <= show[0] + show[1] + 1) return output;
  const last = show[1] === 0 ? [] : lines.slice(-show[1]);
  return [...lines.slice(0, show[0]), "…", ...last].join("\n");
}
