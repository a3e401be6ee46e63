import { faults } from "@consilium/core/fault";
import { littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256 } from "@consilium/core/ids";
import { sentences } from "@consilium/core/said";
import { boundHash, broadcastsHash } from "@consilium/core/study/broadcast";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { addDealtMask } from "@consilium/secure-sum/dealer";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { TaskOf, TaskPlace } from "../rpc/toDomain.js";
import { awaited } from "./awaited.js";
import type { PublishedWork } from "./publishedWork.js";
import type { Answer, SiteRecords } from "./records.js";
import type { SetupExchange } from "./setupExchange.js";
import type { StudyFolder } from "./studyFolder.js";
import { type StudyView, type SumStagePlan, sumStages } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/** Dealt masks have one attempt. */
const onlyAttempt = 1;

/**
 * This site's part in sums under ELFedPCA's dealt masks. What was answered is stored before it leaves, and sent again as
 * it is.
 */
export class DealtMasks {
  readonly #context: SumsContext;
  readonly #work: PublishedWork;
  readonly #folder: StudyFolder;
  readonly #setup: SetupExchange;

  constructor(context: SumsContext, work: PublishedWork, folder: StudyFolder, setup: SetupExchange) {
    this.#context = context;
    this.#work = work;
    this.#folder = folder;
    this.#setup = setup;
  }

  async answer(view: StudyView, task: TaskOf<"sum">): Promise<void> {
    if (task.attempt !== onlyAttempt) {
      const what = said("work.dealt-once", {});
      throw fault("FIELD_INVALID", "work.step", { study: view.record.id, step: task.step, what });
    }
    await this.#vector(view, task);
  }

  async #vector(view: StudyView, task: TaskOf<"sum">): Promise<void> {
    const { door, upload, charges } = this.#context;
    const { id } = view.record;
    const inputHash = sha256(`${view.roster.hash}\nsum\n${task.step}\n${broadcastsHash(task.broadcasts)}`);
    const answer = this.#stored(view, task, inputHash) ?? (await this.#makeVector(view, task, inputHash));
    await charges.keepHead();
    await awaited(
      upload(
        door.maskedVector({
          studyId: id,
          step: task.step,
          attempt: task.attempt,
          path: this.#folder.answer(id, task.step, task.attempt),
          bytes: answer.bytes,
          sha256: answer.sha256,
          transcriptSignature: null,
          nextKeys: null,
        }),
      ),
    );
  }

  async #makeVector(view: StudyView, task: TaskOf<"sum">, inputHash: Sha256): Promise<Answer> {
    const { records, charges, now, log } = this.#context;
    const { record, roster } = view;
    const stage = this.#stage(view, task);
    checkOrder(view, records, stage);
    const { mask, seed } = this.#setup.stageSecrets(view, task);
    if (mask === null) throw new RangeError("the setup of dealt masks brought none");
    const broadcasts = await this.#work.broadcasts(view, stage, task.broadcasts);
    const place = { roster, stage: stage.id, broadcastsHash: boundHash(view.planHash, task.broadcasts) };
    const vector = await this.#work.vector(view, stage, broadcasts, seed);
    addDealtMask(vector, mask, { ...place, attempt: task.attempt });
    const bytes = littleEndianBytes(vector);
    await writeFileDurable(this.#folder.answer(record.id, task.step, task.attempt), bytes, { mode: 0o600 });
    const answer: Answer = { kind: "sum", inputHash, post: null, bytes: bytes.length, sha256: sha256(bytes) };
    records.transaction(() => {
      charges.commit(view, stage, task.attempt);
      this.#work.keep(record.id);
      records.saveAnswer(record.id, task.step, task.attempt, answer, now(), null);
    });
    log.info("a stage was answered", { study: record.id, step: task.step, bytes: bytes.length });
    return answer;
  }

  #stored(view: StudyView, task: TaskPlace, inputHash: Sha256): Answer | null {
    const answer = this.#context.records.answer(view.record.id, task.step, task.attempt);
    if (answer === null || answer.inputHash === inputHash) return answer;
    const what = said("work.other-broadcast", {});
    throw fault("BROADCAST_CHANGED", "work.step", { study: view.record.id, step: task.step, what });
  }

  #stage(view: StudyView, task: TaskPlace): SumStagePlan {
    const stage = sumStages(view.plan).find((one) => one.id === task.step);
    if (stage !== undefined) return stage;
    throw fault("MESSAGE_UNEXPECTED", "work.no-sum-stage", { study: view.record.id, stage: task.step });
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
  const params = { study: view.record.id, stage: stage.id, before: unanswered.id };
  throw fault("MESSAGE_UNEXPECTED", "work.too-early", params);
}
