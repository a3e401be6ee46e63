import { type ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { inlineVectorBytes } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import { boundHash, broadcastsHash } from "@consilium/core/study/broadcast";
import type { LedgerStage } from "@consilium/gate/account";
import type { OutboundUpload, SumMessage } from "@consilium/gate/door";
import { type Release, release, releaseUnproved } from "@consilium/gate/release";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AdvertisedKeys, KeysPost, SumPhase } from "@consilium/secure-sum/messages";
import { sumParameters } from "@consilium/secure-sum/parameters";
import type { Roster } from "@consilium/secure-sum/roster";
import {
  abortSite,
  advertise,
  restoreSiteSum,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
  storeSiteSum,
} from "@consilium/secure-sum/site";
import type { AnySaid } from "@consilium/words/said";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import { pause } from "../pause.js";
import { pinnedSurvivors } from "../policy/members.js";
import type { TaskOf, TaskPlace } from "../rpc/toDomain.js";
import { untilAnswerTime } from "./answerTime.js";
import { awaited } from "./awaited.js";
import type { PublishedStudies } from "./publishedStudies.js";
import type { Answer } from "./records.js";
import type { StageWork } from "./stageWork.js";
import type { StudyFolder } from "./studyFolder.js";
import { type StudyView, type SumStagePlan, sumStageAfter, sumStages, trustedLeast } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";
import { demandTogether } from "./together.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

type PairwiseTask = TaskOf<"sumKeys" | "sumShares" | "sum" | "sumSurvivors" | "sumUnmask">;

type KeysMessage = Extract<SumMessage, { kind: "keys" }>;

/** A stage's keys that nobody has seen yet, and whom they were signed for. */
interface DrawnKeys {
  readonly stage: StageId;
  readonly roster: Roster;
  readonly keys: ReturnType<typeof advertise>;
}

/** What rides with a masked vector. */
interface UploadSeal {
  readonly transcriptSignature: Uint8Array;
  readonly nextKeys: KeysPost | null;
}

/**
 * This site's part in secure sums under pairwise masks: drives `secure-sum/src/site.ts`, and sees to it that
 * whatever leaves is stored before, together with the state that follows it. A request that comes again is answered
 * with the same bytes; another one in its place is refused.
 */
export class PairwiseSums {
  readonly #context: SumsContext;
  readonly #work: StageWork;
  readonly #folder: StudyFolder;
  readonly #published: () => Promise<PublishedStudies>;
  /** By study and attempt, the newest state as it was sealed: what the store still has alike is not opened again. */
  readonly #states = new Map<
    StudyId,
    Map<string, { readonly sealed: Uint8Array; readonly state: SiteSumState }>
  >();
  /** Drawn while this site waits; only in memory, and drawn again after a restart. */
  readonly #drawn = new Map<StudyId, DrawnKeys>();

  constructor(
    context: SumsContext,
    work: StageWork,
    folder: StudyFolder,
    published: () => Promise<PublishedStudies>,
  ) {
    this.#context = context;
    this.#work = work;
    this.#folder = folder;
    this.#published = published;
  }

  /** The study is over: its secrets are not kept in memory. */
  forget(id: StudyId): void {
    this.#states.delete(id);
    this.#drawn.delete(id);
  }

  async answer(view: StudyView, task: PairwiseTask): Promise<void> {
    const stage = this.#stage(view, task);
    const newest = this.#context.records.newestAttempt(view.record.id, stage.id);
    if (task.attempt < newest)
      throw this.#fault("MESSAGE_UNEXPECTED", view, task, said("work.attempt-since", { attempt: newest }));
    if (task.attempt > newest && task.kind !== "sumKeys")
      throw this.#fault("MESSAGE_UNEXPECTED", view, task, said("work.not-begun", {}));
    switch (task.kind) {
      case "sumKeys":
        this.#send(view, stage, task.attempt, () => this.#keys(view, stage, task.attempt));
        return;
      case "sumShares":
        this.#share(view, stage, task);
        return;
      case "sum":
        await this.#mask(view, stage, task);
        return;
      case "sumSurvivors":
      case "sumUnmask":
        this.#unmask(view, stage, task);
        await this.#drawAhead(view, stage, task);
    }
  }

  // ---- keys and shares ----------------------------------------------------------------------------------------

  /** An attempt's keys, drawn once. A further attempt ends the ones before it, and is charged anew. */
  #keys(view: StudyView, stage: SumStagePlan, attempt: number): KeysMessage {
    const { records, random, charges } = this.#context;
    const { id } = view.record;
    const before = records.sumPost(id, stage.id, attempt, "keys");
    if (before !== null) return fromBytesJson<KeysMessage>(before.post);
    const drawn = this.#takeDrawn(view, stage, attempt);
    const { state, post } = drawn ?? advertise(this.#machine(view, stage, attempt), random);
    charges.reserveAttempt(view, stage, attempt);
    records.dropSumsBefore(id, stage.id, attempt);
    if (attempt > 1) this.forget(id);
    const inputHash = sha256(`keys ${view.roster.hash}`);
    return this.#made(view, { stage, attempt, inputHash }, state, { kind: "keys", keys: post });
  }

  /** Once the answer has left: the next vector takes along the keys of the sum after it. */
  async #drawAhead(view: StudyView, stage: SumStagePlan, { attempt }: TaskPlace): Promise<void> {
    const next = attempt === 1 ? sumStageAfter(view.plan, stage) : null;
    const after = next === null ? null : sumStageAfter(view.plan, next);
    const { id } = view.record;
    if (after === null || this.#drawn.get(id)?.stage === after.id) return;
    await pause();
    const keys = advertise(this.#machine(view, after, 1), this.#context.random);
    this.#drawn.set(id, { stage: after.id, roster: view.roster, keys });
  }

  /** Given once: no two attempts have the same keys. */
  #takeDrawn(view: StudyView, stage: SumStagePlan, attempt: number): DrawnKeys["keys"] | null {
    const drawn = this.#drawn.get(view.record.id);
    if (drawn?.stage !== stage.id) return null;
    this.#drawn.delete(view.record.id);
    return attempt === 1 && drawn.roster === view.roster ? drawn.keys : null;
  }

  #share(view: StudyView, stage: SumStagePlan, task: TaskOf<"sumShares">): void {
    const before = this.#answered(view, task, "shares", keysHash(task.keys), "KEYS_INVALID");
    const make =
      before === null
        ? this.#sharing(view, stage, task.attempt, task.keys)
        : () => fromBytesJson<SumMessage>(before);
    this.#send(view, stage, task.attempt, make);
  }

  /** Makes the shares, outside of any transaction: a refusal is stored whatever comes of the rest. @returns stores them */
  #sharing(view: StudyView, stage: SumStagePlan, attempt: number, keys: readonly AdvertisedKeys[]) {
    const { state, output } = this.#step(view, stage, attempt, { kind: "keys", keys });
    const message = { kind: "shares", shares: expectOutput(output, "shares").post } as const;
    return () => this.#made(view, { stage, attempt, inputHash: keysHash(keys) }, state, message);
  }

  /** Stores what is to be sent with the state that follows it. */
  #made<M extends SumMessage>(
    view: StudyView,
    of: { readonly stage: SumStagePlan; readonly attempt: number; readonly inputHash: Sha256 },
    state: SiteSumState,
    message: M,
    survivors: readonly SiteId[] | null = null,
  ): M {
    const { stage, attempt, inputHash } = of;
    this.#save(view, stage, attempt, state, survivors);
    const post = { inputHash, post: toBytesJson(message) };
    this.#context.records.saveSumPost(view.record.id, stage.id, attempt, message.kind, post);
    return message;
  }

  /** What is made, and the egress log's line for it, are one durable write; only then does it leave. */
  #send(view: StudyView, stage: SumStagePlan, attempt: number, make: () => SumMessage): void {
    const { records, door, send } = this.#context;
    send(records.transaction(() => door.sumPost(view.record.id, stage.id, attempt, make()).logged()));
  }

  // ---- the masked vector --------------------------------------------------------------------------------------

  async #mask(view: StudyView, stage: SumStagePlan, task: TaskOf<"sum">): Promise<void> {
    const { records, charges, policy, now, upload } = this.#context;
    const askedAt = now();
    const { id } = view.record;
    const inputHash = sha256(
      `${view.roster.hash}\nsum\n${stage.id}\n${broadcastsHash(task.broadcasts)}\n`,
      toBytesJson(task.shares),
    );
    const answer = records.answer(id, stage.id, task.attempt);
    if (answer !== null && answer.inputHash !== inputHash)
      throw this.#fault("BROADCAST_CHANGED", view, task, said("work.other-request", {}));
    const outbound =
      answer === null
        ? await this.#makeVector(view, stage, task, inputHash)
        : this.#outbound(view, stage, task.attempt, answer);
    await untilAnswerTime(askedAt, unwrap(policy.read()), now, () => this.#work.isEnding(id));
    await charges.keepHead();
    await awaited(upload(outbound));
  }

  #outbound(
    view: StudyView,
    stage: SumStagePlan,
    attempt: number,
    { bytes, sha256, content = null }: Answer,
  ): OutboundUpload {
    const { records, door } = this.#context;
    const { id } = view.record;
    const seal = fromBytesJson<UploadSeal>(records.sumPost(id, stage.id, attempt, "masked")!.post);
    return door.maskedVector({
      studyId: id,
      step: stage.id,
      attempt,
      path: this.#folder.answer(id, stage.id, attempt),
      bytes,
      sha256,
      content,
      transcriptSignature: seal.transcriptSignature,
      nextKeys: seal.nextKeys,
    });
  }

  async #makeVector(
    view: StudyView,
    stage: SumStagePlan,
    task: TaskOf<"sum">,
    inputHash: Sha256,
  ): Promise<OutboundUpload> {
    const { records, charges, now, log } = this.#context;
    const { id } = view.record;
    const broadcasts = await this.#work.broadcasts(view, stage, task.broadcasts);
    const { state, output } = this.#step(view, stage, task.attempt, {
      kind: "shares",
      deliveries: task.shares,
      broadcastsHash: boundHash(view.planHash, task.broadcasts),
    });
    const { masks, transcriptSignature } = expectOutput(output, "masked");
    const asked = await this.#work.asked(view, { stage, attempt: task.attempt }, broadcasts);
    const charge = charges.chargeOf(id, stage.id, task.attempt);
    const path = this.#folder.answer(id, stage.id, task.attempt);
    const next = task.attempt === 1 ? sumStageAfter(view.plan, stage) : null;
    const isSmall = (content: Uint8Array) => content.length <= inlineVectorBytes(view.roster.members.length);
    const sending = {
      ringBits: stage.ringBits,
      masks,
      keep: async (content: Uint8Array) => {
        if (!isSmall(content)) await writeFileDurable(path, content, { mode: 0o600 });
      },
      // From here on the vector may leave: it is charged, stored, sealed and logged in one durable write.
      commit: (content: Uint8Array) => {
        const kept = isSmall(content) ? content : null;
        const made = { bytes: content.length, sha256: sha256(content), content: kept };
        return records.transaction(() => {
          const begun = next === null ? null : this.#keys(view, next, 1).keys;
          charges.commit(view, stage, task.attempt);
          this.#work.keepAnswered(id);
          const answer: Answer = { kind: "sum", inputHash, post: null, ...made };
          records.saveAnswer(id, stage.id, task.attempt, answer, now(), null);
          this.#save(view, stage, task.attempt, state);
          const seal: UploadSeal = { transcriptSignature, nextKeys: begun };
          records.saveSumPost(id, stage.id, task.attempt, "masked", { inputHash, post: toBytesJson(seal) });
          return this.#outbound(view, stage, task.attempt, answer).logged();
        });
      },
    };
    let outbound: OutboundUpload;
    if (asked === null) {
      const { work } = await this.#published();
      const vector = await work.vector(view, stage, broadcasts, null);
      outbound = await releaseUnproved(vector, { ...charge, ...sending });
    } else outbound = await this.#release(view, stage, { ...asked, ...sending }, charge);
    log.info("a stage was answered", { study: id, step: stage.id, bytes: outbound.bytes });
    return outbound;
  }

  async #release(
    view: StudyView,
    stage: SumStagePlan,
    asked: Omit<Release<OutboundUpload>, "charge">,
    { event, rho, factor }: LedgerStage,
  ): Promise<OutboundUpload> {
    const { minimumSites, tolerateColluding } = view.document.study.participation;
    const sites = view.roster.members.length;
    const sum = sumParameters({ sites, minimumSites, tolerateColluding });
    const sized = stage.noise?.event;
    const noise =
      sized === undefined
        ? null
        : { shareVariance: sized.shareVariance, sites: sized.sites, shares: sized.noiseShares };
    const charge = { event, rho, factor, noise, sum, tolerateColluding };
    const { made, refused } = await release({ ...asked, charge });
    if (refused > 0)
      this.#context.log.error("a method broke what its step allows; these records were left out", {
        study: view.record.id,
        step: stage.id,
        records: refused,
      });
    return made;
  }

  // ---- unmasking ----------------------------------------------------------------------------------------------

  #unmask(view: StudyView, stage: SumStagePlan, task: TaskOf<"sumSurvivors" | "sumUnmask">): void {
    const { records } = this.#context;
    const { id } = view.record;
    const asked: SumPhase = task.kind === "sumSurvivors" ? "survivors" : "unmask";
    const inputHash = sha256(
      `${asked}\n`,
      toBytesJson(task.survivors),
      toBytesJson(task.kind === "sumUnmask" ? task.signatures : []),
      toBytesJson(task.nextKeys),
    );
    // Asked for survivors, a site answers at once when nobody is missing: that answer is an unmask post.
    for (const phase of [asked, "unmask"] as const) {
      const post = records.sumPost(id, stage.id, task.attempt, phase);
      if (post?.inputHash !== inputHash) continue;
      this.#send(view, stage, task.attempt, () => fromBytesJson<SumMessage>(post.post));
      return;
    }
    const survivors = task.survivors.map((one) => one.site);
    this.#checkSurvivors(view, stage, task, survivors);
    const message: SiteSumMessage =
      task.kind === "sumSurvivors"
        ? { kind: "survivors", survivors: task.survivors }
        : { kind: "unmask", survivors: task.survivors, signatures: task.signatures };
    const { state, output } = this.#step(view, stage, task.attempt, message);
    const place = { stage, attempt: task.attempt, inputHash };
    if (output.kind === "survivors") {
      this.#send(view, stage, task.attempt, () => this.#made(view, place, state, output, survivors));
      return;
    }
    const unmask = expectOutput(output, "unmask").post;
    const next = task.attempt === 1 && task.nextKeys.length > 0 ? sumStageAfter(view.plan, stage) : null;
    const sharing = next === null ? null : this.#sharing(view, next, 1, task.nextKeys);
    this.#send(view, stage, task.attempt, () => {
      const nextShares = sharing === null ? null : sharing().shares;
      return this.#made(view, place, state, { kind: "unmask", unmask, nextShares }, survivors);
    });
  }

  /** Another survivor set than the one that was signed or answered has its own code, whatever came with it. */
  #checkSurvivors(view: StudyView, stage: SumStagePlan, task: TaskPlace, survivors: readonly SiteId[]): void {
    const before = this.#context.records.sum(view.record.id, stage.id, task.attempt)?.survivors ?? null;
    if (before !== null && before.join(" ") !== [...survivors].sort().join(" "))
      throw this.#fault("SURVIVORS_CHANGED", view, task, said("work.other-survivors", {}));
    demandTogether("SUM_THRESHOLD", view, survivors);
    // Where all are trusted, the sum's own machine counts them, and goes no further after a list that is too short.
    if (view.distrusted === 0) return;
    const least = trustedLeast(view.plan, view.document.study);
    const trusted = pinnedSurvivors(survivors, view);
    if (trusted < least) {
      const what = said("work.survivors-unpinned", { trusted, minimum: least });
      throw this.#fault("SUM_THRESHOLD", view, task, what);
    }
  }

  // ---- the machine --------------------------------------------------------------------------------------------

  #stage(view: StudyView, task: TaskPlace): SumStagePlan {
    const stage = sumStages(view.plan).find((one) => one.id === task.step);
    if (stage !== undefined) return stage;
    throw this.#fault("MESSAGE_UNEXPECTED", view, task, said("work.no-sum", {}));
  }

  #machine(view: StudyView, stage: SumStagePlan, attempt: number): SiteSumContext {
    const { minimumSites, tolerateColluding } = view.document.study.participation;
    const sites = view.roster.members.length;
    return {
      place: {
        roster: view.roster,
        stage: stage.id,
        attempt,
        ringBits: stage.ringBits,
        length: stage.length,
        parameters: sumParameters({ sites, minimumSites, tolerateColluding }),
      },
      self: view.self,
      signingKey: this.#context.identity().signingKey,
      exchange: view.exchange,
      distrusted: view.distrusted,
      tolerateColluding,
      requiredSurvivors: this.#requiredSurvivors(view),
    };
  }

  /**
   * Without noise, two sums over different sites show what the sites between them have: a site that has once answered
   * for a list of survivors answers for no other in the whole study.
   */
  #requiredSurvivors(view: StudyView): readonly SiteId[] | null {
    const exact = new Set(
      sumStages(view.plan)
        .filter((stage) => stage.noise === null)
        .map((stage) => stage.id as string),
    );
    if (exact.size === 0) return null;
    const sets = this.#context.records.survivorSets(view.record.id);
    return sets.find((set) => exact.has(set.stage))?.survivors ?? null;
  }

  #step(
    view: StudyView,
    stage: SumStagePlan,
    attempt: number,
    message: SiteSumMessage,
  ): { state: SiteSumState; output: SiteSumOutput } {
    const { records, sealed, random } = this.#context;
    const stored = records.sum(view.record.id, stage.id, attempt)?.state ?? null;
    if (stored === null) {
      const place = { step: stage.id, attempt };
      throw this.#fault("MESSAGE_UNEXPECTED", view, place, said("work.attempt-over", {}));
    }
    const place = sealPlace(view, stage.id, attempt);
    const known = this.#states.get(view.record.id)?.get(place);
    const isKnown = known !== undefined && Buffer.compare(known.sealed, stored) === 0;
    const state = isKnown ? known.state : restoreSiteSum(sealed.open(place, stored));
    const next = stepSite(this.#machine(view, stage, attempt), state, message, random);
    if (next.ok) return next.value;
    // What was refused once stays refused: nothing further of this attempt leaves.
    this.#save(view, stage, attempt, abortSite(next.error));
    throw toConsiliumError(next.error);
  }

  #save(
    view: StudyView,
    stage: SumStagePlan,
    attempt: number,
    state: SiteSumState,
    survivors: readonly SiteId[] | null = null,
  ): void {
    const { records, sealed } = this.#context;
    const place = sealPlace(view, stage.id, attempt);
    const bytes = sealed.seal(place, storeSiteSum(state));
    const states = this.#states.get(view.record.id) ?? new Map();
    this.#states.set(view.record.id, states);
    states.delete(place);
    if (state.phase !== "answered" && state.phase !== "aborted") states.set(place, { sealed: bytes, state });
    const sorted = survivors === null ? null : [...survivors].sort();
    records.saveSum(view.record.id, stage.id, attempt, { state: bytes, survivors: sorted });
  }

  /** The stored post for exactly this request; null when the phase was not answered yet. */
  #answered(
    view: StudyView,
    task: TaskPlace,
    phase: SumPhase,
    inputHash: Sha256,
    code: ErrorCode,
  ): string | null {
    const post = this.#context.records.sumPost(view.record.id, task.step, task.attempt, phase);
    if (post === null) return null;
    if (post.inputHash === inputHash) return post.post;
    throw this.#fault(code, view, task, said("work.phase-otherwise", { phase: nameOf(phase) }));
  }

  #fault(
    code: ErrorCode,
    view: StudyView,
    task: Pick<TaskPlace, "step" | "attempt">,
    what: AnySaid,
  ): ConsiliumError {
    const { step: stage, attempt } = task;
    return fault(code, "work.attempt", { study: view.record.id, stage, attempt, what });
  }
}

function expectOutput<K extends SiteSumOutput["kind"]>(
  output: SiteSumOutput,
  kind: K,
): Extract<SiteSumOutput, { kind: K }> {
  if (output.kind !== kind) throw new RangeError(`a sum's machine answered ${output.kind}, not ${kind}`);
  return output as Extract<SiteSumOutput, { kind: K }>;
}

function keysHash(keys: readonly AdvertisedKeys[]): Sha256 {
  return sha256("consilium keys\n", toBytesJson([...keys]));
}

function sealPlace(view: StudyView, stage: StageId, attempt: number): string {
  return `sum ${view.record.id} ${stage} ${attempt}`;
}
