import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourceFacts } from "./boundaries/check.js";
import { loadedBy } from "./boundaries/loaded.js";
import type { SourceFacts } from "./boundaries/program.js";
import { codeLines } from "./comments.js";

const usage = `Usage: npm run reading-list [-- [<name, file or folder>] [options]]

What a reviewer reads: each list with its files, what a file needs before the file, and their lines; then lines by
folder, and in all, with and without comments and blank lines. Fails above a list's limit.

  --of <what>    one list by its name, all that a file loads, or the sources of a folder; the same without --of
  --why <file>   how the process of --of comes to load a file (default: site-process)
  --help         this text

`;

interface ReadingList {
  readonly name: string;
  /** A folder stands for its own sources; a file for all that it loads, and they load. */
  readonly of: string;
  /** Lines; null where nothing is promised. */
  readonly most: number | null;
  /** What is loaded one by one, each with what it loads itself: its lines are told beside the limit. */
  readonly each?: { readonly files: RegExp; readonly why: string };
  /** What import() loads only where a hospital needs it, and what is loaded through that alone. */
  readonly without: readonly {
    readonly files: RegExp;
    readonly why: string;
    readonly isNeverLoaded?: true;
  }[];
}

/** Of both processes of a hospital's agent. */
const ofMethods: ReadingList["without"] = [
  {
    files: /^methods\/[^/]+\/(?:aggregator|precision)\.ts$/,
    why: "the aggregator's part of each method, never loaded",
    isNeverLoaded: true,
  },
  { files: /^methods-paper\//, why: "methods-paper, loaded where the policy allows published methods" },
  { files: /^kernels\/src\/open\.ts$/, why: "kernels/, loaded for a stage that sums products of columns" },
  {
    files: /^kernels\/src\/wasmKernels\.ts$/,
    why: "kernels/src/wasmKernels.ts, loaded for a stage of a published method",
  },
];

export const readingLists: readonly ReadingList[] = [
  { name: "secure-sum", of: "secure-sum/src", most: 3_000, without: [] },
  { name: "gate", of: "gate/src", most: 3_500, without: [] },
  {
    name: "site-process",
    of: "site-agent/src/main.ts",
    most: 20_000,
    each: {
      files: /^methods\/[^/]+\/method\.ts$/,
      why: "methods, each loaded for a study of it that the policy allows: what it proposes, which the gate charges for",
    },
    without: [
      ...ofMethods,
      {
        files:
          /^site-agent\/src\/(?:doctor\/running|dataProtection\/(?:gather|protectionFacts)|ledger\/(?:requests|ledgerView|report|declared|exportText|series|archives|compaction)|policy\/policyEditor|socket\/(?:status|studies|policy(?:Trial)?)|store\/formerAccounts)\.ts$/,
        why: "what answers `consilium doctor` and the pages of status and studies, the data-protection record, the ledger's views, check, export, curve and archives, the policy's page, a policy that is tried out, accounts of an earlier version, and a reconciliation, loaded when a person asks",
      },
      {
        files: /^site-agent\/src\/(?:ledger\/enrolment|store\/restoredCopy)\.ts$/,
        why: "what enrolment has sent, and a restored backup's studies, each loaded once",
      },
      {
        files: /^site-agent\/src\/tables\/changedTables\.ts$/,
        why: "what serves other tables, loaded when config.yaml has changed",
      },
      {
        files: /^site-agent\/src\/studies\/secondApproval\.ts$/,
        why: "second approvals, loaded where the policy asks for two people",
      },
      {
        files: /^site-agent\/src\/studies\/questions\.ts$/,
        why: "questions to the operator, loaded once a person at the hospital has asked one",
      },
      {
        files: /^site-agent\/src\/studies\/publishedStudies\.ts$/,
        why: "exchanges, dealt masks and open answers, loaded for a study of a published method",
      },
      {
        files: /^site-agent\/src\/studies\/countersigning\.ts$/,
        why: "the certificate's check and signature, loaded when a study's roster is shown",
      },
      {
        files: /^site-agent\/src\/retention\/retention\.ts$/,
        why: "the removal of old studies' data, loaded where `retention:` is configured",
      },
      {
        files: /^runtime\/src\/logging\/agentOutput\.ts$/,
        why: "other forms of the log, loaded where `logs:` is configured",
      },
      {
        files: /^runtime\/src\/network\/(?:proxy|tunnel)\.ts$/,
        why: "the way through a proxy, loaded where one is configured",
      },
      {
        files: /^runtime\/src\/network\/intercepted\.ts$/,
        why: "who speaks in the aggregator's place, loaded where another certificate than its own is shown",
      },
      {
        files: /^runtime\/src\/identity\/renew\.ts$/,
        why: "the renewal of the certificate, loaded when it is due",
      },
    ],
  },
  {
    name: "table-process",
    of: "site-agent/src/tables/main.ts",
    most: 11_650,
    each: {
      files: /^methods\/[^/]+\/method\.ts$/,
      why: "methods, each loaded for a study of it: what each record adds, which the gate bounds",
    },
    without: [
      ...ofMethods,
      {
        files: /^site-agent\/src\/doctor\/tablesNow\.ts$/,
        why: "what the doctor sees of the tables, loaded when a person asks",
      },
      {
        files:
          /^site-agent\/src\/data\/(?:parquetSource|omopSource|omopFiles|databaseSource|queryDatabase|postgresSource|sqlServerSource|oracleSource|sqliteSource|jsonLinesSource|querySource|duckdbInput|fhir\/fhirInput)\.ts$/,
        why: "the sources of Parquet, OMOP, PostgreSQL, SQL Server, Oracle, SQLite, JSON lines, FHIR and queries over files, loaded where such a table is configured",
      },
      {
        files: /^site-agent\/src\/engines\/(?:engines|usual)\.ts$/,
        why: "the engines, loaded where the configuration names one, or the machine has four cores",
      },
      {
        files: /^site-agent\/src\/engines\/processes\.ts$/,
        why: "the engine of worker processes, loaded where a table's entry names one, or the table is large",
      },
      {
        files:
          /^site-agent\/src\/engines\/(?:spark\/(?:application|applications|probe|sparkSource|sparkStage)|worker\/\w+)\.ts$/,
        why: "the engine of Spark, loaded where such an engine is configured",
      },
    ],
  },
];

interface Entry {
  readonly path: string;
  readonly lines: number;
  /** Lines that hold more than a comment. */
  readonly code: number;
}

/** What is wrong with a list's size, or null. */
export function sizeFault({ name, most }: ReadingList, lines: number): string | null {
  if (most === null || lines <= most) return null;
  return `reading list ${name}: ${lines} lines, at most ${most}: simplify, or move what a reviewer need not read`;
}

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** The lists that are above their limits, in words. */
export function sizeFaults(facts: readonly SourceFacts[]): string[] {
  return readingLists.flatMap((one) => sizeFault(one, total(entriesOf(one, facts)).lines) ?? []);
}

function main(argv: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { of: { type: "string" }, why: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const facts = sourceFacts(root);
  const wanted = values.of ?? positionals[0];
  if (values.why !== undefined) {
    printWay(listOf(wanted ?? "site-process"), values.why, facts);
    return;
  }
  for (const list of wanted === undefined ? readingLists : [listOf(wanted)]) {
    const entries = entriesOf(list, facts);
    if (entries.length === 0) throw new Error(`${list.of}: no such list, source or folder of sources`);
    const without = list.without.filter(({ isNeverLoaded }) => isNeverLoaded);
    const ever = entriesOf({ ...list, each: undefined, without }, facts);
    process.stdout.write(`${describeList(list, entries, { ever, each: eachOf(list, entries, facts) })}\n`);
    const fault = sizeFault(list, total(entries).lines);
    if (fault === null) continue;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}

function listOf(wanted: string): ReadingList {
  const known = readingLists.find(({ name }) => name === wanted);
  return known ?? { name: wanted, of: wanted, most: null, without: [] };
}

function printWay({ of }: ReadingList, file: string, facts: readonly SourceFacts[]): void {
  const way = wayTo(of, file, facts);
  process.stdout.write(
    way === null
      ? `${of} does not load ${file}\n`
      : `${way.map((path, depth) => " ".repeat(depth) + path).join("\n")}\n`,
  );
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

function entriesOf({ of, each, without }: ReadingList, facts: readonly SourceFacts[]): Entry[] {
  const apart = [...without, ...(each === undefined ? [] : [each])];
  return loadedBy(of, facts, (path) => apart.some(({ files }) => files.test(path)))
    .filter((path) => of.endsWith(".ts") || path.startsWith(`${of}/`))
    .map((path): Entry => ({ path, ...linesIn(readFileSync(join(root, path), "utf8")) }));
}

/** What each of those that are loaded one by one adds to what is loaded anyway. */
function eachOf(list: ReadingList, own: readonly Entry[], facts: readonly SourceFacts[]): Entry[] {
  const { each, without } = list;
  if (each === undefined) return [];
  const known = new Set(own.map(({ path }) => path));
  return facts
    .filter(({ path }) => each.files.test(path))
    .map(({ path }) => {
      const added = entriesOf({ ...list, of: path, each: undefined, without }, facts);
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

/** Deep enough to tell what a package's parts are, and no deeper. */
const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, 3)
    .join("/")
    .replace(/\/[^/]+\.ts$/, "");

/** @param beside - what is loaded one by one, and all with what is loaded only where a hospital needs it */
function describeList(
  list: ReadingList,
  entries: readonly Entry[],
  beside: { readonly each: readonly Entry[]; readonly ever: readonly Entry[] },
): string {
  const { name, of, most, each, without } = list;
  const row = (count: number, text: string) => `${String(count).padStart(7)}  ${text}`;
  const folders = [...new Set(entries.map(({ path }) => folderOf(path)))]
    .map((folder) => {
      const own = entries.filter(({ path }) => folderOf(path) === folder);
      return { folder, files: own.length, ...total(own) };
    })
    .sort((a, b) => b.lines - a.lines)
    .map(({ folder, files, lines }) => row(lines, `${folder}/, ${files} files`));
  const { lines, code } = total(entries);
  const limit = most === null ? "no limit" : `at most ${most}`;
  return [
    `${name}: ${of}`,
    ...entries.map((entry) => row(entry.lines, entry.path)),
    "",
    ...folders,
    "",
    row(lines, `lines in ${entries.length} files (${limit})`),
    row(code, "of them with code, without comments and blank lines"),
    ...(each === undefined ? [] : [`beside them, ${each.why}:`]),
    ...beside.each.map((one) => row(one.lines, one.path)),
    ...without.map(({ why }) => `not counted: ${why}`),
    ...(without.length === 0
      ? []
      : [row(total(beside.ever).lines, "lines with all that any hospital may load")]),
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
