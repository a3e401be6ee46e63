import type { Sha256, StageId } from "@consilium/core/ids";
import type { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import type { StudyRecord } from "./records.js";

/** The cache size: an operator looks at few studies. */
const kept = 64;

export interface PlannedStudy {
  readonly document: StudyDocument;
  readonly plan: Plan;
}

/**
 * A cache of studies with their plans. Planning takes a tenth of a second when noise is sized, and a running study is
 * shown several times a second.
 */
export class StudyPlans {
  /** By which studies are read. */
  readonly methods: Methods;
  readonly #known = new Map<string, PlannedStudy>();

  constructor(methods: Methods) {
    this.methods = methods;
  }

  /** @param sites - on its roster; omitted before it is fixed */
  of({ text, hash }: Pick<StudyRecord, "text" | "hash">, sites?: number): PlannedStudy {
    const key = `${hash} ${sites}`;
    const before = this.#known.get(key);
    // Reinserted, so that the first entry is the least recently used.
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
