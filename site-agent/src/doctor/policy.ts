import type { PolicyFacts } from "@consilium/core/hospital/doctorFacts";
import { populationOf } from "../policy/policy.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { KnownTables } from "../tables/knownTables.js";

/** The policy, by itself and with the tables. */
export function policyFacts(
  file: PolicyFile,
  known: KnownTables & { readonly names: readonly string[] },
): PolicyFacts {
  const read = file.read();
  return {
    path: file.path,
    isAbsent: file.status().state === "absent",
    fault: read.ok ? null : { message: read.error.message, remedy: read.error.remedy },
    homeless: read.ok ? known.names.filter((table) => populationOf(read.value, table) === null) : [],
    undeclared: known.names.filter((table) => !known.unit(table).declared),
  };
}
