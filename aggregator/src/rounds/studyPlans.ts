import { faults } from "@consilium/core/fault";
import type { Sha256, StageId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Methods } from "@consilium/core/method/methods";
import { firstDifference } from "@consilium/core/release/difference";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy, type StagePlan } from "@consilium/core/study/plan";
import { planFacts, planText } from "@consilium/core/study/planFacts";
import { demandUnretired, type Retired, retired } from "@consilium/core/study/retired";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import type { StudySays } from "@consilium/words/says/studies";
import type { StudyRecord } from "./records.js";

const fault = faults<StudySays>();
const remedy = { code: "study.finish-with", params: {} } as const;

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
  readonly #retired: readonly Retired[];
  readonly #known = new Map<string, PlannedStudy>();

  /** @param list - what no study is started with */
  constructor(methods: Methods, list: readonly Retired[] = retired) {
    this.methods = methods;
    this.#retired = list;
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

  /** @throws ConsiliumError STUDY_RETIRED */
  demandUnretired(study: Study, plan = planStudy(study)): void {
    demandUnretired(study.method, planFacts(study, plan), this.#retired);
  }

  #plan(text: string, hash: Sha256, sites: number | undefined): PlannedStudy {
    const read = unwrap(this.methods.read(text, hash));
    const document = sites === undefined ? read : documentOnRoster(read, sites);
    return { document, plan: planStudy(document.study) };
  }
}

/**
 * Demands that a study is planned as it was when it invited, or when its roster was fixed.
 * @param kept - text of that plan; null where none was kept
 * @param software - the version that plans it now
 * @throws ConsiliumError PLAN_DIFFERS
 */
export function demandPlan(
  record: Pick<StudyRecord, "software">,
  kept: string | null,
  { document, plan }: PlannedStudy,
  software: string,
): void {
  const own = planText(document.study, plan);
  if (kept === null || kept === own) return;
  const at = nameOf(firstDifference(JSON.parse(kept), JSON.parse(own)) ?? "");
  const versions = { began: nameOf(record.software), software: nameOf(software) };
  throw fault("PLAN_DIFFERS", "study.other-plan", { ...versions, at }, { remedy });
}

/** Kernels that compute a study: of one whose sums are public others compute it anew, who have another library or none. */
export function kernelsFor({ release }: Pick<Study, "release">, kernels: NumericKernels): NumericKernels {
  return release.sums ? (kernels.portable ?? kernels) : kernels;
}

/** @throws RangeError where the plan has no such stage */
export function stageOf<K extends StagePlan["kind"]>(
  plan: Plan,
  id: StageId,
  kind: K,
): Extract<StagePlan, { kind: K }> {
  const stage = plan.stages.find((candidate) => candidate.id === id);
  if (stage === undefined || stage.kind !== kind) throw new RangeError(`the plan has no ${kind} stage ${id}`);
  return stage as Extract<StagePlan, { kind: K }>;
}

export function sumStageIds(plan: Plan): StageId[] {
  return plan.stages.filter((stage) => stage.kind === "sum").map((stage) => stage.id);
}
