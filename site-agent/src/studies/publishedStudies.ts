import type { TaskOf } from "../rpc/toDomain.js";
import { DealtMasks } from "./dealtMasks.js";
import { OpenAnswers } from "./openAnswers.js";
import { PublishedWork } from "./publishedWork.js";
import { SetupExchange } from "./setupExchange.js";
import type { StageWork, StageWorkContext } from "./stageWork.js";
import type { StudyFolder } from "./studyFolder.js";
import type { StudyView } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

/**
 * What studies of published methods alone are answered with: exchanges before the first stage, dealt masks, answers without a
 * mask, and vectors that the gate has not added up.
 */
export class PublishedStudies {
  readonly work: PublishedWork;
  readonly #setup: SetupExchange;
  readonly #dealt: DealtMasks;
  readonly #open: OpenAnswers;

  constructor(context: SumsContext & StageWorkContext, work: StageWork, folder: StudyFolder) {
    this.work = new PublishedWork(context, work);
    this.#setup = new SetupExchange(context);
    this.#dealt = new DealtMasks(context, this.work, folder, this.#setup);
    this.#open = new OpenAnswers(context, this.work, folder, this.#setup);
  }

  async answer(view: StudyView, task: TaskOf<"exchange" | "sum" | "rows">): Promise<void> {
    if (task.kind === "exchange") this.#setup.answer(view, task);
    else if (task.kind === "sum") await this.#dealt.answer(view, task);
    else await this.#open.answer(view, task);
  }
}
