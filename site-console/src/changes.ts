import type { SiteEventView } from "@consilium/core/hospital/eventViews";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";

const lookEveryMs = 1_000;

/**
 * Notifies pages of changes. It polls the agent once a second while pages are open, because changes have several
 * sources: the aggregator, a command in a terminal, or an editor that wrote the policy file. While the agent does not
 * answer, the pages are told that the site is not connected.
 */
export class Changes {
  readonly #agent: Pick<HospitalAgent, "changes">;
  readonly #watchers = new Set<() => void>();
  /** Of the next question; undefined while one is being asked. */
  #timer: NodeJS.Timeout | undefined;
  #isWatching = false;
  #seen: SiteEventView | null = null;

  constructor(agent: Pick<HospitalAgent, "changes">) {
    this.#agent = agent;
  }

  /** Asks the agent. @throws ConsiliumError UNREACHABLE where it has never answered */
  async look(): Promise<SiteEventView> {
    try {
      this.#seen = await this.#agent.changes({});
    } catch (thrown) {
      if (this.#seen === null) throw thrown;
      this.#seen = { ...this.#seen, connected: false };
    }
    return this.#seen;
  }

  /** As it was last; `look` has been called before. */
  now(): SiteEventView {
    if (this.#seen === null) throw new RangeError("the agent was not asked yet");
    return this.#seen;
  }

  /** @returns ends it */
  subscribe(changed: () => void): () => void {
    this.#watchers.add(changed);
    if (!this.#isWatching) this.#lookLater();
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size > 0 || this.#timer === undefined) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#isWatching = false;
    };
  }

  #lookLater(): void {
    this.#isWatching = true;
    this.#timer = setTimeout(() => void this.#lookAgain(), lookEveryMs).unref();
  }

  async #lookAgain(): Promise<void> {
    this.#timer = undefined;
    const before = JSON.stringify(this.#seen);
    const now = JSON.stringify(await this.look());
    if (now !== before) for (const changed of [...this.#watchers]) changed();
    // The next question follows the last answer, however long that took.
    if (this.#watchers.size > 0) this.#lookLater();
    else this.#isWatching = false;
  }
}
