import type { Sha256, StageId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { readStudyDocument, type StudyDocument } from "@consilium/core/study/study";
import type { StudyRecord } from "./records.js";

/** So many studies are kept at hand: an operator looks at a few. */
const kept = 64;

interface PlannedStudy {
  readonly document: StudyDocument;
  readonly plan: Plan;
}

/**
 * Studies with their plans, which follow from their texts. To plan one takes a tenth of a second where noise is sized for
 * it, and a study that runs is shown several times a second.
 */
export class StudyPlans {
  readonly #known = new Map<Sha256, PlannedStudy>();

  of({ text, hash }: Pick<StudyRecord, "text" | "hash">): PlannedStudy {
    const before = this.#known.get(hash);
    // Taken out and put in again, so that the first one is the one that nobody asked for longest.
    this.#known.delete(hash);
    const planned = before ?? plan(text, hash);
    this.#known.set(hash, planned);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value!);
    return planned;
  }
}

function plan(text: string, hash: Sha256): PlannedStudy {
  const document = unwrap(readStudyDocument(text, hash));
  return { document, plan: planStudy(document.study) };
}

export function sumStageIds(plan: Plan): StageId[] {
  return plan.stages.filter((stage) => stage.kind === "sum").map((stage) => stage.id);
}
