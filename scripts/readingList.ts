import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceFacts } from "./boundaries/check.js";
import { loadedBy } from "./boundaries/loaded.js";
import type { SourceFacts } from "./boundaries/program.js";

/**
 * What a reviewer reads: `npm run reading-list` prints each list of the table with its files, what a file needs before the
 * file, and their lines; `npm run reading-list -- <name or file>` one of them. It fails above a list's limit.
 */
interface ReadingList {
  readonly name: string;
  /** A folder stands for its sources; a file for all that it loads, and they load. */
  readonly of: string;
  /** Lines; null where nothing is promised yet. */
  readonly most: number | null;
  /** Modules that an import() names and this process never runs. */
  readonly leavesOut?: RegExp;
}

export const readingLists: readonly ReadingList[] = [
  { name: "secure-sum", of: "secure-sum/src", most: 3_000 },
  { name: "gate", of: "gate/src", most: 3_500 },
  {
    name: "site-process",
    of: "site-agent/src/main.ts",
    most: null,
    // Of a hospital that takes sound studies alone, and of no method what the aggregator runs.
    leavesOut: /^methods-paper\/|^methods\/[^/]+\/aggregator\.ts$/,
  },
];

interface Entry {
  readonly path: string;
  readonly lines: number;
}

/** What is wrong with a list's size, or null. */
export function sizeFault({ name, most }: ReadingList, lines: number): string | null {
  if (most === null || lines <= most) return null;
  return `reading list ${name}: ${lines} lines, at most ${most}: simplify, or move what a reviewer need not read`;
}

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** The lists that are above their limits, in words. */
export function sizeFaults(facts: readonly SourceFacts[]): string[] {
  return readingLists.flatMap((one) => sizeFault(one, total(entriesOf(one, facts))) ?? []);
}

function main([wanted]: readonly string[]): void {
  const facts = sourceFacts(root);
  const known = readingLists.filter((one) => wanted === undefined || one.name === wanted);
  const lists = known.length > 0 ? known : [{ name: wanted!, of: wanted!, most: null }];
  for (const one of lists) {
    const entries = entriesOf(one, facts);
    if (entries.length === 0) throw new Error(`${one.of}: no such list, source or folder of sources`);
    const lines = total(entries);
    process.stdout.write(`${describeList(one, entries, lines)}\n`);
    const fault = sizeFault(one, lines);
    if (fault === null) continue;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}

const entriesOf = ({ of, leavesOut }: ReadingList, facts: readonly SourceFacts[]) =>
  loadedBy(of, facts, (path) => leavesOut?.test(path) === true).map(
    (path): Entry => ({ path, lines: linesOf(path) }),
  );
const linesOf = (path: string): number => readFileSync(join(root, path), "utf8").split("\n").length - 1;
const total = (entries: readonly Entry[]): number => entries.reduce((sum, { lines }) => sum + lines, 0);

function describeList({ name, of, most }: ReadingList, entries: readonly Entry[], lines: number): string {
  const row = (count: number, text: string) => `${String(count).padStart(7)}  ${text}`;
  const owners = [...new Set(entries.map(({ path }) => path.split("/")[0]!))];
  const packages = owners.map((owner) => {
    const own = entries.filter(({ path }) => path.startsWith(`${owner}/`));
    return row(total(own), `${owner}/, ${own.length} files`);
  });
  const limit = most === null ? "no limit yet" : `at most ${most}`;
  return [
    `${name}: ${of}`,
    ...entries.map((entry) => row(entry.lines, entry.path)),
    "",
    ...packages,
    row(lines, `lines in ${entries.length} files (${limit})`),
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
