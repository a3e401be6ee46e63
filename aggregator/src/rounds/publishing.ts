import { setTimeout as delay } from "node:timers/promises";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import type { Countersignature } from "@consilium/core/release/countersignature";
import type { StageAttempt } from "@consilium/core/release/statement";
import { err, ok, type Result } from "@consilium/core/result";
import { shownResult, shownResultStep } from "../release/shownResult.js";
import type { OpenStudy } from "./openStudy.js";
import type { FinishedStudy } from "./runContext.js";

/** Pauses between attempts to reach a publisher that does not answer; longer ones where its disk is full. */
const depositRetryMs = 2_000;
const longestRetryMs = 30_000;
const publishStep = "publish" as StageId;
const attempt = 1;

/** Deposits the release. */
export class Publishing {
  readonly #study: OpenStudy;
  /** From the certificate's signature to the publisher's answer. */
  #committing = false;
  #waiting: ConsiliumError | null = null;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /** The publisher may be committing the release: it is too late to cancel. */
  get isCommitting(): boolean {
    return this.#committing;
  }

  /** What the publisher lacks for the release, while the deposit is tried again without a deadline. */
  get waiting(): ConsiliumError | null {
    return this.#waiting;
  }

  async publish(
    result: MethodResult,
    attempts: readonly StageAttempt[],
    countersignatures: readonly Countersignature[],
  ): Promise<void> {
    const study = this.#study;
    const { records, now, log } = study.context;
    records.setStatus(study.id, "publishing");
    const finished: FinishedStudy = {
      record: study.record(),
      document: study.document,
      plan: study.plan,
      roster: study.roster,
      result,
      ...this.#drawn(attempts, countersignatures),
    };
    this.#keepResult(finished);
    const step = study.openStep({
      id: publishStep,
      kind: "deposit",
      attempt,
      sites: [],
      initial: "working",
      whatThen: "the study fails if the publisher still does not answer; it can be resumed when it does",
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
        // It answers, and will take the release: no deadline counts against it.
        deadlineAt = now() + study.document.study.participation.phaseDeadline;
        this.#waiting = new ConsiliumError(
          "DISK_FULL",
          `study ${study.id}: the publisher has no room for the release; the deposit is tried again`,
          { remedy: "free space in the publisher's state folder, which its log names" },
        );
        pauseMs = Math.min(longestRetryMs, 2 * pauseMs);
      } else if (error.code !== "PUBLISHER_UNREACHABLE" && error.code !== "UNREACHABLE") {
        throw error;
      } else if (now() >= deadlineAt) {
        throw new ConsiliumError(
          "PUBLISHER_UNREACHABLE",
          `study ${study.id}: no publisher took the release before the deadline`,
          { remedy: "start the publisher, then `consilium study resume`" },
        );
      } else pauseMs = depositRetryMs;
      log.warn("the release could not be deposited; trying again", { study: study.id }, error);
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

  /** What the operator is shown of the result; the study's files go when it is released. */
  #keepResult(finished: FinishedStudy): void {
    const { id, context } = this.#study;
    if (context.records.result(id, shownResultStep) !== null) return;
    context.records.setResult(id, shownResultStep, { value: JSON.stringify(shownResult(finished.result)) });
  }

  /** What a second deposit must have the same: drawn once. */
  #drawn(
    attempts: readonly StageAttempt[],
    countersignatures: readonly Countersignature[],
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
    return { finishedAt: drawn.finishedAt, countersigned: { attempts, countersignatures, chains } };
  }

  /** Each site's newest certificate that is known: the one that it joined with may have expired since. */
  #chains(): [SiteId, string[]][] {
    const { members, context } = this.#study;
    return members.map(({ site, signingKey, chain }) => {
      const session = context.presence.session(site);
      // A site that has enrolled again speaks with another key than the roster's.
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
