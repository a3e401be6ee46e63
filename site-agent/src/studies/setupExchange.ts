import { unwrapSum } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { sentences } from "@consilium/core/said";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { MaskSecret } from "@consilium/secure-sum/dealer";
import {
  beginSetup,
  continueSetup,
  restoreSetup,
  type SetupContext,
  type SetupPost,
  type SetupSecrets,
  type SetupState,
  storeSetup,
} from "@consilium/secure-sum/setup";
import { stageSeed } from "@consilium/secure-sum/sharedSeed";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { TaskOf, TaskPlace } from "../rpc/toDomain.js";
import type { Answer, SiteStudy } from "./records.js";
import type { StudyView } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

type StageTask = TaskPlace & Pick<TaskOf<"sum" | "rows">, "broadcasts">;

interface StageSecrets {
  readonly mask: MaskSecret | null;
  readonly seed: Uint8Array | null;
}

/** An exchange has one attempt. */
const onlyAttempt = 1;

/**
 * This site's part in the exchange before the first stage: dealt masks, and the seed that all sites share. What was
 * posted is stored before it leaves, and sent again as it is.
 */
export class SetupExchange {
  readonly #context: SumsContext;

  constructor(context: SumsContext) {
    this.#context = context;
  }

  answer(view: StudyView, task: TaskOf<"exchange">): void {
    const { records, door, send } = this.#context;
    const { id } = view.record;
    if (task.attempt !== onlyAttempt) {
      const what = said("work.exchange-once", {});
      throw fault("FIELD_INVALID", "work.step", { study: id, step: task.step, what });
    }
    const inputHash = sha256(`${view.roster.hash}\nexchange\n${task.step}\n`);
    const before = records.answer(id, task.step, task.attempt);
    if (before !== null && before.inputHash !== inputHash) {
      const what = said("work.other-roster", {});
      throw fault("BROADCAST_CHANGED", "work.step", { study: id, step: task.step, what });
    }
    const answer = before ?? this.#makePost(view, task, inputHash);
    send(door.exchangePost(id, task.step, task.attempt, fromBytesJson<SetupPost>(answer.post!)));
  }

  #makePost(view: StudyView, task: TaskOf<"exchange">, inputHash: Sha256): Answer {
    const { records, random, now } = this.#context;
    const { record, plan } = view;
    const position = (plan.setup as readonly string[]).indexOf(task.step);
    if (position === -1)
      throw fault("MESSAGE_UNEXPECTED", "work.no-exchange", { study: record.id, step: task.step });
    const context = this.#setupContext(view);
    let next: { state: SetupState; post: SetupPost | null };
    if (position === 0) next = beginSetup(context, random);
    else next = unwrapSum(continueSetup(context, this.#state(record), task.deliveries, random));
    if (next.post === null)
      throw fault("MESSAGE_UNEXPECTED", "work.nothing-to-post", { study: record.id, step: task.step });
    const post = toBytesJson(next.post);
    const answer: Answer = {
      kind: "exchange",
      inputHash,
      post,
      bytes: Buffer.byteLength(post),
      sha256: sha256(post),
    };
    const state = this.#seal(record.id, next.state);
    records.saveAnswer(record.id, task.step, task.attempt, answer, now(), state);
    return answer;
  }

  /**
   * What a stage works with: the secret of its dealt mask, and the seed that it draws from in place of the shared one.
   * Each is null where the study has none.
   */
  stageSecrets(view: StudyView, task: StageTask): StageSecrets {
    const { mask, sharedSeed } = this.#secrets(view, task);
    if (sharedSeed === null) return { mask, seed: null };
    const hash = broadcastsHash(task.broadcasts);
    return {
      mask,
      seed: stageSeed(sharedSeed, { roster: view.roster, stage: task.step, broadcastsHash: hash }),
    };
  }

  /** What the setup came to, with the last exchange's deliveries, which a stage's task brings, where they are new. */
  #secrets(view: StudyView, task: TaskPlace): SetupSecrets {
    const { record } = view;
    const before = this.#state(record);
    if (before.phase === "ready") return before;
    const context = this.#setupContext(view);
    const { state } = unwrapSum(continueSetup(context, before, task.deliveries, this.#context.random));
    if (state.phase !== "ready")
      throw fault("MESSAGE_UNEXPECTED", "work.before-setup", { study: record.id, stage: task.step });
    this.#context.records.saveSetup(record.id, this.#seal(record.id, state));
    return state;
  }

  #setupContext(view: StudyView): SetupContext {
    const { plan, roster, self } = view;
    return {
      roster,
      self,
      exchange: view.exchange,
      signingPrivateKey: this.#context.identity().signingKey,
      steps: plan.setup,
    };
  }

  #state(record: SiteStudy): SetupState {
    if (record.setup === null)
      throw fault("MESSAGE_UNEXPECTED", "work.setup-not-begun", { study: record.id });
    return restoreSetup(this.#context.sealed.open(`setup ${record.id}`, record.setup));
  }

  #seal(id: StudyId, state: SetupState): Uint8Array {
    return this.#context.sealed.seal(`setup ${id}`, storeSetup(state));
  }
}
