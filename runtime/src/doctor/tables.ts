import type { DoctorFacts, StrangeTable, TableFacts } from "@consilium/core/hospital/doctorFacts";
import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import { lines, nameOf } from "@consilium/core/said";
import type { TableSays } from "@consilium/words/says/tables";
import { check, fail, ok, skipped, type Verdict, warn } from "./check.js";

const line = lines<TableSays>();

/** Each table of the configuration, and those that studies ask for in vain. */
export function judgeTables({ tables, strangers }: Pick<DoctorFacts, "tables" | "strangers">): DoctorCheck[] {
  if (tables.length === 0) {
    const none = warn(
      "no table is named",
      "name one under `tables:` in config.yaml, and start the agent again",
    );
    return [check("tables", "Tables", none)];
  }
  const names = tables.map(({ name }) => name);
  return [
    ...tables.flatMap((table) => [
      check(`tables:${table.name}`, `Table ${table.name}`, judgeTable(table)),
      ...judgeFindings(table),
      ...judgeReading(table),
    ]),
    ...strangers.map((one) => check("tables", `Table ${one.table}`, judgeStranger(one, names))),
  ];
}

/** Databases whose drivers are JavaScript, which Node's permission model binds. */
const boundByNode: ReadonlySet<string> = new Set(["postgres", "sqlserver", "oracle"]);

/**
 * As which user the tables are read.
 * @param apart - null where no agent runs, or one that does not say
 */
export function judgeReader(
  apart: boolean | null,
  tables: readonly Pick<TableFacts, "format" | "engine">[],
): DoctorCheck {
  const judged = (verdict: Verdict) => check("reader", line("table.reader", {}), verdict);
  if (apart === null) return judged(skipped("not checked: no agent of this version is running"));
  if (apart) return judged(ok(line("table.read-apart", {})));
  if (tables.every(({ format, engine }) => boundByNode.has(format) && engine === null))
    return judged(ok(line("table.read-without-native-code", {})));
  return judged(warn(line("table.read-by-agents-user", {}), line("table.separate", {})));
}

function judgeStranger({ table, studies }: StrangeTable, names: readonly string[]): Verdict {
  return fail(
    `study ${studies.join(", ")} asks for a table "${table}", and this site has: ${names.join(", ")}`,
    "name it under `tables:` in config.yaml, or have the study name one that is there",
  );
}

/** Formats of tables that are no files of their own. */
const databases: ReadonlySet<string> = new Set(["postgres", "sqlserver", "oracle", "omop", "spark"]);

function judgeTable(table: TableFacts): Verdict {
  const { place, format, files, columns, empty, studies, engine, fault } = table;
  if (fault !== null) return fail(fault.message, fault.remedy);
  const what = databases.has(format)
    ? place
    : `${place}: ${files === 1 ? "one file" : `${files} files`} (${format})`;
  if (columns === 0) return fail(`${what}, without any column`, "check that it was written completely");
  const asked = studies.length === 0 ? "" : `, with all that ${studies.join(", ")} asks for`;
  const computed =
    engine === null ? "" : `; computed by the engine ${engine.name}: ${workersText(engine.workers)}`;
  const found = `${what}, ${columns === 1 ? "one column" : `${columns} columns`}${asked}${computed}`;
  if (empty > 0 && format !== "jsonl") {
    return warn(`${found}; ${empty} of the files are empty`, "remove them, or write them completely");
  }
  return ok(found);
}

/** What the table check finds, each for itself. */
const judgeFindings = ({ name, findings }: TableFacts): DoctorCheck[] =>
  findings.map((found) =>
    check(
      `tables:${name}-sample`,
      line("table.first-rows", { table: nameOf(name) }),
      warn(found, line("table.test-it", { table: nameOf(name) })),
    ),
  );

/** Of stages after a study's first one: whether they read from memory. Nothing of a table that cannot be read. */
function judgeReading({ name, columns, engine, memory, fault }: TableFacts): DoctorCheck[] {
  if (fault !== null || columns === 0) return [];
  const title = line("table.reading", { table: nameOf(name) });
  return [check(`tables:${name}-stages`, title, readingVerdict(engine !== null, memory))];
}

function readingVerdict(hasEngine: boolean, memory: TableFacts["memory"]): Verdict {
  if (hasEngine) return ok(line("table.read-by-engine", {}));
  if (memory === null) return ok(line("table.always-read", {}));
  const known = { holds: Math.floor(mebibytes(memory.holds)), memory: Math.floor(mebibytes(memory.memory)) };
  if (memory.needs === null) return ok(line("table.not-read", known));
  const needs = Math.ceil(mebibytes(memory.needs));
  if (memory.needs <= memory.holds) return ok(line("table.held", { needs, ...known }));
  const enough = Math.ceil((needs * memory.memory) / memory.holds);
  return warn(line("table.too-large", { needs, ...known }), line("table.more-memory", { memory: enough }));
}

const mebibytes = (bytes: number) => bytes / 1024 ** 2;

function workersText(workers: number | null): string {
  if (workers === null) return "the executors of its cluster";
  return workers === 1 ? "1 worker process" : `${workers} worker processes`;
}
