import type { SiteId } from "@consilium/core/ids";
import type { Countersignature } from "@consilium/core/release/countersignature";
import type { Statement } from "@consilium/core/release/statement";

/** A run's data for the certificate, besides the result. */
export interface CountersignedStudy {
  /** As the sites signed it. */
  readonly statement: Statement;
  /** Each verified on arrival; in any order. */
  readonly countersignatures: readonly Countersignature[];
  /** For every site on the roster, DER: its newest known certificate, and the issuing one. */
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
}
