/** Number of further readings of a table within one request, where a record, or something brief, may have ended the one before. */
export const maxRetries = 3;

/**
 * Further readings that a request may still take, no matter who takes them: the agent, whose process of tables has ended, that process, whose
 * database is lost, or an engine, whose workers end.
 */
export class Retries {
  /** Fewer than `maxRetries` where the table may have been read before. */
  left: number;
  readonly #onTake: () => void;

  /** @param onTake - called where one is taken, so that another process counts it */
  constructor(left: number = maxRetries, onTake: () => void = () => {}) {
    this.left = left;
    this.#onTake = onTake;
  }

  /** Takes one. @returns false where none is left */
  take(): boolean {
    if (this.left === 0) return false;
    this.left--;
    this.#onTake();
    return true;
  }
}
