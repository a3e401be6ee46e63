/** What the aggregator says of a study. */
export interface StudySays {
  /** Remedies where too few sites take part: some refused it, or have not answered. */
  readonly "study.correct-and-clone": Record<never, never>;
  readonly "study.ask-undecided": Record<never, never>;
}
