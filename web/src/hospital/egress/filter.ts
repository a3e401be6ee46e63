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

export function totalsOf(log: readonly EgressView[]): {
  readonly messages: number;
  readonly bytes: number;
  readonly charged: number;
} {
  return {
    messages: log.reduce((sum, { messages }) => sum + messages, 0),
    bytes: log.reduce((sum, { bytes }) => sum + bytes, 0),
    charged: log.filter(({ charge }) => charge !== null).length,
  };
}
