import { sha256 } from "@consilium/core/crypto/hash";
import { ConsiliumError } from "@consilium/core/errors";
import { littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { addDealtMask } from "@consilium/core/secure-sum/dealer";
import {
  beginSetup,
  continueSetup,
  restoreSetup,
  type SetupContext,
  type SetupPost,
  type SetupState,
  storeSetup,
} from "@consilium/core/secure-sum/setup";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { TaskOf, TaskPlace } from "../rpc/toDomain.js";
import { awaited } from "./awaited.js";
import type { Answer, SiteRecords, SiteStudy } from "./records.js";
import type { StageWork } from "./stageWork.js";
import type { StudyFolder } from "./studyFolder.js";
import { type StudyView, type SumStagePlan, sumStages } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

/** Dealt masks have one attempt. */
const onlyAttempt = 1;

/**
 * This site's part in sums under ELFedPCA's dealt masks: the exchange before the first stage, and the vectors. What
 * was answered is stored before it leaves, and sent again as it is.
 */
export class DealtMasks {
  readonly #context: SumsContext;
  readonly #work: StageWork;
  readonly #folder: StudyFolder;

  constructor(context: SumsContext, work: StageWork, folder: StudyFolder) {
    this.#context = context;
    this.#work = work;
    this.#folder = folder;
  }

  async answer(view: StudyView, task: TaskOf<"exchange" | "sum">): Promise<void> {
    if (task.attempt !== onlyAttempt) {
      throw new ConsiliumError(
        "FIELD_INVALID",
        `study ${view.record.id}, step ${task.step}: dealt masks have one attempt`,
      );
    }
    if (task.kind === "exchange") this.#exchange(view, task);
    else await this.#vector(view, task);
  }

  #exchange(view: StudyView, task: TaskOf<"exchange">): void {
    const { outbox, send } = this.#context;
    const { id } = view.record;
    const inputHash = sha256(`${view.roster.hash}\nexchange\n${task.step}\n`);
    const answer = this.#stored(view, task, inputHash) ?? this.#makePost(view, task, inputHash);
    send(outbox.exchangePost(id, task.step, task.attempt, fromBytesJson<SetupPost>(answer.post!)));
  }

  #makePost(view: StudyView, task: TaskOf<"exchange">, inputHash: Sha256): Answer {
    const { records, random, now } = this.#context;
    const { record, plan } = view;
    const position = (plan.setup as readonly string[]).indexOf(task.step);
    if (position === -1)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${record.id} has no exchange ${task.step}`);
    const context = this.#setupContext(view);
    let next: { state: SetupState; post: SetupPost | null };
    if (position === 0) next = beginSetup(context, random);
    else next = unwrap(continueSetup(context, this.#setupState(record), task.deliveries, random));
    if (next.post === null)
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: nothing is to be posted at ${task.step}`,
      );
    const post = toBytesJson(next.post);
    const answer: Answer = {
      kind: "exchange",
      inputHash,
      post,
      bytes: Buffer.byteLength(post),
      sha256: sha256(post),
    };
    const state = this.#sealSetup(record.id, next.state);
    records.saveAnswer(record.id, task.step, task.attempt, answer, now(), state);
    return answer;
  }

  async #vector(view: StudyView, task: TaskOf<"sum">): Promise<void> {
    const { outbox, upload, charges } = this.#context;
    const { id } = view.record;
    const inputHash = sha256(`${view.roster.hash}\nsum\n${task.step}\n${broadcastsHash(task.broadcasts)}`);
    const answer = this.#stored(view, task, inputHash) ?? (await this.#makeVector(view, task, inputHash));
    await awaited(
      upload(
        outbox.maskedVector({
          studyId: id,
          step: task.step,
          attempt: task.attempt,
          path: this.#folder.answer(id, task.step, task.attempt),
          bytes: answer.bytes,
          sha256: answer.sha256,
          transcriptSignature: null,
          nextKeys: null,
          charge: await charges.chargeOf(view, this.#stage(view, task), task.attempt),
        }),
      ),
    );
  }

  async #makeVector(view: StudyView, task: TaskOf<"sum">, inputHash: Sha256): Promise<Answer> {
    const { records, charges, now, log } = this.#context;
    const { record, roster } = view;
    const stage = this.#stage(view, task);
    checkOrder(view, records, stage);
    const setup = this.#ready(view, task);
    const broadcasts = await this.#work.broadcasts(view, stage, task.broadcasts);
    const vector = await this.#work.vector(view, stage, broadcasts, setup.sharedSeed);
    addDealtMask(vector, setup.mask, { roster, stage: stage.id, attempt: task.attempt });
    const bytes = littleEndianBytes(vector);
    await writeFileDurable(this.#folder.answer(record.id, task.step, task.attempt), bytes, { mode: 0o600 });
    const answer: Answer = { kind: "sum", inputHash, post: null, bytes: bytes.length, sha256: sha256(bytes) };
    records.transaction(() => {
      charges.commit(view, stage, task.attempt);
      records.saveAnswer(record.id, task.step, task.attempt, answer, now(), null);
    });
    log.info("a stage was answered", { study: record.id, step: task.step, bytes: bytes.length });
    return answer;
  }

  #stored(view: StudyView, task: TaskPlace, inputHash: Sha256): Answer | null {
    const answer = this.#context.records.answer(view.record.id, task.step, task.attempt);
    if (answer === null || answer.inputHash === inputHash) return answer;
    throw new ConsiliumError(
      "BROADCAST_CHANGED",
      `study ${view.record.id}, step ${task.step}: it was answered for another broadcast before`,
    );
  }

  #stage(view: StudyView, task: TaskPlace): SumStagePlan {
    const stage = sumStages(view.plan).find((one) => one.id === task.step);
    if (stage !== undefined) return stage;
    throw new ConsiliumError(
      "MESSAGE_UNEXPECTED",
      `study ${view.record.id}: its plan has no sum stage ${task.step}`,
    );
  }

  // ---- the setup ----------------------------------------------------------------------------------------------

  /** The setup's end: masks, and the shared seed where there is one. */
  #ready(view: StudyView, task: TaskPlace): Extract<SetupState, { phase: "ready" }> {
    const { record } = view;
    let state = this.#setupState(record);
    if (state.phase !== "ready") {
      state = unwrap(
        continueSetup(this.#setupContext(view), state, task.deliveries, this.#context.random),
      ).state;
      if (state.phase !== "ready") {
        throw new ConsiliumError(
          "MESSAGE_UNEXPECTED",
          `study ${record.id}: stage ${task.step} came before the setup was complete`,
        );
      }
      this.#context.records.saveSetup(record.id, this.#sealSetup(record.id, state));
    }
    return state;
  }

  #setupContext(view: StudyView): SetupContext {
    const { record, plan, roster, self } = view;
    return {
      roster,
      self,
      exchangePrivateKey: this.#context.sealed.open(`exchange ${record.id}`, record.exchangeSecret!),
      signingPrivateKey: this.#context.identity().signingKey,
      needsSharedSeed: plan.setup.includes("reveal"),
    };
  }

  #setupState(record: SiteStudy): SetupState {
    if (record.setup === null) {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: a step came before the setup was begun`,
      );
    }
    return restoreSetup(this.#context.sealed.open(`setup ${record.id}`, record.setup));
  }

  #sealSetup(id: StudyId, state: SetupState): Uint8Array {
    return this.#context.sealed.seal(`setup ${id}`, storeSetup(state));
  }
}

/** Under dealt masks every site answers every stage, so none can be skipped. */
export function checkOrder(
  view: StudyView,
  records: SiteRecords,
  stage: StudyView["plan"]["stages"][number],
): void {
  const { stages } = view.plan;
  const unanswered = stages
    .slice(
      0,
      stages.findIndex((one) => one.id === stage.id),
    )
    .find((one) => records.answer(view.record.id, one.id, onlyAttempt) === null);
  if (unanswered === undefined) return;
  throw new ConsiliumError(
    "MESSAGE_UNEXPECTED",
    `study ${view.record.id}: stage ${stage.id} came before ${unanswered.id}`,
  );
}
