import type { Methods } from "../method/methods.js";
import { studyOnRoster } from "../study/onRoster.js";
import { type Plan, planStudy } from "../study/plan.js";
import type { StudyDocument } from "../study/study.js";
import { firstDifference } from "./difference.js";
import { buildStatement, type Statement } from "./statement.js";

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
  /** This version does not have the method, or does not plan the text. */
  | { readonly kind: "not tried" };

/**
 * Plans a study's text as this version does, and compares what follows with a statement that was countersigned: numbers, stages,
 * events and verdict, but no sentence.
 *
 * Two plans are compared: that for the statement's roster, and that for the fewest sites, which version 0.1 knew alone at first.
 * @param text - of the study, canonical JSON
 */
export function replanned(stated: Statement, text: string, methods: Pick<Methods, "read">): Replanned {
  const read = methods.read(text, stated.study.hash);
  if (!read.ok) return { kind: "not tried" };
  const { study } = read.value;
  let found: Replanned | null = null;
  for (const sized of [studyOnRoster(study, stated.sites.roster.length), study]) {
    const plan = planOf(sized);
    if (plan === null) return { kind: "not tried" };
    const against = compared(stated, plan, read.value);
    if (against.kind === "same") return against;
    found ??= against;
  }
  return found!;
}

/** Null for a study that this version reads and cannot plan, for whatever reason: no release fails by it. */
function planOf(study: StudyDocument["study"]): Plan | null {
  try {
    return planStudy(study);
  } catch {
    return null;
  }
}

function compared(stated: Statement, plan: Plan, document: StudyDocument): Replanned {
  const { federation, study, sites } = stated;
  const stages = (all: readonly string[]) => ({ privacy: { disclosures: all.map((stage) => ({ stage })) } });
  const listed = stages(stated.privacy.disclosures.map(({ stage }) => stage));
  const planned = stages(plan.stages.map(({ id }) => id));
  const other = differenceOf(listed, planned);
  if (other !== null) return other;
  const built = buildStatement({
    federation,
    studyId: study.id,
    document,
    plan,
    roster: {
      hash: sites.rosterHash,
      // Whose keys they are does not follow from a plan, and is not compared.
      members: sites.roster.map(({ id }) => ({ site: id, signingKey: new Uint8Array() })),
    },
    attempts: sites.attempts,
  });
  if (!built.ok)
    return { kind: "otherwise", path: "sites.attempts", stated: sites.attempts.length, planned: null };
  return differenceOf(factsOf(stated), factsOf(built.value)) ?? { kind: "same" };
}

function differenceOf(stated: unknown, planned: unknown): Replanned | null {
  const path = firstDifference(stated, planned);
  if (path === null) return null;
  return { kind: "otherwise", path, stated: valueAt(stated, path), planned: valueAt(planned, path) };
}

/** The member of a JSON value at a path; null where there is none. */
function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** A statement without its sentences and keys. */
function factsOf({ privacy, sites, ...statement }: Statement): unknown {
  const { neighbouringRelation: _relation, unit: _unit, proof: _proof, reasons: _reasons, ...rest } = privacy;
  const eventOf = (event: Statement["privacy"]["accounting"]["events"][number]["event"]) =>
    event.kind === "no-bound" ? { kind: event.kind } : event;
  const { events, skipped = [] } = privacy.accounting;
  return {
    ...statement,
    sites: { ...sites, roster: sites.roster.map(({ id }) => id) },
    privacy: {
      ...rest,
      accounting: {
        ...privacy.accounting,
        events: events.map((one) => ({ ...one, event: eventOf(one.event) })),
        skipped: skipped.map((one) => ({ ...one, event: eventOf(one.event) })),
      },
      disclosures: privacy.disclosures.map(
        ({ what: _what, learns: _learns, mechanism: _mechanism, ...facts }) => facts,
      ),
    },
  };
}
