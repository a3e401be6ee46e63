import type { PolicyFacts } from "@consilium/core/hospital/doctorFacts";
import { fail, ok, type Verdict, warn } from "./check.js";

/** Whether the policy holds, by itself and with the tables: each source of records in one population, each with a unit. */
export function judgePolicy({ path, isAbsent, fault, homeless, undeclared }: PolicyFacts): Verdict {
  if (fault !== null) return fail(fault.message, fault.remedy);
  if (homeless.length > 0) {
    return warn(
      `no population of ${path} has table ${homeless.join(", ")}: every study of it is refused`,
      "add it to the tables of a population, or declare a population default",
    );
  }
  if (undeclared.length > 0) {
    return warn(
      `config.yaml does not say whether a row of table ${undeclared.join(", ")} is a patient: a person decides on every study of it`,
      "write unit: rows, or unit: {patient: {column: ..., maxRows: ...}}, under the table in config.yaml",
    );
  }
  const state = isAbsent ? "there is no policy file: the defaults hold" : `${path} is in order`;
  return ok(`${state}, and every table has a population and a unit of privacy`);
}
