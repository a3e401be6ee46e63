import { parse } from "yaml";
import { setInYaml } from "../../shared/yaml/edit";
import type { Plain } from "../../shared/yaml/values";

/** The settings that most hospitals change, read from the policy's text; missing ones have their default. */
export interface PolicyForm {
  readonly sound: boolean;
  readonly paper: boolean;
  /** Whether sound studies may show figures of single hospitals, or of too few together. */
  readonly perHospital: boolean;
  /** Whether two people must approve what no rule joins. */
  readonly two: boolean;
  /** Whether it may be published by which code this hospital did not take part. */
  readonly publishRefusals: boolean;
  readonly approval: "person" | "automatic" | "limited";
  /** For `limited`: more expensive studies need manual approval. */
  readonly maxEpsilon: number;
  /** For `limited`: the maximum δ of a study. */
  readonly maxDelta: number;
  readonly minimumSites: number;
  readonly minimumRows: number;
  readonly minimumUsable: number;
  readonly maxUnanswered: number;
  readonly tolerateColluding: number;
  /** What a study must state under `request`. */
  readonly requires: readonly string[];
  /** Null: no limit per study; automatic approval requires one. */
  readonly perStudyEpsilon: number | null;
  readonly perStudyDelta: number | null;
  /** Of the population `default`. Null: unlimited. */
  readonly budgetEpsilon: number | null;
  readonly budgetDelta: number;
}

const defaults: PolicyForm = {
  sound: true,
  paper: false,
  perHospital: false,
  two: false,
  publishRefusals: false,
  approval: "person",
  maxEpsilon: 0.5,
  maxDelta: 1e-6,
  minimumSites: 3,
  minimumRows: 0,
  minimumUsable: 80,
  maxUnanswered: 10,
  tolerateColluding: 0,
  requires: [],
  perStudyEpsilon: null,
  perStudyDelta: null,
  budgetEpsilon: 3,
  budgetDelta: 1e-6,
};

/** Initial value of the limit per study. */
export const perStudyCap = { epsilon: 1, delta: 1e-6 };

/** @returns null if the text is not a YAML map, or not a valid policy */
export function readForm(text: string): PolicyForm | null {
  let raw: unknown;
  try {
    raw = parse(text, { maxAliasCount: 0, logLevel: "error" }) ?? {};
  } catch {
    return null;
  }
  if (!isRecord(raw)) return null;
  const variants = raw.variants ?? ["sound"];
  const automatic = isRecord(raw.approval) ? raw.approval.automatic : undefined;
  const populations = isRecord(raw.populations) ? raw.populations : {};
  const budget = isRecord(populations.default) ? populations.default : {};
  const perStudy = isRecord(raw.perStudy) ? raw.perStudy : {};
  if (!Array.isArray(variants)) return null;
  return {
    sound: variants.includes("sound"),
    paper: variants.includes("paper"),
    perHospital: isRecord(raw.figures) && raw.figures.perHospital === true,
    two: raw.approvals === 2,
    publishRefusals: raw.publishRefusals === true,
    approval: isRecord(automatic) ? "limited" : raw.approval === "automatic" ? "automatic" : "person",
    maxEpsilon: numberOr(isRecord(automatic) ? automatic.maxEpsilon : undefined, defaults.maxEpsilon),
    maxDelta: numberOr(isRecord(automatic) ? automatic.maxDelta : undefined, defaults.maxDelta),
    minimumSites: numberOr(raw.minimumSites, defaults.minimumSites),
    minimumRows: numberOr(raw.minimumRows, defaults.minimumRows),
    minimumUsable: numberOr(raw.minimumUsable, defaults.minimumUsable),
    maxUnanswered: numberOr(raw.maxUnanswered, defaults.maxUnanswered),
    tolerateColluding: numberOr(raw.tolerateColluding, defaults.tolerateColluding),
    requires: Array.isArray(raw.requires) ? raw.requires.filter((one) => typeof one === "string") : [],
    perStudyEpsilon: typeof perStudy.epsilon === "number" ? perStudy.epsilon : null,
    perStudyDelta: typeof perStudy.delta === "number" ? perStudy.delta : null,
    budgetEpsilon: budget.epsilon === "unlimited" ? null : numberOr(budget.epsilon, defaults.budgetEpsilon!),
    budgetDelta: numberOr(budget.delta, defaults.budgetDelta),
  };
}

/** The text with some settings changed and everything else unchanged; null if it cannot be changed in place. */
export function applyForm(text: string, change: Partial<PolicyForm>): string | null {
  const form = readForm(text);
  if (form === null) return null;
  const next = withCap({ ...form, ...change });
  return edits(form, next, text).reduce<string | null>(
    (edited, [path, value]) => (edited === null ? null : setInYaml(edited, path, value)),
    text,
  );
}

/** Automatic approval requires a limit per study. */
function withCap(form: PolicyForm): PolicyForm {
  if (form.approval !== "automatic") return form;
  return {
    ...form,
    perStudyEpsilon: form.perStudyEpsilon ?? perStudyCap.epsilon,
    perStudyDelta: form.perStudyDelta ?? perStudyCap.delta,
  };
}

type Edit = readonly [path: readonly string[], value: Plain | undefined];

function edits(form: PolicyForm, next: PolicyForm, text: string): Edit[] {
  const found: Edit[] = [];
  const add = (isOther: boolean, path: readonly string[], value: Plain | undefined) => {
    if (isOther) found.push([path, value]);
  };
  const variants = [...(next.sound ? ["sound"] : []), ...(next.paper ? ["paper"] : [])];
  add(form.sound !== next.sound || form.paper !== next.paper, ["variants"], variants);
  const isOtherFigure = form.perHospital !== next.perHospital;
  add(isOtherFigure, ["figures", "perHospital"], next.perHospital ? true : undefined);
  add(form.approval !== next.approval, ["approval"], approvalOf(next));
  add(form.two !== next.two, ["approvals"], next.two ? 2 : undefined);
  const isOtherRefusal = form.publishRefusals !== next.publishRefusals;
  add(isOtherRefusal, ["publishRefusals"], next.publishRefusals ? true : undefined);
  const staysLimited = form.approval === "limited" && next.approval === "limited";
  for (const key of ["maxEpsilon", "maxDelta"] as const)
    add(staysLimited && form[key] !== next[key], ["approval", "automatic", key], next[key]);
  for (const key of [
    "minimumSites",
    "minimumRows",
    "minimumUsable",
    "tolerateColluding",
    "maxUnanswered",
  ] as const)
    add(form[key] !== next[key], [key], next[key]);
  const isOtherRequest = form.requires.join() !== next.requires.join();
  add(isOtherRequest, ["requires"], next.requires.length === 0 ? undefined : [...next.requires]);
  add(
    form.perStudyEpsilon !== next.perStudyEpsilon,
    ["perStudy", "epsilon"],
    next.perStudyEpsilon ?? undefined,
  );
  add(form.perStudyDelta !== next.perStudyDelta, ["perStudy", "delta"], next.perStudyDelta ?? undefined);
  const epsilon = next.budgetEpsilon ?? "unlimited";
  const budget = ["populations", "default"];
  const isOtherBudget = form.budgetEpsilon !== next.budgetEpsilon;
  const isOtherDelta = form.budgetDelta !== next.budgetDelta;
  // A population without an epsilon is invalid.
  if ((isOtherBudget || isOtherDelta) && !hasDefaultPopulation(text))
    return [...found, [budget, { epsilon, delta: next.budgetDelta }]];
  add(isOtherBudget, [...budget, "epsilon"], epsilon);
  add(isOtherDelta, [...budget, "delta"], next.budgetDelta);
  return found;
}

function approvalOf({ approval, maxEpsilon, maxDelta }: PolicyForm): Plain {
  return approval === "limited" ? { automatic: { maxEpsilon, maxDelta, variants: ["sound"] } } : approval;
}

function hasDefaultPopulation(text: string): boolean {
  const raw: unknown = parse(text, { maxAliasCount: 0, logLevel: "error" });
  return isRecord(raw) && isRecord(raw.populations) && isRecord(raw.populations.default);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
