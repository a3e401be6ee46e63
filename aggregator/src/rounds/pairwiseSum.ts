import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import {
  type AggregatorSumContext,
  type AggregatorSumEvent,
  type AggregatorSumRequest,
  type AggregatorSumState,
  awaited,
  minimumToClose,
  openSum,
  requestFor,
  stepAggregator,
} from "@consilium/secure-sum/aggregator";
import type { SumPlace } from "@consilium/secure-sum/transcript";
import type { AttemptPlace } from "./attemptRecords.js";
import type { PreparedEvent } from "./openStep.js";
import type { StudyRecords } from "./records.js";

/** What a site sends for one phase of a sum. */
export type SumPostEvent = Exclude<AggregatorSumEvent, { kind: "close" }>;

/**
 * One attempt at one secure sum: core's state machine with its history in the store. Whatever is accepted is stored
 * before it counts, and opening the same attempt again replays it: the machine then asks for the same, of the same
 * sites, in the same bytes.
 */
export class PairwiseSum {
  readonly place: AttemptPlace;
  readonly #sum: SumPlace;
  readonly #records: StudyRecords;
  #state: AggregatorSumState;
  #broadcastsHash: Sha256 | null;
  /** Who has answered in the present phase. */
  #posted = new Set<SiteId>();
  /** Who answered in the phase before. */
  #before: ReadonlySet<SiteId> = new Set();

  /**
   * @param broadcastsHash - of everything broadcast up to this stage; null while that is not settled: then vectors are
   *   not asked for yet
   */
  constructor(records: StudyRecords, place: AttemptPlace, sum: SumPlace, broadcastsHash: Sha256 | null) {
    this.place = place;
    this.#sum = sum;
    this.#records = records;
    this.#broadcastsHash = broadcastsHash;
    this.#state = openSum(sum);
    records.attempts.begin(place);
    for (const { kind, site, body } of records.attempts.events(place)) {
      const event = { kind, site, ...(fromBytesJson(body) as object) } as AggregatorSumEvent;
      const next = stepAggregator(this.#context, this.#state, event);
      if (!next.ok)
        throw new ConsiliumError(
          "INTERNAL",
          `${this.#words}: what was accepted before is refused in replay`,
          {
            cause: toConsiliumError(next.error),
          },
        );
      this.#moved(event, next.value);
    }
  }

  get state(): AggregatorSumState {
    return this.#state;
  }

  get posted(): ReadonlySet<SiteId> {
    return this.#posted;
  }

  /** Who took part in the phase before this one. */
  get participants(): ReadonlySet<SiteId> {
    return this.#before;
  }

  /** Whose answer in this phase may still come. */
  get missing(): readonly SiteId[] {
    return awaited(this.#context, this.#state).filter((site) => !this.#posted.has(site));
  }

  /** Answers that this phase needs to be closed. */
  get minimum(): number {
    return minimumToClose(this.#context, this.#state);
  }

  set broadcastsHash(hash: Sha256) {
    this.#broadcastsHash = hash;
  }

  request(site: SiteId): AggregatorSumRequest {
    return requestFor(this.#context, this.#state, site);
  }

  /**
   * Checks a site's answer, and changes nothing yet.
   * @returns MESSAGE_UNEXPECTED when it is late, early or a second one; else what is wrong with it
   */
  prepare(event: SumPostEvent): Result<PreparedEvent, ConsiliumError> {
    if (event.kind !== this.#state.phase || this.#posted.has(event.site)) {
      const message = `${this.#words}: ${event.kind} of site ${event.site} came while ${this.#state.phase} is awaited`;
      return err(new ConsiliumError("MESSAGE_UNEXPECTED", message));
    }
    const next = stepAggregator(this.#context, this.#state, event);
    if (!next.ok) return err(toConsiliumError(next.error));
    const from = this.#state;
    return ok({
      store: () => this.#append(event),
      apply: () => {
        if (this.#state !== from) throw new RangeError(`${this.#words}: two answers were prepared at once`);
        this.#moved(event, next.value);
      },
      undo: () => {
        this.#state = from;
        this.#posted.delete(event.site);
      },
    });
  }

  /** No further answers of this phase are taken: below the threshold the attempt has failed then. */
  prepareClose(): Omit<PreparedEvent, "undo"> & { readonly state: AggregatorSumState } {
    const event = { kind: "close" } as const;
    const next = stepAggregator(this.#context, this.#state, event);
    if (!next.ok)
      throw new ConsiliumError("INTERNAL", `${this.#words}: it cannot be closed`, {
        cause: toConsiliumError(next.error),
      });
    return {
      state: next.value,
      store: () => this.#append(event),
      apply: () => this.#moved(event, next.value),
    };
  }

  close(): void {
    const closing = this.prepareClose();
    closing.store();
    closing.apply();
  }

  get #context(): AggregatorSumContext {
    return { place: this.#sum, broadcastsHash: this.#broadcastsHash };
  }

  get #words(): string {
    const { study, stage, attempt } = this.place;
    return `study ${study}, stage ${stage}, attempt ${attempt}`;
  }

  #append(event: AggregatorSumEvent): void {
    const { kind, ...rest } = event;
    const { site = null, ...body } = rest as { site?: SiteId };
    this.#records.attempts.append(this.place, { kind, site, body: toBytesJson(body) });
  }

  #moved(event: AggregatorSumEvent, state: AggregatorSumState): void {
    this.#state = state;
    if (event.kind === "close") {
      this.#before = this.#posted;
      this.#posted = new Set();
    } else this.#posted.add(event.site);
  }
}
