import { access, constants } from "node:fs/promises";
import type { ConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { check, fail, ok, type Verdict, warn } from "@consilium/runtime/doctor/check";
import { describePostgres, parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { MissingValues } from "../data/cells.js";
import { checkColumns, requestsFor } from "../data/columns.js";
import { attempt } from "../data/fault.js";
import { placeOf } from "../data/files.js";
import { openSource } from "../data/openSource.js";
import type { TableConfig } from "../data/tableConfig.js";
import { boundedStudy, orderByOf, unitOf } from "../data/tableUnit.js";

/** Of a table in many files, so many are opened; every one is looked at when a study reads it. */
const filesOpened = 100;

/** Each table of the configuration: found, readable, and with the columns that studies ask of it. */
export async function checkTables(
  tables: readonly TableConfig[],
  studies: readonly Study[],
): Promise<DoctorCheck[]> {
  if (tables.length === 0) {
    const none = warn(
      "no table is named",
      "name one under `tables:` in config.yaml, and start the agent again",
    );
    return [check("tables", "Tables", none)];
  }
  const known = new Set(tables.map(({ name }) => name));
  const strangers = studies.filter(({ table }) => !known.has(table));
  const checks = await Promise.all(
    tables.map(async (table) => {
      const asking = studies.filter((study) => study.table === table.name);
      return check(`tables:${table.name}`, `Table ${table.name}`, await judgeTable(table, asking));
    }),
  );
  const lacking = new Set(strangers.map(({ table }) => table));
  for (const table of lacking) {
    const asking = strangers.filter((study) => study.table === table).map(({ name }) => name);
    const verdict = fail(
      `study ${asking.join(", ")} asks for a table "${table}", and this site has: ${[...known].join(", ")}`,
      `name it under \`tables:\` in config.yaml, or have the study name one that is there`,
    );
    checks.push(check("tables", `Table ${table}`, verdict));
  }
  return checks;
}

async function judgeTable(config: TableConfig, studies: readonly Study[]): Promise<Verdict> {
  const looked = await attempt(config, undefined, async () => {
    const opened = await openSource(config);
    if (opened.format !== "postgres") {
      for (const file of opened.files) await access(file, constants.R_OK);
    }
    const missing = new MissingValues(config.nullValues);
    let columns = 0;
    let empty = 0;
    for (const file of opened.files.slice(0, filesOpened)) {
      const unit = unitOf(config);
      const requests = studies.map((study) =>
        requestsFor(boundedStudy(study, unit), missing, { orderBy: orderByOf(config) }),
      );
      const wanted = requests.flat().map(({ name }) => name);
      const found = await opened.source.columns(file, wanted);
      if (found.length === 0) empty++;
      else for (const one of requests) checkColumns(found, one, placeOf(config, file));
      columns = Math.max(columns, found.length);
    }
    return { files: opened.files.length, format: opened.format, columns, empty };
  });
  if (!looked.ok) return tableFault(looked.error, config);
  const { files, format, columns, empty } = looked.value;
  const what =
    format === "postgres"
      ? placeText(config)
      : `${placeText(config)}: ${files === 1 ? "one file" : `${files} files`} (${format})`;
  if (columns === 0) return fail(`${what}, without any column`, "check that it was written completely");
  const asked =
    studies.length === 0 ? "" : `, with all that ${studies.map(({ name }) => name).join(", ")} asks for`;
  const found = `${what}, ${columns === 1 ? "one column" : `${columns} columns`}${asked}`;
  if (empty > 0 && format !== "jsonl") {
    return warn(`${found}; ${empty} of the files are empty`, "remove them, or write them completely");
  }
  return ok(found);
}

/** Where the rows are, without the query: it may name what is nobody's concern. */
function placeText({ path, postgres }: TableConfig): string {
  if (postgres === undefined) return path ?? "";
  return `a query in ${describePostgres(unwrap(parsePostgresUrl(postgres.url)))}`;
}

function tableFault(error: ConsiliumError, config: TableConfig): Verdict {
  // An error from outside the data layer is shown by its kind alone.
  if (error.code === "INTERNAL") {
    return fail(
      `${placeText(config)} cannot be read by this user`,
      "let the agent's user read the file and enter every folder above it",
    );
  }
  return fail(error.message, error.remedy);
}
