/** Why a site or the aggregator refuses a message, or cannot finish a sum: stable codes, which SPEC.md explains. */
export type SumErrorCode =
  | "COMMITMENT_BROKEN"
  | "KEYS_INVALID"
  | "MESSAGE_UNEXPECTED"
  | "ROSTER_INVALID"
  | "ROSTER_TOO_SMALL"
  | "SEAL_BROKEN"
  | "SHARES_INVALID"
  | "STUDY_INVALID"
  | "SUM_REPLAYED"
  | "SUM_THRESHOLD"
  | "SURVIVORS_CHANGED"
  | "SURVIVORS_INVALID"
  | "TRANSCRIPT_DIFFERS"
  | "UNMASK_FAILED";

/** A refusal. Its message says what, where and the numbers, and never holds a secret or an entry of a vector. */
export class SumError extends Error {
  readonly code: SumErrorCode;
  /** What to do about it, where the code alone does not say. */
  readonly remedy: string | undefined;

  constructor(code: SumErrorCode, message: string, options: { readonly remedy?: string } = {}) {
    super(message);
    this.name = "SumError";
    this.code = code;
    this.remedy = options.remedy;
  }
}
