import type { TableFacts } from "@consilium/core/hospital/doctorFacts";
import type { LeftOut } from "../policy/leftOut.js";

/** What the doctor has found of tables, with the fault of each that is left out. */
export function withLeftOut(facts: readonly TableFacts[], leftOut: readonly LeftOut[]): TableFacts[] {
  return facts.map((one) => {
    const found = leftOut.find(({ table }) => table === one.name);
    if (one.fault !== null || found === undefined) return one;
    const { message, remedy } = found.fault;
    return { ...one, fault: { message, remedy } };
  });
}
