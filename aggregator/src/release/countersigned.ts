import type { SiteId } from "@consilium/core/ids";
import type { Countersignature } from "@consilium/core/release/countersignature";
import {
  type StageAttempt,
  type StatementInput,
  statementOf,
  statementText,
} from "@consilium/core/release/statement";

/** A run's data for the certificate, besides the result. */
export interface CountersignedStudy {
  /** Every attempt that requested vectors or rows, in the plan's order. */
  readonly attempts: readonly StageAttempt[];
  /** Each verified on arrival; in any order. */
  readonly countersignatures: readonly Countersignature[];
  /** For every site on the roster, DER: its newest known certificate, and the issuing one. */
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
}

/** The statement that the sites are asked to sign; the certificate contains the same text. */
export function statementOfStudy(
  finished: Omit<StatementInput, "studyId"> & { readonly record: { readonly id: StatementInput["studyId"] } },
): string {
  return statementText(statementOf({ ...finished, studyId: finished.record.id }));
}
