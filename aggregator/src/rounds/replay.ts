import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { StageId, StudyId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import { type Broadcast, broadcastBytes } from "@consilium/core/study/broadcast";
import type { Plan } from "@consilium/core/study/plan";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { StudySays } from "@consilium/words/says/studies";
import type { StudyRecords } from "./records.js";

const fault = faults<StudySays>();

/** The key of a drawn value among a study's results. Stage ids have no colon, so that it never takes a stage's place. */
export const drawKey = (name: string) => `draw:${name}`;

/**
 * Holds a conversation that is continued, perhaps by another version of the program, to what was said in it before: each sum that is
 * there was asked for with these broadcasts, and comes before whatever is asked next.
 */
export class Replay {
  readonly #study: StudyId;
  readonly #records: Pick<StudyRecords, "broadcastsOf">;
  /** Keys of what was stored when the conversation began anew. */
  readonly #stored: ReadonlySet<string>;
  /** Stages that were answered and not asked again so far. */
  readonly #answered: Set<StageId>;

  constructor(study: StudyId, plan: Plan, records: Pick<StudyRecords, "resultKeys" | "broadcastsOf">) {
    this.#study = study;
    this.#records = records;
    this.#stored = records.resultKeys(study);
    this.#answered = new Set(plan.stages.map(({ id }) => id).filter((id) => this.#stored.has(id)));
  }

  /** @throws ConsiliumError REPLAY_DIFFERS */
  asks(stage: StageId, broadcast: Broadcast): void {
    if (!this.#answered.delete(stage)) this.#demandCaughtUp(stage);
    const before = this.#records.broadcastsOf(this.#study, stage);
    if (before.length === 0) return;
    const now = Object.entries(broadcast);
    for (const [index, { name, length, sha256: hash }] of before.entries()) {
      const [ownName, values] = now[index] ?? ["", new Float64Array()];
      const isSame = ownName === name && values.length === length && sha256(broadcastBytes(values)) === hash;
      if (!isSame) throw this.#differs(stage, name);
    }
    if (now.length > before.length) throw this.#differs(stage, now[before.length]![0]);
  }

  /** @throws ConsiliumError REPLAY_DIFFERS */
  draws(name: string): void {
    if (!this.#stored.has(drawKey(name))) this.#demandCaughtUp(name);
  }

  /** @param next - what is asked for and was not before */
  #demandCaughtUp(next: string): void {
    const [left] = this.#answered;
    if (left !== undefined) throw this.#differs(left, next);
  }

  #differs(stage: string, at: string): ConsiliumError {
    return fault("REPLAY_DIFFERS", "study.replay-differs", { stage: nameOf(stage), at: nameOf(at) });
  }
}
