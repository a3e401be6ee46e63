import type { EgressView } from "@consilium/core/hospital/ledgerViews";

export interface EgressFilter {
  /** A part of the study's id. */
  readonly study: string;
  /** One kind of message, or `all`. */
  readonly what: string;
  readonly charged: "all" | "charged" | "free";
}

/** Newest first. */
export function filterEgress(log: readonly EgressView[], filter: EgressFilter): EgressView[] {
  const study = filter.study.trim();
  return log
    .filter((one) => study === "" || one.study?.includes(study) === true)
    .filter((one) => filter.what === "all" || one.what === filter.what)
    .filter((one) => filter.charged === "all" || (one.charge !== null) === (filter.charged === "charged"))
    .reverse();
}

/** Kinds of lines that hold numbers from the table, as the agent calls them. */
const fromTable: readonly string[] = ["masked vector", "reduced rows", "tags with counts"];

/** Also of a line whose charge is in an archive that is not in the state folder. */
export function dependsOnRecords({ what, charge }: Pick<EgressView, "what" | "charge">): boolean {
  return charge !== null || fromTable.includes(what);
}

export function totalsOf(log: readonly EgressView[]): {
  readonly messages: number;
  readonly bytes: number;
  /** Messages that depend on records. */
  readonly depending: number;
} {
  return {
    messages: log.reduce((sum, { messages }) => sum + messages, 0),
    bytes: log.reduce((sum, { bytes }) => sum + bytes, 0),
    depending: log.filter(dependsOnRecords).reduce((sum, { messages }) => sum + messages, 0),
  };
}
