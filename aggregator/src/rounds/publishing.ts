import { setTimeout as delay } from "node:timers/promises";
import { type ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { sentences } from "@consilium/core/said";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { ComputedStudy } from "../release/assemble.js";
import type { CountersignedStudy } from "../release/countersigned.js";
import { publicRefusals } from "../release/refusals.js";
import { shownResult, shownResultStep } from "../release/shownResult.js";
import type { OpenStudy } from "./openStudy.js";
import type { FinishedStudy } from "./runContext.js";

const fault = faults<RoundSays>();
const said = sentences<RoundSays>();

/** Pauses between deposits when the publisher does not answer; longer if its disk is full. */
const depositRetryMs = 2_000;
const longestRetryMs = 30_000;
const publishStep = "publish" as StageId;
const attempt = 1;

/** Deposits the release. */
export class Publishing {
  readonly #study: OpenStudy;
  /** Set from the certificate's signature until the publisher's answer. */
  #committing = false;
  #waiting: ConsiliumError | null = null;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /** The publisher may be committing the release: it is too late to cancel. */
  get isCommitting(): boolean {
    return this.#committing;
  }

  /** The publisher's shortage, while the deposit is retried without a deadline. */
  get waiting(): ConsiliumError | null {
    return this.#waiting;
  }

  async publish(
    computed: ComputedStudy,
    signed: Pick<CountersignedStudy, "statement" | "countersignatures">,
  ): Promise<void> {
    const study = this.#study;
    const { records, now, log } = study.context;
    records.setStatus(study.id, "publishing");
    const finished: FinishedStudy = {
      ...computed,
      record: study.record(),
      plan: study.plan,
      refusals: publicRefusals(records.invited(study.id)),
      ...this.#drawn(signed),
    };
    this.#keepResult(finished);
    const step = study.openStep({
      id: publishStep,
      kind: "deposit",
      attempt,
      sites: [],
      initial: "working",
      deadlineEffect: "the study fails if the publisher still does not answer; it can be resumed later",
      atDeadline: () => null,
    });
    let { deadlineAt } = step;
    let pauseMs = depositRetryMs;
    for (;;) {
      study.throwIfCancelled();
      const deposited = await this.#deposit(finished);
      if (deposited.ok) {
        records.setRelease(study.id, deposited.value.url);
        study.closeStep(publishStep, attempt);
        return;
      }
      const { error } = deposited;
      study.throwIfCancelled();
      this.#waiting = null;
      if (error.code === "DISK_FULL") {
        // It answers and will accept the release: no deadline applies.
        deadlineAt = now() + study.document.study.participation.phaseDeadline;
        const remedy = said("round.free-publisher", {});
        this.#waiting = fault("DISK_FULL", "round.publisher-full", { study: study.id }, { remedy });
        pauseMs = Math.min(longestRetryMs, 2 * pauseMs);
      } else if (error.code !== "PUBLISHER_UNREACHABLE" && error.code !== "UNREACHABLE") {
        throw error;
      } else if (now() >= deadlineAt) {
        const remedy = said("round.start-publisher", {});
        throw fault("PUBLISHER_UNREACHABLE", "round.publisher-late", { study: study.id }, { remedy });
      } else pauseMs = depositRetryMs;
      log.warn("cannot deposit the release; retrying", { study: study.id }, error);
      study.emit("changed");
      await delay(pauseMs, undefined, { signal: study.signal }).catch(() => undefined);
    }
  }

  async #deposit(finished: FinishedStudy): Promise<Result<{ readonly url: string }, ConsiliumError>> {
    const study = this.#study;
    try {
      const { url } = await study.context.publish(finished, study.signal, () => {
        this.#committing = true;
      });
      return ok({ url });
    } catch (thrown) {
      this.#committing = false;
      return err(toConsiliumError(thrown));
    }
  }

  /** Stores the result for the operator's console; the study's files are removed after the release. */
  #keepResult(finished: FinishedStudy): void {
    const { id, context } = this.#study;
    context.records.keepResult(id, shownResultStep, JSON.stringify(shownResult(finished.result)));
  }

  /** Values that a second deposit must repeat: drawn once. */
  #drawn(
    signed: Pick<CountersignedStudy, "statement" | "countersignatures">,
  ): Pick<FinishedStudy, "finishedAt" | "countersigned"> {
    const { id, context } = this.#study;
    const { records, now } = context;
    if (records.result(id, publishStep) === null) {
      const value = JSON.stringify({ finishedAt: now(), chains: this.#chains() });
      records.setResult(id, publishStep, { value });
    }
    const drawn = JSON.parse(records.result(id, publishStep)!.value!) as {
      finishedAt: number;
      chains: [SiteId, string[]][];
    };
    const chains = new Map(
      drawn.chains.map(([site, chain]) => [
        site,
        chain.map((der) => new Uint8Array(Buffer.from(der, "base64"))),
      ]),
    );
    return { finishedAt: drawn.finishedAt, countersigned: { ...signed, chains } };
  }

  /** Each site's newest known certificate: the one that it joined with may have expired. */
  #chains(): [SiteId, string[]][] {
    const { members, context } = this.#study;
    return members.map(({ site, signingKey, chain }) => {
      const session = context.presence.session(site);
      // A site that enrolled again uses another key than the roster's.
      const isSame = session !== null && Buffer.from(session.signingKey).equals(signingKey!);
      return [
        site,
        isSame
          ? session.chain.map((der) => Buffer.from(der).toString("base64"))
          : (JSON.parse(chain!) as string[]),
      ];
    });
  }
}
