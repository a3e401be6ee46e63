import type { Sha256, StageId } from "@consilium/core/ids";
import type { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import type { StudyRecord } from "./records.js";

/** So many studies are kept at hand: an operator looks at a few. */
const kept = 64;

export interface PlannedStudy {
  readonly document: StudyDocument;
  readonly plan: Plan;
}

/**
 * Studies with their plans, which follow from their texts. To plan one takes a tenth of a second where noise is sized for
 * it, and a study that runs is shown several times a second.
 */
export class StudyPlans {
  /** By which studies are read. */
  readonly methods: Methods;
  readonly #known = new Map<string, PlannedStudy>();

  constructor(methods: Methods) {
    this.methods = methods;
  }

  /** @param sites - on its roster; left out before it is fixed */
  of({ text, hash }: Pick<StudyRecord, "text" | "hash">, sites?: number): PlannedStudy {
    const key = `${hash} ${sites}`;
    const before = this.#known.get(key);
    // Taken out and put in again, so that the first one is the one that nobody asked for longest.
    this.#known.delete(key);
    const planned = before ?? this.#plan(text, hash, sites);
    this.#known.set(key, planned);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value!);
    return planned;
  }

  #plan(text: string, hash: Sha256, sites: number | undefined): PlannedStudy {
    const read = unwrap(this.methods.read(text, hash));
    const document = sites === undefined ? read : documentOnRoster(read, sites);
    return { document, plan: planStudy(document.study) };
  }
}

export function sumStageIds(plan: Plan): StageId[] {
  return plan.stages.filter((stage) => stage.kind === "sum").map((stage) => stage.id);
}
