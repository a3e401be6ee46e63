import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import type { StepView } from "@consilium/core/operator/views";
import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { type SumStage, stageUploadBytes } from "@consilium/core/study/plan";
import type { AggregatorSumState } from "@consilium/secure-sum/aggregator";
import type { AdvertisedKeys, SumPhase } from "@consilium/secure-sum/messages";
import { sumParameters } from "@consilium/secure-sum/parameters";
import type { AnySaid } from "@consilium/words/said";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { SiteMessage, Upload } from "../rpc/toDomain.js";
import type { OpenStep, PreparedEvent, StepDuties, UploadDuties } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";
import { PairwiseSum, type SumPostEvent } from "./pairwiseSum.js";
import type { RunningSum } from "./runningSum.js";
import { sumOfUploads } from "./sumOfUploads.js";
import { sumRequest } from "./taskFrames.js";

const fault = faults<RoundSays>();
const said = sentences<RoundSays>();

/** One step per phase; the masked vectors are the stage itself. */
const phaseSteps: Readonly<Record<SumPhase, { readonly suffix: string; readonly kind: StepView["kind"] }>> = {
  keys: { suffix: "-keys", kind: "keys" },
  shares: { suffix: "-shares", kind: "shares" },
  masked: { suffix: "", kind: "sum" },
  survivors: { suffix: "-survivors", kind: "survivors" },
  unmask: { suffix: "-unmask", kind: "unmask" },
};

type Unmasked = Extract<AggregatorSumState, { phase: "unmasked" }>;

/**
 * Sums under pairwise masks: leads the sites through the phases of each sum, continues without dropouts, and adds the
 * survivors' vectors.
 *
 * In a stage's first attempt, the keys and shares of the plan's next sum are piggybacked on its uploads and unmask
 * answers, so that the next stage starts with the masked vectors.
 */
export class PairwiseStages {
  readonly #study: OpenStudy;
  /** The newest loaded attempt at each stage. */
  readonly #sums = new Map<StageId, PairwiseSum>();
  #present: { readonly sum: PairwiseSum; readonly stage: SumStage } | null = null;
  /** Of the vectors of one attempt. */
  #running: { readonly of: PairwiseSum; readonly sum: RunningSum } | null = null;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /** Of the newest sum that this process has made, which may not be stored yet; null before the first. */
  newestSurvivors: readonly SiteId[] | null = null;

  /** Broadcasts, and returns the sum of the survivors' vectors. A stored sum is not requested again. */
  async sum(id: StageId, broadcast: Broadcast): Promise<BigUint64Array> {
    const study = this.#study;
    const { records, now, log } = study.context;
    const stage = study.stage(id, "sum");
    const stored = await study.storedSum(stage);
    if (stored !== null) {
      this.newestSurvivors = records.attempts.lastSurvivors(study.id, [id]);
      return stored;
    }
    const recordBroadcast = await study.broadcastRecord(id, broadcast);
    const { sum, step } = records.transaction(() => {
      recordBroadcast();
      const begun = this.#begin(stage);
      return { sum: begun, step: this.#open(begun, stage) };
    });
    this.#present = { sum, stage };
    const { state, store } = await this.#lead(sum, stage, step);
    const { survivors, faulty, corrections } = state;
    for (const site of faulty) {
      // The sum is correct without them, but their hospital should check its agent.
      log.warn("a site revealed inconsistent shares", { study: study.id, site, stage: id });
      records.event(now(), "faulty", { study: study.id, site, detail: id });
    }
    const running = this.#runningSum(sum, stage);
    const of = { place: sum.place, stage, running, survivors, corrections };
    const total = await sumOfUploads(study, of, store);
    this.newestSurvivors = survivors;
    this.#running = null;
    this.#present = null;
    this.#sums.delete(id);
    return total;
  }

  // ---- attempts -------------------------------------------------------------------------------------------------

  /** The stage's newest attempt, or its first. */
  #begin(stage: SumStage): PairwiseSum {
    const { id, context, files, memberSites } = this.#study;
    const newest = context.records.attempts.newest(id, stage.id);
    // The process ended between the attempt's failure and the study's.
    if (newest?.failure) throw new ConsiliumError(newest.failure.code, newest.failure.message);
    const sum = this.#attempt(stage, newest?.attempt ?? 1);
    // Every attempt before it may be charged, and takes room in the certificate.
    if (sum.place.attempt > 1) this.#study.demandCertificate([sum.place]);
    // Vectors of a failed attempt stay masked permanently.
    for (let old = 1; old < sum.place.attempt; old++) {
      context.records.dropContents(id, stage.id, old);
      files.removeUploads(stage.id, old, memberSites);
    }
    sum.broadcastsHash = this.#study.boundHash;
    if (sum.state.phase !== "shares" || this.#hasStep(sum, "keys")) return sum;
    // Keys and shares were piggybacked on the previous stage.
    if (sum.posted.size < this.#needed(sum)) return this.#beginAfresh(sum, stage);
    sum.close();
    return sum;
  }

  /** Sites share under one list of keys per attempt: if too few have shared, a new list needs a new attempt. */
  #beginAfresh({ place }: PairwiseSum, stage: SumStage): PairwiseSum {
    const { records } = this.#study.context;
    const next = { ...place, attempt: place.attempt + 1 };
    records.transaction(() => {
      const message = `study ${place.study}, stage ${place.stage}: too few shares were piggybacked on the previous stage`;
      records.attempts.fail(place, { code: "SUM_THRESHOLD", message });
      records.attempts.begin(next);
    });
    this.#study.context.meter?.attemptEnded("failed");
    this.#sums.delete(stage.id);
    const sum = this.#attempt(stage, next.attempt);
    sum.broadcastsHash = this.#study.boundHash;
    return sum;
  }

  #attempt(stage: SumStage, attempt: number): PairwiseSum {
    const known = this.#sums.get(stage.id);
    if (known?.place.attempt === attempt) return known;
    const { id, document, roster, context } = this.#study;
    const { minimumSites, tolerateColluding } = document.study.participation;
    const sites = roster.members.length;
    // Vectors are requested once the stage has started, and then its broadcasts are the newest.
    const hash = this.#hasStepOf(stage.id, attempt) ? this.#study.boundHash : null;
    const sum = new PairwiseSum(
      context.records,
      { study: id, stage: stage.id, attempt },
      {
        roster,
        stage: stage.id,
        attempt,
        ringBits: stage.ringBits,
        length: stage.length,
        parameters: sumParameters({ sites, minimumSites, tolerateColluding }),
      },
      hash,
    );
    this.#sums.set(stage.id, sum);
    return sum;
  }

  #hasStep(sum: PairwiseSum, phase: SumPhase): boolean {
    return this.#hasStepOf(`${sum.place.stage}${phaseSteps[phase].suffix}` as StageId, sum.place.attempt);
  }

  #hasStepOf(step: StageId, attempt: number): boolean {
    const { id, context } = this.#study;
    return context.records.step(id, step, attempt) !== null;
  }

  #runningSum(of: PairwiseSum, stage: SumStage): RunningSum {
    if (this.#running?.of !== of)
      this.#running = { of, sum: this.#study.runningSum(stage, of.place.attempt) };
    return this.#running.sum;
  }

  // ---- phases ---------------------------------------------------------------------------------------------------

  /** @returns how the last phase ended, and what stores that: with the sum, which a replay comes to again from the answers */
  async #lead(
    sum: PairwiseSum,
    stage: SumStage,
    first: OpenStep | null,
  ): Promise<{ readonly state: Unmasked; readonly store: () => void }> {
    const study = this.#study;
    const { records } = study.context;
    for (let step = first; ; ) {
      const { state } = sum;
      if (state.phase === "unmasked") return { state, store: () => undefined };
      if (state.phase === "failed") throw this.#fail(sum, toConsiliumError(state.error));
      if (step === null) {
        const place = { id: this.#stepId(sum), attempt: sum.place.attempt };
        throw this.#fail(sum, this.#goneFault(sum, stage, place));
      }
      study.ask(step);
      await study.wait(step);
      const { id, attempt } = step;
      if (state.phase === "unmask") {
        const closing = sum.prepareClose();
        const store = () => study.closeStep(id, attempt, closing.store);
        if (closing.state.phase === "unmasked") return { state: closing.state, store };
      }
      // The end of one phase and the beginning of the next are one durable write.
      step = records.transaction(() => {
        study.closeStep(id, attempt, () => {
          if (state.phase === "masked") this.#closeMasked(sum, stage);
          else sum.close();
        });
        return this.#open(sum, stage);
      });
    }
  }

  #stepId(sum: PairwiseSum): StageId {
    const { phase } = sum.state;
    const suffix = phase === "unmasked" || phase === "failed" ? "" : phaseSteps[phase].suffix;
    return `${sum.place.stage}${suffix}` as StageId;
  }

  /** Opens the step of the present phase, in the caller's transaction; null where there is none, or too few sites can answer it. */
  #open(sum: PairwiseSum, stage: SumStage): OpenStep | null {
    const study = this.#study;
    const { records, now } = study.context;
    const { attempt } = sum.place;
    const { phase } = sum.state;
    if (phase === "unmasked" || phase === "failed") return null;
    const required = this.#required();
    const missing = sum.missing.filter((site) => required === null || required.has(site));
    const needed = this.#needed(sum);
    const reachable = missing.length + sum.posted.size;
    if (reachable < needed) return null;
    const step = study.beginStep({
      id: this.#stepId(sum),
      wireStep: stage.id,
      kind: phaseSteps[phase].kind,
      attempt,
      sites: missing,
      others: study.standing(missing, sum.posted),
      initial: "working",
      expectedBytes: phase === "masked" ? stageUploadBytes(stage, study.document.study) : 0,
      deadlineEffect:
        needed >= reachable
          ? `all ${reachable} sites must answer; otherwise the study fails, and can be resumed with a new attempt`
          : `the sum continues without them if at least ${needed} of ${reachable} have answered; otherwise the study fails, and can be resumed with a new attempt`,
      atDeadline: (late) => {
        if (sum.posted.size < this.#needed(sum))
          return this.#fail(sum, this.#lateFault(sum, stage, step, late));
        for (const site of late) study.dropped(step, site, null);
        return null;
      },
      duties: this.#duties(sum, stage, phase),
      alongside: () => {
        if (phase !== "masked") return;
        records.attempts.asked(sum.place, now());
        // Its attempt is begun here, and not in a commit of its own when the first keys come.
        this.#piggybackedSum(sum, stage);
      },
    });
    return step;
  }

  /** The received vectors and the piggybacked keys of the next sum are fixed together. */
  #closeMasked(sum: PairwiseSum, stage: SumStage): void {
    const { records } = this.#study.context;
    const survivors = [...sum.posted];
    const closing = sum.prepareClose();
    const next = this.#piggybackedSum(sum, stage);
    const riding =
      next?.state.phase === "keys" && next.posted.size >= next.minimum ? next.prepareClose() : null;
    records.transaction(() => {
      closing.store();
      riding?.store();
      if (closing.state.phase !== "failed") records.attempts.setSurvivors(sum.place, survivors);
    });
    closing.apply();
    riding?.apply();
  }

  #duties(sum: PairwiseSum, stage: SumStage, phase: SumPhase): StepDuties {
    const broadcasts = phase === "masked" ? this.#study.broadcastsFor(stage.id) : [];
    return {
      ask: (site) =>
        sumRequest(sum.request(site), {
          broadcasts,
          nextKeys: phase === "unmask" ? this.#nextKeys(sum, stage, site) : [],
        }),
      onFault: (site, code) => this.#without(sum, stage, site, code),
      ...(phase === "masked" ? { uploads: this.#uploadDuties(sum, stage) } : {}),
    };
  }

  // ---- who can still answer ---------------------------------------------------------------------------------------

  /**
   * Without noise, sums over two sets of sites reveal their difference: once sites have seen a list of survivors for
   * such a sum, they answer for no other list in the whole study.
   */
  #required(): ReadonlySet<SiteId> | null {
    const { id, plan, context } = this.#study;
    const exact = plan.stages.filter((stage) => stage.kind === "sum" && stage.noise === null);
    const attempts = exact.length === 0 ? [] : context.records.attempts.all(id);
    for (const stage of exact) {
      const settled = attempts.find((one) => one.stage === stage.id && one.survivors !== null);
      if (settled !== undefined) return new Set(settled.survivors);
    }
    return null;
  }

  /** The number of answers needed to close this phase. */
  #needed(sum: PairwiseSum): number {
    const { phase } = sum.state;
    const settlesSurvivors = phase === "keys" || phase === "shares" || phase === "masked";
    const required = settlesSurvivors ? (this.#required()?.size ?? 0) : 0;
    return Math.max(required, sum.minimum);
  }

  #isOf(sum: PairwiseSum, step: OpenStep): boolean {
    return step.wireStep === sum.place.stage && step.attempt === sum.place.attempt;
  }

  /** The site cannot answer this phase: the sum continues while enough others can. */
  #without(sum: PairwiseSum, stage: SumStage, site: SiteId, code: ErrorCode): void {
    const step = this.#study.open;
    if (step === null || !this.#isOf(sum, step) || !step.isWaitingFor(site)) return;
    this.#study.dropped(step, site, code);
    // A site whose post is being stored counts as posted and, until stored, also as missing.
    const others = new Set([...sum.posted, ...step.missing]);
    others.delete(site);
    step.progress(site, { state: "dropped", code });
    if (others.size < this.#needed(sum)) {
      step.fail(this.#fail(sum, this.#goneFault(sum, stage, step)));
    } else step.answered(site, "dropped", code);
    this.#study.emit("changed");
  }

  // ---- failing ----------------------------------------------------------------------------------------------------

  /** A failed attempt stays failed: continuing needs a new attempt. */
  #fail(sum: PairwiseSum, error: ConsiliumError): ConsiliumError {
    const { records, meter } = this.#study.context;
    records.attempts.fail(sum.place, { code: error.code, message: error.message });
    meter?.attemptEnded("failed");
    return error;
  }

  #lateFault(sum: PairwiseSum, stage: SumStage, step: OpenStep, late: readonly SiteId[]): ConsiliumError {
    return fault("PHASE_DEADLINE", "round.sum-late", {
      study: this.#study.id,
      step: step.id,
      answered: sum.posted.size,
      needed: this.#needed(sum),
      late,
      gone: this.#droppedIn(step).map(withoutIt),
      resuming: this.#resuming(sum, stage),
    });
  }

  #droppedIn(step: { readonly id: StageId; readonly attempt: number }) {
    const { id, context } = this.#study;
    return context.records.attempts
      .dropouts(id)
      .filter((one) => one.step === step.id && one.attempt === step.attempt);
  }

  #goneFault(
    sum: PairwiseSum,
    stage: SumStage,
    step: { readonly id: StageId; readonly attempt: number },
  ): ConsiliumError {
    const dropouts = this.#droppedIn(step);
    const changed = dropouts.filter((one) => one.code === "SURVIVORS_CHANGED");
    const params = { study: this.#study.id, step: step.id, needed: this.#needed(sum) };
    if (changed.length > 0) {
      const sites = changed.map((one) => one.site);
      const remedy = said("round.reconnect", {});
      return fault("SURVIVORS_CHANGED", "round.survivors-changed", { ...params, sites }, { remedy });
    }
    const [gone, resuming] = [dropouts.map(withoutIt), this.#resuming(sum, stage)];
    return fault("SITE_FAILED", "round.sum-gone", { ...params, gone, resuming });
  }

  /** The cost of resuming: a site is charged before it sends its vector's first byte. */
  #resuming(sum: PairwiseSum, stage: SumStage): AnySaid {
    const { phase } = sum.state;
    const next = { attempt: sum.place.attempt + 1 };
    if (phase === "keys" || phase === "shares") return said("round.resumes", next);
    return said(stage.noise === null ? "round.resumes-charged" : "round.resumes-noised", next);
  }

  // ---- answers ----------------------------------------------------------------------------------------------------

  /** A post that is late, or for another attempt, is ignored; an invalid one excludes its site from this phase. */
  async posted(site: SiteId, message: Extract<SiteMessage, { kind: "sumPost" }>): Promise<void> {
    const present = this.#present;
    const step = this.#study.open;
    if (present === null || step === null || !this.#isOf(present.sum, step)) return;
    if (message.step !== step.wireStep || message.attempt !== step.attempt) return;
    const { sum, stage } = present;
    const { post } = message;
    const { records, now, log } = this.#study.context;
    // The signatures are verified while the others' answers are awaited, and remembered when this one is stored.
    this.#verify(present, site, post);
    const taken = await records.together((onUndo) => {
      if (!step.isWaitingFor(site) || sum.posted.has(site) || post.kind !== sum.state.phase) return null;
      const prepared = sum.prepare(eventOf(site, post));
      if (!prepared.ok) return prepared;
      const shares = post.kind === "unmask" ? post.nextShares : null;
      const next =
        shares === null ? null : this.#preparePiggybacked(sum, stage, { kind: "shares", site, post: shares });
      const all = together(prepared.value, next);
      all.store();
      records.event(now(), "posted", { study: this.#study.id, site, detail: step.id });
      all.apply();
      onUndo(() => all.undo());
      return prepared;
    }, step.arrived(site));
    if (taken === null) return;
    if (taken.ok) {
      step.answered(site, "done");
      this.#study.emit("changed");
      return;
    }
    const { code, message: reason } = taken.error;
    log.warn("rejected a site's post", { study: this.#study.id, site, code, reason });
    this.#without(sum, stage, site, code);
  }

  /** Changes nothing: an answer's verdict is that of the moment when it is stored. */
  #verify(
    { sum, stage }: { readonly sum: PairwiseSum; readonly stage: SumStage },
    site: SiteId,
    post: Extract<SiteMessage, { kind: "sumPost" }>["post"],
  ): void {
    sum.prepare(eventOf(site, post));
    const shares = post.kind === "unmask" ? post.nextShares : null;
    const next = shares === null ? null : this.#piggybackedSum(sum, stage);
    if (shares !== null && next?.state.phase === "shares")
      next.prepare({ kind: "shares", site, post: shares });
  }

  #uploadDuties(sum: PairwiseSum, stage: SumStage): UploadDuties {
    return {
      kind: "sum",
      take: (site, upload) => {
        const { transcriptSignature } = upload;
        if (transcriptSignature === null) {
          const params = { study: this.#study.id, stage: stage.id, site };
          throw fault("FIELD_INVALID", "round.no-transcript", params);
        }
        const masked = sum.prepare({ kind: "masked", site, transcriptSignature });
        if (!masked.ok) throw masked.error;
        return together(masked.value, this.#acceptPiggybacked(sum, stage, site, upload));
      },
      counted: (site, content) => this.#runningSum(sum, stage).came(site, content),
    };
  }

  // ---- piggybacked messages for the next sum ----------------------------------------------------------------------------------

  /** The first attempt at the plan's next sum, while its keys and shares can be piggybacked on this one. */
  #piggybackedSum(sum: PairwiseSum, stage: SumStage): PairwiseSum | null {
    if (sum.place.attempt !== 1) return null;
    const { stages } = this.#study.plan;
    const next = stages
      .slice(stages.indexOf(stage) + 1)
      .find((candidate): candidate is SumStage => candidate.kind === "sum");
    if (next === undefined) return null;
    const known = this.#sums.get(next.id);
    if (known?.place.attempt === 1) return known;
    const newest = this.#study.context.records.attempts.newest(this.#study.id, next.id);
    return newest === null || (newest.attempt === 1 && newest.failure === null)
      ? this.#attempt(next, 1)
      : null;
  }

  #acceptPiggybacked(sum: PairwiseSum, stage: SumStage, site: SiteId, upload: Upload): PreparedEvent | null {
    return upload.nextKeys === null
      ? null
      : this.#preparePiggybacked(sum, stage, { kind: "keys", site, post: upload.nextKeys });
  }

  /** Null if nothing is stored: piggybacked messages are optional, and the answer itself is valid without them. */
  #preparePiggybacked(sum: PairwiseSum, stage: SumStage, event: SumPostEvent): PreparedEvent | null {
    const next = this.#piggybackedSum(sum, stage);
    if (next === null || next.state.phase !== event.kind || next.posted.has(event.site)) return null;
    const prepared = next.prepare(event);
    if (prepared.ok) return prepared.value;
    this.#study.context.log.warn("rejected piggybacked keys", {
      study: this.#study.id,
      site: event.site,
      code: prepared.error.code,
      reason: prepared.error.message,
    });
    return null;
  }

  #nextKeys(sum: PairwiseSum, stage: SumStage, site: SiteId): readonly AdvertisedKeys[] {
    const next = this.#piggybackedSum(sum, stage);
    if (next === null || next.state.phase !== "shares" || !next.participants.has(site)) return [];
    const request = next.request(site);
    return request.kind === "shares" ? request.keys : [];
  }
}

/** A site that a step goes without. @param code - null where it did not answer */
export function withoutIt(of: { readonly site: SiteId; readonly code: ErrorCode | null }): AnySaid {
  return said("round.without", { site: of.site, why: of.code && nameOf(of.code) });
}

function eventOf(site: SiteId, post: Extract<SiteMessage, { kind: "sumPost" }>["post"]): SumPostEvent {
  switch (post.kind) {
    case "keys":
      return { kind: "keys", site, post: post.keys };
    case "shares":
      return { kind: "shares", site, post: post.shares };
    case "survivors":
      return { kind: "survivors", site, signature: post.signature };
    case "unmask":
      return { kind: "unmask", site, post: post.unmask };
  }
}

function together(first: PreparedEvent, second: PreparedEvent | null): PreparedEvent {
  return {
    store: () => {
      first.store();
      second?.store();
    },
    apply: () => {
      first.apply();
      second?.apply();
    },
    undo: () => {
      second?.undo();
      first.undo();
    },
  };
}
