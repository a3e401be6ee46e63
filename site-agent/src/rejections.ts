/**
 * Outlives promises of a method that nobody waits for. Such a promise may be rejected for some records alone, with a value of theirs:
 * by default Node prints the reason and ends the process, which the aggregator would notice and the ledger would not.
 * @param say - told that it happened, and nothing of why
 */
export function outliveRejections(say: () => void): void {
  process.on("unhandledRejection", () => say());
}
