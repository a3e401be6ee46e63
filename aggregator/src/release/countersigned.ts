import type { SiteId } from "@consilium/core/ids";
import type { Countersignature } from "@consilium/core/release/countersignature";
import {
  type StageAttempt,
  type StatementInput,
  statementOf,
  statementText,
} from "@consilium/core/release/statement";

/** What a run leaves for its certificate beside the result. */
export interface CountersignedStudy {
  /** Every attempt whose vectors or rows were asked for, in the plan's order. */
  readonly attempts: readonly StageAttempt[];
  /** Each checked when it came; in any order. */
  readonly countersignatures: readonly Countersignature[];
  /** Of every site of the roster, DER: its newest certificate that is known, and the issuing one. */
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
}

/** The statement's text that the sites are asked to sign: the certificate holds the same again. */
export function statementOfStudy(
  finished: Omit<StatementInput, "studyId"> & { readonly record: { readonly id: StatementInput["studyId"] } },
): string {
  return statementText(statementOf({ ...finished, studyId: finished.record.id }));
}
