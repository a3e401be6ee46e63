import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { stageUploadBytes } from "@consilium/core/study/plan";
import { postFault } from "@consilium/secure-sum/setup";
import type { SetupStep } from "@consilium/secure-sum/setupSteps";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { SiteMessage } from "../rpc/toDomain.js";
import { nothingMore } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";
import { sumOfUploads } from "./sumOfUploads.js";
import { deliveriesFor } from "./taskFrames.js";

const fault = faults<RoundSays>();

/** Dealt masks can only be used once: a stage has a single attempt, which may be re-sent but not repeated. */
const attempt = 1;
const deadlineEffect = "the study fails and lists the missing sites; it can be resumed when they are back";

/** Sums under dealt masks, and the exchanges before them: every site on the roster must answer. */
export class DealtStages {
  readonly #study: OpenStudy;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  async exchange(id: StageId): Promise<void> {
    const study = this.#study;
    const { records } = study.context;
    const posted = new Set(records.posts(study.id, id, attempt).map((p) => p.site));
    // A crash may have happened between the last post and the step's end.
    if (posted.size === study.members.length) {
      study.closeStep(id, attempt);
      return;
    }
    const step = study.openStep({
      id,
      kind: "exchange",
      attempt,
      ...this.#missing(posted),
      initial: "working",
      deadlineEffect,
      atDeadline: missedDeadline(study, id),
      duties: {
        ask: (site) => ({ kind: "exchange", exchange: {}, deliveries: this.#deliveries(site, id) }),
      },
    });
    await study.wait(step);
    study.closeStep(id, attempt);
  }

  async sum(id: StageId, broadcast: Broadcast): Promise<BigUint64Array> {
    const study = this.#study;
    const { records, now } = study.context;
    const stage = study.stage(id, "sum");
    const stored = await study.storedSum(stage);
    if (stored !== null) return stored;
    await study.recordBroadcast(id, broadcast);
    const place = { study: study.id, stage: id, attempt };
    records.attempts.begin(place);
    records.attempts.asked(place, now());
    const uploads = records.uploads(study.id, id, attempt).filter((upload) => upload.complete);
    const broadcasts = study.broadcastsFor(id);
    const step = study.openStep({
      id,
      kind: "sum",
      attempt,
      ...this.#missing(new Set(uploads.map((upload) => upload.site))),
      initial: "working",
      expectedBytes: stageUploadBytes(stage, study.document.study),
      deadlineEffect,
      atDeadline: missedDeadline(study, id),
      duties: {
        ask: (site) => ({ kind: "sum", sum: { broadcasts }, deliveries: this.#deliveries(site, id) }),
        uploads: { kind: "sum", take: () => nothingMore },
      },
    });
    await study.wait(step);
    study.closeStep(id, attempt);
    const running = study.runningSum(stage, attempt);
    return sumOfUploads(study, { place, stage, running, survivors: study.memberSites, corrections: [] });
  }

  posted(site: SiteId, message: Extract<SiteMessage, { kind: "exchangePost" }>): void {
    const study = this.#study;
    const { records, now } = study.context;
    const step = study.open;
    if (step === null || step.kind !== "exchange" || step.id !== message.step || !step.isWaitingFor(site))
      return;
    if (message.attempt !== step.attempt) return;
    const invalid = postFault(study.roster, step.id as string as SetupStep, site, message);
    if (invalid !== null) {
      const params = { study: study.id, step: step.id, site, why: nameOf(invalid) };
      throw fault("FIELD_INVALID", "round.post-invalid", params);
    }
    const envelopes = Object.fromEntries(
      message.envelopes.map(({ to, sealed }) => [to, Buffer.from(sealed).toString("base64")]),
    );
    records.post(study.id, step.id, attempt, {
      site,
      publicPart: message.publicPart,
      signature: message.signature,
      envelopes,
    });
    records.event(now(), "posted", { study: study.id, site, detail: step.id });
    step.answered(site, "done");
    study.emit("changed");
  }

  #deliveries(site: SiteId, id: StageId) {
    const { id: studyId, plan, context } = this.#study;
    return deliveriesFor({ studyId, plan, records: context.records }, site, { id, attempt });
  }

  #missing(done: ReadonlySet<SiteId>) {
    return {
      sites: this.#study.memberSites.filter((site) => !done.has(site)),
      others: new Map([...done].map((site) => [site, "done"] as const)),
    };
  }
}

export function missedDeadline(
  study: OpenStudy,
  id: StageId,
): (missing: readonly SiteId[]) => ConsiliumError {
  return (missing) => fault("PHASE_DEADLINE", "round.step-late", { study: study.id, step: id, missing });
}
