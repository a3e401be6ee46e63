import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourceFacts } from "../scripts/boundaries/check.js";
import { loadedBy } from "../scripts/boundaries/loaded.js";
import type { SourceFacts } from "../scripts/boundaries/program.js";
import { codeLines } from "../scripts/comments.js";
import { filesOf, projectRoot, readProjectFile } from "../scripts/repository.js";
import { type Census, censusOf } from "./census.js";
import { documentBudget, type ReadingList, readingLists } from "./limits.js";

const usage = `Usage: npm run size [-- [<list, file or folder>] [options]]

How much there is to read. Without a name: each reading list in lines with code, beside its limit; then sources, tests and
documents by package. With a name: the list's files, what a file needs before the file, and their lines with code; then lines
by folder, and what else a hospital may load.

Lists: ${readingLists.map(({ name }) => name).join(", ")} (tools/limits.ts).

  --of <what>    one list by its name, all that a file loads, or the sources of a folder; the same without --of
  --why <file>   how the process of --of comes to load a file (default: agent)
  --help         this text

Exit code 0: every list is within its limit, documents within their budget. 1: one is not. 2: the command line is not understood.

Examples:
  npm run size -- gate
  npm run size -- aggregator/src/main.ts
  npm run size -- --of tables --why site-agent/src/data/sources/omop/compile.ts
`;

interface Entry {
  readonly path: string;
  readonly lines: number;
  /** Lines that hold more than a comment. */
  readonly code: number;
}

/** What is wrong with a list's size, or null. */
export function sizeFault({ name, limit }: ReadingList, code: number): string | null {
  if (limit === null || code <= limit) return null;
  return `reading list ${name}: ${count(code)} lines with code, at most ${count(limit)} (tools/limits.ts): simplify, or move what a reviewer need not read`;
}

/** The lists that are above their limits, in words. */
export function sizeFaults(facts: readonly SourceFacts[]): string[] {
  return readingLists.flatMap((list) => sizeFault(list, total(entriesOf(list, facts)).code) ?? []);
}

function readArguments(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { of: { type: "string" }, why: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  return { ...values, of: values.of ?? positionals[0] };
}

/** @returns the exit code */
function main(argv: readonly string[]): 0 | 1 | 2 {
  let asked: ReturnType<typeof readArguments>;
  try {
    asked = readArguments(argv);
  } catch (thrown) {
    return wrongUsage(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { of, why, help } = asked;
  if (help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const facts = sourceFacts(projectRoot);
  const list = of === undefined ? null : listOf(of);
  if (list !== null && filesToRead(list, facts).length === 0)
    return wrongUsage(`${of}: no such list, source or folder of sources`);
  if (why !== undefined) {
    process.stdout.write(`${describeWay(list ?? listOf("agent"), why, facts)}\n`);
    return 0;
  }
  const printed =
    list === null ? `${describeLists(facts)}\n\n${describeCensus(ownCensus())}` : describeList(list, facts);
  process.stdout.write(`${printed}\n`);
  const faults = [...sizeFaults(facts), ...documentFaults(ownCensus())];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults.length > 0 ? 1 : 0;
}

function wrongUsage(what: string): 2 {
  process.stderr.write(`${what}\n\n${usage}`);
  return 2;
}

function listOf(wanted: string): ReadingList {
  const known = readingLists.find(({ name }) => name === wanted);
  return known ?? { name: wanted, of: [wanted], limit: null, reason: "no list of its own", later: [] };
}

function describeWay({ of }: ReadingList, file: string, facts: readonly SourceFacts[]): string {
  const ways = of.flatMap((from) => wayTo(from, file, facts) ?? []);
  if (ways.length === 0) return `${of.join(", ")}: does not load ${file}`;
  return ways.map((path, depth) => " ".repeat(depth) + path).join("\n");
}

/** The shortest chain of imports from one file to another; null where there is none. */
export function wayTo(from: string, file: string, facts: readonly SourceFacts[]): readonly string[] | null {
  const importsOf = new Map(facts.map(({ path, imports }) => [path, imports] as const));
  const ways = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1)!;
    if (last === file) return way;
    for (const { target, isValue } of importsOf.get(last) ?? []) {
      if (!isValue || target === null || seen.has(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return null;
}

/** Files of a list, each entry's after those of the entries before it. */
export function filesToRead({ of, each, later }: ReadingList, facts: readonly SourceFacts[]): string[] {
  const apart = each === undefined ? later : [...later, each];
  const isApart = (path: string) => apart.some(({ files }) => files.test(path));
  const read = of.flatMap((entry) =>
    loadedBy(entry, facts, isApart).filter((path) => entry.endsWith(".ts") || path.startsWith(`${entry}/`)),
  );
  return [...new Set(read)];
}

function entriesOf(list: ReadingList, facts: readonly SourceFacts[]): Entry[] {
  return filesToRead(list, facts).map((path) => ({
    path,
    ...linesIn(readFileSync(join(projectRoot, path), "utf8")),
  }));
}

/** What each of those that are loaded one by one adds to what is loaded anyway. */
function eachOf(list: ReadingList, own: readonly Entry[], facts: readonly SourceFacts[]): Entry[] {
  const { each, later } = list;
  if (each === undefined) return [];
  const known = new Set(own.map(({ path }) => path));
  return facts
    .filter(({ path }) => each.files.test(path))
    .map(({ path }) => {
      const added = entriesOf({ ...list, of: [path], each: undefined, later }, facts);
      return { path, ...total(added.filter((entry) => !known.has(entry.path))) };
    });
}

export function linesIn(text: string): Omit<Entry, "path"> {
  return { lines: text.split("\n").length - 1, code: codeLines(text) };
}

function total(entries: readonly Entry[]): Omit<Entry, "path"> {
  const sum = (of: "lines" | "code") => entries.reduce((so, entry) => so + entry[of], 0);
  return { lines: sum("lines"), code: sum("code") };
}

/** A package's parts, and no deeper. */
const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, 3)
    .join("/")
    .replace(/\/[^/]+\.ts$/, "");

function describeList(list: ReadingList, facts: readonly SourceFacts[]): string {
  const { name, of, limit, reason, each, later } = list;
  const entries = entriesOf(list, facts);
  const row = (lines: number, text: string) => `${count(lines).padStart(7)}  ${text}`;
  const folders = [...new Set(entries.map(({ path }) => folderOf(path)))]
    .map((folder) => {
      const own = entries.filter(({ path }) => folderOf(path) === folder);
      return { folder, files: own.length, ...total(own) };
    })
    .sort((a, b) => b.code - a.code)
    .map(({ folder, files, code }) => row(code, `${folder}/, ${files} files`));
  const { lines, code } = total(entries);
  const printed = [
    `${name}: ${of.join(", ")}`,
    ...entries.map((entry) => row(entry.code, entry.path)),
    "",
    ...folders,
    "",
    row(code, `lines with code in ${entries.length} files (${limitText(limit)}: ${reason})`),
    row(lines, "lines with comments and blank ones"),
  ];
  if (each !== undefined) {
    printed.push(`beside them, ${each.why}:`);
    for (const one of eachOf(list, entries, facts)) printed.push(row(one.code, one.path));
  }
  for (const why of new Set(later.map((one) => one.why))) printed.push(`not counted: ${why}`);
  if (later.length > 0) {
    const never = later.filter(({ isNeverLoaded }) => isNeverLoaded);
    const ever = total(entriesOf({ ...list, each: undefined, later: never }, facts));
    printed.push(row(ever.code, "lines with code of all that any hospital may load"));
  }
  return printed.join("\n");
}

const limitText = (limit: number | null): string => (limit === null ? "no limit" : `at most ${count(limit)}`);

function describeLists(facts: readonly SourceFacts[]): string {
  const rows = readingLists.map((list) => {
    const entries = entriesOf(list, facts);
    const { code, lines } = total(entries);
    const limit = list.limit === null ? "none" : count(list.limit);
    return [list.name, count(code), limit, count(lines), count(entries.length)];
  });
  return [
    "What a reviewer reads, in lines with code (npm run size -- <list> has the files, tools/limits.ts the reasons)",
    "",
    ...grid([["list", "today", "limit", "with comments", "files"], ...rows]),
  ].join("\n");
}

type Budget = typeof documentBudget;

/** Documents of a project, in words, and how many there are. */
export function documentsOf({ packages }: Census): Budget {
  const sizes = packages.map(({ documents }) => documents);
  return {
    words: sizes.reduce((sum, { amount }) => sum + amount, 0),
    documents: sizes.reduce((sum, { files }) => sum + files, 0),
  };
}

/** What is wrong with a project's documents: more words, or more of them, than the budget has. */
export function documentFaults(census: Census, budget: Budget = documentBudget): string[] {
  const today = documentsOf(census);
  const remedy = "(tools/limits.ts): take out before you put in";
  return (["words", "documents"] as const)
    .filter((of) => today[of] > budget[of])
    .map((of) => `documents: ${count(today[of])} ${of}, at most ${count(budget[of])} ${remedy}`);
}

export function ownCensus(): Census {
  return censusOf(
    filesOf(/\.(?:[cm]?[jt]sx?|css|html|proto|py|sh|md|svg)$/).map((path) => ({
      path,
      text: readProjectFile(path),
    })),
  );
}

export function describeCensus(census: Census): string {
  const { packages, generatedCode, research } = census;
  const { words, documents } = documentsOf(census);
  const cells = (sizes: readonly { readonly amount: number; readonly files: number }[]) =>
    sizes.flatMap(({ amount, files }) => [count(amount), count(files)]);
  const sum = (kind: "source" | "tests" | "documents") => ({
    amount: packages.reduce((so, one) => so + one[kind].amount, 0),
    files: packages.reduce((so, one) => so + one[kind].files, 0),
  });
  const rows = packages.map((one) => [one.name, ...cells([one.source, one.tests, one.documents])]);
  const apart = (size: { readonly amount: number; readonly files: number }, of: string, what: string) =>
    `  ${what}: ${count(size.amount)} ${of} in ${count(size.files)} files`;
  return [
    "Sources and tests in lines with code, documents in words",
    "",
    ...grid([
      ["package", "source", "files", "tests", "files", "words", "files"],
      ...rows,
      ["all", ...cells([sum("source"), sum("tests"), sum("documents")])],
    ]),
    "",
    `Documents: ${count(words)} words in ${documents} files, at most ${count(documentBudget.words)} in ${documentBudget.documents}`,
    "",
    "Counted apart",
    apart(generatedCode, "lines", "generated code"),
    apart(research, "words", "research/, measured once"),
  ].join("\n");
}

/** The first column at the left, numbers at the right. */
function grid(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, k) => Math.max(...rows.map((row) => row[k]!.length)));
  return rows.map((row) =>
    row
      .map((cell, k) => (k === 0 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)))
      .map((cell) => `  ${cell}`)
      .join(""),
  );
}

function count(n: number): string {
  return n.toLocaleString("en");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
