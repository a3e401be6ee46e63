import { type ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import type { SiteStepState } from "@consilium/core/operator/views";
import type { After } from "@consilium/runtime/after";
import type { Upload } from "../rpc/toDomain.js";
import type { StepRecord } from "./records.js";
import type { TaskRequest } from "./taskFrames.js";

/** A site's progress in the open step. */
interface SiteProgress {
  state: SiteStepState;
  /** When it was first asked, milliseconds since 1970 by our clock; null until it is connected. */
  workingSince: number | null;
  receivedBytes: number;
  expectedBytes: number;
  /** Why the site could not answer. */
  code: ErrorCode | null;
}

/** A step's requests to the sites, and the handling of their answers. */
export interface StepDuties {
  /** Built from stored data only, so that a reconnecting site receives the same request. */
  readonly ask: (site: SiteId) => TaskRequest;
  /** A site cannot answer. Without this the study fails. */
  readonly onFault?: (site: SiteId, code: ErrorCode) => void;
  readonly uploads?: UploadDuties;
}

/** Handles a site's vector or rows, besides storing the bytes. */
export interface UploadDuties {
  readonly kind: "sum" | "rows";
  /**
   * Validates an upload before its first byte, and again after its last. The returned event is stored in the
   * transaction that marks the upload complete, and applied with it.
   * @throws ConsiliumError if this upload is not expected
   */
  readonly take: (site: SiteId, upload: Upload) => PreparedEvent;
  /** An upload is stored and counts. @param content - of a small vector, null of one in a file */
  readonly counted?: (site: SiteId, content: Uint8Array | null) => void;
}

/** A validated answer: `store` it durably, and `apply` it; `undo` reverts an applied event that was not stored. */
export interface PreparedEvent {
  store(): void;
  apply(): void;
  undo(): void;
}

/** For an answer of which only the bytes are stored. */
export const nothingMore: PreparedEvent = {
  store: () => undefined,
  apply: () => undefined,
  undo: () => undefined,
};

const afterMs: After = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};
/** A timer beyond 2^31 - 1 ms, some 24.8 days, fires at once. */
const timerMostMs = 2_000_000_000;

/** An answer waits so long for the others', to be stored with them. */
const arrivalsMs = 50;

/**
 * The step that a study waits in: missing sites, deadline, and what happens then. It settles once: when every site has
 * answered, when the deadline passes, or when it is ended.
 */
export class OpenStep {
  readonly id: StageId;
  /** The step's name on the wire: the phases of a sum have the name of their stage. */
  readonly wireStep: StageId;
  readonly kind: StepRecord["kind"];
  readonly attempt: number;
  #deadlineAt: number;
  /** What happens at the deadline, in words. */
  readonly deadlineEffect: string;
  readonly duties: StepDuties | null;
  readonly sites = new Map<SiteId, SiteProgress>();
  readonly settled: Promise<void>;
  readonly #missing: Set<SiteId>;
  /** Of those, the sites whose answers have come and are being stored. */
  readonly #arrived = new Set<SiteId>();
  readonly #atDeadline: (missing: readonly SiteId[]) => ConsiliumError | null;
  readonly #after: After;
  #cancelTimer: () => void = () => undefined;
  #isOver = false;
  #resolve!: () => void;
  #reject!: (error: ConsiliumError) => void;

  constructor(options: {
    readonly id: StageId;
    /** The same as `id` unless given. */
    readonly wireStep?: StageId;
    readonly kind: StepRecord["kind"];
    readonly attempt: number;
    readonly deadlineAt: number;
    readonly deadlineEffect?: string;
    readonly duties?: StepDuties | null;
    readonly now: number;
    readonly after?: After | undefined;
    readonly sites: readonly SiteId[];
    readonly initial: SiteStepState;
    readonly expectedBytes: number;
    /** Called at the deadline with the sites that are missing; an error ends the step, null completes it. */
    readonly atDeadline: (missing: readonly SiteId[]) => ConsiliumError | null;
  }) {
    this.id = options.id;
    this.wireStep = options.wireStep ?? options.id;
    this.deadlineEffect = options.deadlineEffect ?? "";
    this.duties = options.duties ?? null;
    this.kind = options.kind;
    this.attempt = options.attempt;
    this.#deadlineAt = options.deadlineAt;
    this.#atDeadline = options.atDeadline;
    this.#after = options.after ?? afterMs;
    this.#missing = new Set(options.sites);
    for (const site of options.sites) {
      this.sites.set(site, {
        state: options.initial,
        workingSince: null,
        receivedBytes: 0,
        expectedBytes: options.expectedBytes,
        code: null,
      });
    }
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A step may end before anything awaits it.
    this.settled.catch(() => undefined);
    this.#await(options.now);
    if (options.sites.length === 0) this.complete();
  }

  get deadlineAt(): number {
    return this.#deadlineAt;
  }

  /** Moves the deadline of a step that has not settled. */
  extend(deadlineAt: number, now: number): void {
    if (this.#isOver) return;
    this.#deadlineAt = deadlineAt;
    this.#cancelTimer();
    this.#await(now);
  }

  #await(now: number): void {
    const leftMs = Math.max(0, this.#deadlineAt - now);
    this.#cancelTimer = this.#after(Math.min(leftMs, timerMostMs), () => {
      if (leftMs > timerMostMs) this.#await(now + timerMostMs);
      else this.#expire();
    });
  }

  #expire(): void {
    // An exception in a timer would end the process, and with it all studies.
    try {
      const error = this.#atDeadline([...this.#missing]);
      if (error === null) this.complete();
      else this.fail(error);
    } catch (thrown) {
      this.fail(toConsiliumError(thrown));
    }
  }

  /** No site is awaited once the step has settled. */
  isWaitingFor(site: SiteId): boolean {
    return !this.#isOver && this.#missing.has(site);
  }

  get missing(): readonly SiteId[] {
    return [...this.#missing];
  }

  progress(site: SiteId, change: Partial<SiteProgress>): void {
    const progress = this.sites.get(site);
    if (progress !== undefined) Object.assign(progress, change);
  }

  /** A site that was asked before, over another connection, is at work since then. */
  asked(site: SiteId, at: number): void {
    const progress = this.sites.get(site);
    if (progress !== undefined) progress.workingSince ??= at;
  }

  /**
   * An answer has come. @returns how long it may wait to be stored with others: not at all once every site's has come. Nothing
   * was acknowledged, and after a crash the site is asked again.
   */
  arrived(site: SiteId): number {
    if (this.#missing.has(site)) this.#arrived.add(site);
    return this.#arrived.size === this.#missing.size ? 0 : arrivalsMs;
  }

  /** @param code - why the site has not answered, if `state` says so */
  answered(site: SiteId, state: SiteStepState, code: ErrorCode | null = null): void {
    if (!this.#missing.delete(site)) return;
    this.#arrived.delete(site);
    this.progress(site, { state, code });
    if (this.#missing.size === 0) this.complete();
  }

  complete(): void {
    this.#settle();
    this.#resolve();
  }

  fail(error: ConsiliumError): void {
    this.#settle();
    this.#reject(error);
  }

  #settle(): void {
    this.#isOver = true;
    this.#cancelTimer();
  }
}
