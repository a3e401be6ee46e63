#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { parseWritten } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { SiteMethods } from "../studies/siteMethods.js";
import { examineSite } from "./examine.js";
import { examineTable } from "./examineTable.js";
import { checkedTables } from "./tablesFile.js";
import { undeclaredValues } from "./undeclaredValues.js";

/**
 * `consilium doctor` at a site runs this beside the agent, or without one: it prints a DoctorView as JSON. A study that
 * the tables are to be held against comes as canonical JSON in a file. With a table's name, or an entry that is not in the
 * configuration yet, it prints a TableExamination of that table alone; with a file of tables, their names; with a study and
 * `--values`, UndeclaredValues.
 */
enforceTlsPolicy();
installTransfer();
try {
  const { values } = parseArgs({
    options: {
      state: { type: "string" },
      study: { type: "string" },
      table: { type: "string" },
      entry: { type: "string" },
      tables: { type: "string" },
      values: { type: "boolean" },
      "timeout-ms": { type: "string" },
    },
  });
  const { state, table, entry, tables, study, "timeout-ms": timeoutMs } = values;
  process.stdout.write(`${JSON.stringify(await view())}\n`);

  async function view(): Promise<object> {
    if (values.values === true) return undeclaredValues(state!, (await studiesOf(state!, study))[0]!);
    if (tables !== undefined) return { tables: await checkedTables(state!, tables) };
    if (entry !== undefined) return examineTable(state!, { entry });
    if (table !== undefined) return examineTable(state!, { name: table });
    return examine(state!, study, Number(timeoutMs));
  }
} catch (thrown) {
  const error = toConsiliumError(thrown);
  process.stdout.write(
    `${JSON.stringify({ code: error.code, message: error.message, remedy: error.remedy })}\n`,
  );
  process.exitCode = 1;
}

async function examine(state: string, studyPath: string | undefined, timeoutMs: number): Promise<DoctorView> {
  const studies = await studiesOf(state, studyPath);
  return examineSite(state, { environment: process.env, now: Date.now, timeoutMs, studies });
}

async function studiesOf(state: string, path: string | undefined): Promise<Study[]> {
  const methods = new SiteMethods();
  await methods.follow(new PolicyFile(join(state, policyFileName)).read(), true);
  if (path === undefined) return [];
  return [unwrap(await parseWritten(methods, JSON.parse(await readFile(path, "utf8"))))];
}
