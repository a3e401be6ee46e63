import { join } from "node:path";
import { fail, ok, type Verdict, warn } from "@consilium/runtime/doctor/check";
import { osRandom } from "@consilium/runtime/random";
import type { TableConfig } from "../data/tableConfig.js";
import { TableSources } from "../data/tableSources.js";
import { populationOf } from "../policy/policy.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";

/** Whether the policy holds, by itself and with the tables: each source of records in one population, each with a unit. */
export async function checkPolicy(stateFolder: string, tables: readonly TableConfig[]): Promise<Verdict> {
  // Hashes are compared with one another alone, and kept nowhere.
  const known = new TableSources(tables, osRandom.bytes(32));
  await known.resolve();
  const file = new PolicyFile(join(stateFolder, policyFileName), { tables: known });
  const read = file.read();
  if (!read.ok) return fail(read.error.message, read.error.remedy);
  const homeless = known.names.filter((table) => populationOf(read.value, table) === null);
  if (homeless.length > 0) {
    return warn(
      `no population of ${file.path} has table ${homeless.join(", ")}: every study of it is refused`,
      "add it to the tables of a population, or declare a population default",
    );
  }
  const undeclared = known.names.filter((table) => !known.unit(table).declared);
  if (undeclared.length > 0) {
    return warn(
      `config.yaml does not say whether a row of table ${undeclared.join(", ")} is a patient: a person decides on every study of it`,
      "write unit: rows, or unit: {patient: {column: ..., maxRows: ...}}, under the table in config.yaml",
    );
  }
  const state =
    file.status().state === "absent"
      ? "there is no policy file: the defaults hold"
      : `${file.path} is in order`;
  return ok(`${state}, and every table has a population and a unit of privacy`);
}
