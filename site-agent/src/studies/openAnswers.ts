import type { ErrorCode } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { sentences } from "@consilium/core/said";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import type { RowsStage, TagsStage } from "@consilium/core/study/plan";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AnySaid } from "@consilium/words/said";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { TaskOf } from "../rpc/toDomain.js";
import { awaited } from "./awaited.js";
import { checkOrder } from "./dealtMasks.js";
import type { PublishedWork, Written } from "./publishedWork.js";
import type { Answer } from "./records.js";
import type { SetupExchange } from "./setupExchange.js";
import type { StudyFolder } from "./studyFolder.js";
import type { StudyView } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/**
 * This site's answers that leave without a mask, of the published form of a method alone: reduced rows, and tags with
 * counts. What was answered is stored before it leaves, and sent again as it is.
 */
export class OpenAnswers {
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

  async answer(view: StudyView, task: TaskOf<"rows">): Promise<void> {
    const { records, door, upload, charges } = this.#context;
    const { id } = view.record;
    const refused = (code: ErrorCode, what: AnySaid) =>
      fault(code, "work.step", { study: id, step: task.step, what });
    const stage = view.plan.stages.find((one) => one.id === task.step);
    if (stage === undefined || stage.kind === "sum")
      throw refused("MESSAGE_UNEXPECTED", said("work.no-rows-stage", {}));
    if (task.attempt !== 1) throw refused("FIELD_INVALID", said("work.unmasked-once", {}));
    const inputHash = sha256(
      `${view.roster.hash}\n${stage.kind}\n${stage.id}\n${broadcastsHash(task.broadcasts)}`,
    );
    const before = records.answer(id, stage.id, task.attempt);
    if (before !== null && before.inputHash !== inputHash)
      throw refused("BROADCAST_CHANGED", said("work.other-broadcast", {}));
    const answer = before ?? (await this.#make(view, task, stage, inputHash));
    await charges.keepHead();
    const stored = {
      studyId: id,
      step: task.step,
      attempt: task.attempt,
      path: this.#folder.answer(id, stage.id, task.attempt),
      bytes: answer.bytes,
      sha256: answer.sha256,
    };
    await awaited(upload(stage.kind === "rows" ? door.reducedRows(stored) : door.tagCounts(stored)));
  }

  async #make(
    view: StudyView,
    task: TaskOf<"rows">,
    stage: RowsStage | TagsStage,
    inputHash: Answer["inputHash"],
  ): Promise<Answer> {
    const { records, charges, now, log } = this.#context;
    const { record, plan } = view;
    if (plan.masking === "dealer") checkOrder(view, records, stage);
    const written = await this.#write(view, task, stage);
    const answer: Answer = { kind: stage.kind, inputHash, post: null, ...written };
    records.transaction(() => {
      charges.commit(view, stage, task.attempt);
      this.#work.keep(record.id);
      records.saveAnswer(record.id, stage.id, task.attempt, answer, now(), null);
    });
    log.info("a stage was answered", { study: record.id, step: stage.id, bytes: answer.bytes });
    return answer;
  }

  async #write(view: StudyView, task: TaskOf<"rows">, stage: RowsStage | TagsStage): Promise<Written> {
    const path = this.#folder.answer(view.record.id, stage.id, task.attempt);
    const seed = stage.kind === "tags" ? this.#setup.stageSecrets(view, task).seed : null;
    const broadcasts = await this.#work.broadcasts(view, stage, task.broadcasts);
    return stage.kind === "rows"
      ? this.#work.rows(view, stage, broadcasts, path)
      : this.#work.tags(view, stage, broadcasts, seed, path);
  }
}
