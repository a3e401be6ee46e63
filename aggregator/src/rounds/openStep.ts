import { type ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import type { SiteStepState } from "@consilium/core/operator/views";
import type { StepRecord } from "./records.js";

/** How one site stands in the step that is open. */
export interface SiteProgress {
  state: SiteStepState;
  fraction: number;
  receivedBytes: number;
  expectedBytes: number;
}

/**
 * The step that a study waits in: who is still missing, until when, and what then. It settles once: when every site
 * has answered, when the deadline passes, or when something ends it.
 */
export class OpenStep {
  readonly id: StageId;
  readonly kind: StepRecord["kind"];
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly sites = new Map<SiteId, SiteProgress>();
  readonly settled: Promise<void>;
  readonly #missing: Set<SiteId>;
  readonly #timer: NodeJS.Timeout;
  #resolve!: () => void;
  #reject!: (error: ConsiliumError) => void;

  constructor(options: {
    readonly id: StageId;
    readonly kind: StepRecord["kind"];
    readonly attempt: number;
    readonly deadlineAt: number;
    readonly now: number;
    readonly sites: readonly SiteId[];
    readonly initial: SiteStepState;
    readonly expectedBytes: number;
    /** Called at the deadline with the sites that are missing; an error ends the step, null completes it. */
    readonly atDeadline: (missing: readonly SiteId[]) => ConsiliumError | null;
  }) {
    this.id = options.id;
    this.kind = options.kind;
    this.attempt = options.attempt;
    this.deadlineAt = options.deadlineAt;
    this.#missing = new Set(options.sites);
    for (const site of options.sites) {
      this.sites.set(site, {
        state: options.initial,
        fraction: 0,
        receivedBytes: 0,
        expectedBytes: options.expectedBytes,
      });
    }
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A step may be ended before anybody waits for it.
    this.settled.catch(() => undefined);
    this.#timer = setTimeout(
      () => {
        // Thrown out of a timer it would end the process, and with it everybody's studies.
        try {
          const error = options.atDeadline([...this.#missing]);
          if (error === null) this.complete();
          else this.fail(error);
        } catch (thrown) {
          this.fail(toConsiliumError(thrown));
        }
      },
      Math.max(0, options.deadlineAt - options.now),
    );
    if (options.sites.length === 0) this.complete();
  }

  isWaitingFor(site: SiteId): boolean {
    return this.#missing.has(site);
  }

  get missing(): readonly SiteId[] {
    return [...this.#missing];
  }

  progress(site: SiteId, change: Partial<SiteProgress>): void {
    const progress = this.sites.get(site);
    if (progress !== undefined) Object.assign(progress, change);
  }

  answered(site: SiteId, state: SiteStepState): void {
    if (!this.#missing.delete(site)) return;
    this.progress(site, { state, fraction: 1 });
    if (this.#missing.size === 0) this.complete();
  }

  complete(): void {
    clearTimeout(this.#timer);
    this.#resolve();
  }

  fail(error: ConsiliumError): void {
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}
