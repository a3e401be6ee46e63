import { type ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
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
import type { RoundSays } from "@consilium/words/says/rounds";
import type { AttemptPlace } from "./attemptRecords.js";
import type { PreparedEvent } from "./openStep.js";
import type { StudyRecords } from "./records.js";

const fault = faults<RoundSays>();

/** What a site sends for one phase of a sum. */
export type SumPostEvent = Exclude<AggregatorSumEvent, { kind: "close" }>;

/**
 * One attempt at one secure sum: core's state machine with its history in the store. Accepted messages are stored
 * before they count, and reopening the same attempt replays them: the machine then sends the same requests to the same
 * sites, byte for byte.
 */
export class PairwiseSum {
  readonly place: AttemptPlace;
  readonly #sum: SumPlace;
  readonly #records: StudyRecords;
  #state: AggregatorSumState;
  #broadcastsHash: Sha256 | null;
  /** The sites that answered in the current phase. */
  #posted = new Set<SiteId>();
  /** The sites that answered in the previous phase. */
  #before: ReadonlySet<SiteId> = new Set();

  /**
   * @param broadcastsHash - of all broadcasts up to this stage; null while not fixed: then vectors are not requested
   * yet
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
        throw fault(
          "INTERNAL",
          "round.replay-refused",
          { ...place },
          { cause: toConsiliumError(next.error) },
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

  /** The sites that took part in the previous phase. */
  get participants(): ReadonlySet<SiteId> {
    return this.#before;
  }

  /** The sites that can still answer in this phase. */
  get missing(): readonly SiteId[] {
    return awaited(this.#context, this.#state).filter((site) => !this.#posted.has(site));
  }

  /** The number of answers needed to close this phase. */
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
   * Validates a site's answer without changing the state.
   * @returns MESSAGE_UNEXPECTED if it is late, early or a duplicate; otherwise its error
   */
  prepare(event: SumPostEvent): Result<PreparedEvent, ConsiliumError> {
    if (event.kind !== this.#state.phase || this.#posted.has(event.site)) {
      const [kind, phase] = [nameOf(event.kind), nameOf(this.#state.phase)];
      const params = { ...this.place, kind, site: event.site, phase };
      return err(fault("MESSAGE_UNEXPECTED", "round.unexpected-post", params));
    }
    const next = stepAggregator(this.#context, this.#state, event);
    if (!next.ok) return err(toConsiliumError(next.error));
    const from = this.#state;
    return ok({
      store: () => this.#append(event),
      apply: () => {
        if (this.#state !== from)
          throw new RangeError(`${this.#words}: two answers were prepared concurrently`);
        this.#moved(event, next.value);
      },
      undo: () => {
        this.#state = from;
        this.#posted.delete(event.site);
      },
    });
  }

  /** Closes the phase to further answers: below the threshold the attempt fails. */
  prepareClose(): Omit<PreparedEvent, "undo"> & { readonly state: AggregatorSumState } {
    const event = { kind: "close" } as const;
    const next = stepAggregator(this.#context, this.#state, event);
    if (!next.ok)
      throw fault(
        "INTERNAL",
        "round.not-closable",
        { ...this.place },
        { cause: toConsiliumError(next.error) },
      );
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
