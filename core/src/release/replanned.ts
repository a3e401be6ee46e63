import type { Methods } from "../method/methods.js";
import { studyOnRoster } from "../study/onRoster.js";
import { type Plan, planStudy } from "../study/plan.js";
import { planFacts } from "../study/planFacts.js";
import type { StudyDocument } from "../study/study.js";
import { firstDifference } from "./difference.js";
import type { Statement } from "./statement.js";

/** What planning a released study anew finds. It verifies nothing, and a release stays verified whatever it finds. */
export type Replanned =
  | { readonly kind: "same" }
  /** The first place where this version's plan has another fact than the certificate. */
  | {
      readonly kind: "otherwise";
      readonly path: string;
      readonly stated: unknown;
      readonly planned: unknown;
    }
  /** This version does not have the method, or does not plan the text; or the certificate, of an earlier format, has no plan. */
  | { readonly kind: "not tried" };

/** As much of a statement as a plan is compared with. Whose roster it is does not matter. */
export type StatedPlan = Pick<Statement, "study"> & {
  readonly plan: unknown;
  readonly roster: readonly unknown[];
};

/**
 * Plans a study's text as this version does, on a roster of as many sites, and compares the facts.
 * @param stated - null of a certificate whose format has no plan
 * @param text - of the study, canonical JSON
 */
export function replanned(
  stated: StatedPlan | null,
  text: string,
  methods: Pick<Methods, "read">,
): Replanned {
  const read = stated === null ? null : methods.read(text, stated.study.hash);
  if (!read?.ok) return { kind: "not tried" };
  const study = studyOnRoster(read.value.study, stated!.roster.length);
  const plan = planOf(study);
  if (plan === null) return { kind: "not tried" };
  // As JSON has it: what is left out there is undefined here.
  const planned: unknown = JSON.parse(JSON.stringify(planFacts(study, plan)));
  const path = firstDifference(stated!.plan, planned);
  if (path === null) return { kind: "same" };
  return { kind: "otherwise", path, stated: valueAt(stated!.plan, path), planned: valueAt(planned, path) };
}

/** Null for a study that this version reads and cannot plan, for whatever reason: no release fails by it. */
function planOf(study: StudyDocument["study"]): Plan | null {
  try {
    return planStudy(study);
  } catch {
    return null;
  }
}

/** The member of a JSON value at a path; null where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
