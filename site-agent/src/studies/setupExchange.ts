import { ConsiliumError, unwrapSum } from "@consilium/core/errors";
import type { Sha256, StudyId } from "@consilium/core/ids";
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
import type { TaskOf, TaskPlace } from "../rpc/toDomain.js";
import type { Answer, SiteStudy } from "./records.js";
import type { StudyView } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

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
    const place = `study ${id}, step ${task.step}`;
    if (task.attempt !== onlyAttempt)
      throw new ConsiliumError("FIELD_INVALID", `${place}: an exchange has one attempt`);
    const inputHash = sha256(`${view.roster.hash}\nexchange\n${task.step}\n`);
    const before = records.answer(id, task.step, task.attempt);
    if (before !== null && before.inputHash !== inputHash)
      throw new ConsiliumError("BROADCAST_CHANGED", `${place}: it was answered for another roster before`);
    const answer = before ?? this.#makePost(view, task, inputHash);
    send(door.exchangePost(id, task.step, task.attempt, fromBytesJson<SetupPost>(answer.post!)));
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
    else next = unwrapSum(continueSetup(context, this.#state(record), task.deliveries, random));
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
    if (state.phase !== "ready") {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: stage ${task.step} came before the setup was complete`,
      );
    }
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
    if (record.setup === null) {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: a step came before the setup was begun`,
      );
    }
    return restoreSetup(this.#context.sealed.open(`setup ${record.id}`, record.setup));
  }

  #seal(id: StudyId, state: SetupState): Uint8Array {
    return this.#context.sealed.seal(`setup ${id}`, storeSetup(state));
  }
}
