import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { StudySays } from "@consilium/words/says/studies";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { canonicalJson, readCanonicalJson } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import { faults } from "../fault.js";
import type { Sha256 } from "../ids.js";
import { isRecord } from "../keysOf.js";
import { omopPlanIssues } from "../omop/planIssues.js";
import { err, ok, type Result } from "../result.js";
import { lines, nameOf, saidText, sentences } from "../said.js";
import { countsMissing } from "../study/features.js";
import { weightingFault } from "../study/patientWeights.js";
import { planStudy } from "../study/plan.js";
import { columnsRead, recodingIssues } from "../study/recoding.js";
import {
  commonKeys,
  keysOfVariant,
  type Study,
  type StudyDocument,
  studySource,
  sumsFault,
} from "../study/study.js";
import { withYoungerKeys, youngerKeys } from "../study/youngerKeys.js";
import {
  analysisOf,
  hasEdition,
  type Method,
  type MethodIssue,
  methodKey,
  namesOf,
  variantOf,
} from "./method.js";

const fault = faults<StudySays>();

/** One fault of a study file: where, as `participation.minimumSites`, and what is wrong: a sentence's line, or zod's own text. */
export interface StudyIssue {
  readonly path: string;
  readonly message: string;
}

const line = lines<StudyFaultSays>();
const wrong = sentences<StudyFaultSays>();
const noSuchKey = line("fault.no-such-key", {});

/** More faults than these are left out: a text from outside may hold one in every few characters. */
export const issuesMost = 100;

/** STUDY_INVALID with every fault found up to `issuesMost`, not only the first. */
export class StudyInvalidError extends ConsiliumError {
  readonly issues: readonly StudyIssue[];

  constructor(
    issues: readonly StudyIssue[],
    message = issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "),
  ) {
    super("STUDY_INVALID", message);
    this.name = "StudyInvalidError";
    this.issues = issues;
  }
}

/** So many documents that were read last are kept: a study is read at every turn, and one of a thousand columns takes a while. */
const lastReadMost = 16;

/** How studies ask for a method: its analysis, and the names of its forms, the usual one first. */
export interface MethodNames {
  readonly analysis: string;
  readonly names: readonly string[];
}

/** Reads studies that travelled, of the methods that a program has. */
export class StudyReader<S extends Study = Study> {
  readonly list: readonly Method[];
  readonly known: readonly MethodNames[];
  readonly #byName: ReadonlyMap<string, Method>;
  /** Of a study with its defaults filled in. */
  readonly schema: z.ZodType<unknown>;
  readonly #lastRead = new Map<Sha256, StudyDocument>();

  /**
   * @param list - in the order in which they are shown; of an analysis and variant the first is the usual one
   * @param known - these and those that the program could load
   */
  constructor(
    list: readonly Method[],
    known: readonly MethodNames[] = list.map((one) => ({ analysis: analysisOf(one), names: namesOf(one) })),
  ) {
    this.list = list;
    this.known = known;
    this.#byName = new Map(list.flatMap((method) => namesOf(method).map((name) => [name, method])));
    if (this.#byName.size !== list.flatMap(namesOf).length)
      throw new RangeError("two methods have the same name");
    this.schema = this.#makeSchema();
  }

  /**
   * Reads a study that travelled, whichever version accepted it. The site does this itself: hash, schema and plan are its own reading.
   * Nothing that the text lacks is filled in but keys younger than it (`YoungerKey`): what a study asks for stands in its text.
   * @returns the study with the text as it travelled; STUDY_HASH for a text that is not the canonical one of the study that is
   *   read from it, STUDY_INVALID for one that is no study, STUDY_NEWER for one with a key or an edition that this version does not know; METHODS_MISSING for a study of a method that is known and not in the list, or of variant paper where none is
   */
  read(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
    const before = this.#lastRead.get(hash);
    if (before !== undefined && before.text === text) return ok(before);
    const document = this.#readAnew(text, hash);
    if (!document.ok) return document;
    if (this.#lastRead.size === lastReadMost) this.#lastRead.delete(this.#lastRead.keys().next().value!);
    this.#lastRead.set(hash, document.value);
    return document;
  }

  /**
   * Holds a study, whose method is named, against the schema.
   * @param words - for values of a wrong shape; left out: zod's
   * @returns the study, or every fault up to `issuesMost`
   */
  check(raw: unknown, words?: z.core.$ZodErrorMap): Result<S, StudyInvalidError> {
    // The input tells a key that is missing from one of the wrong type; it goes into no message.
    const parsed = this.schema.safeParse(raw, {
      reportInput: true,
      ...(words && { error: words }),
    });
    if (parsed.success) return ok(parsed.data as S);
    const issues = parsed.error.issues.slice(0, issuesMost).flatMap((issue) => describeIssue(issue, []));
    return err(new StudyInvalidError(issues.slice(0, issuesMost)));
  }

  /** The method that a study names, if it is in the list. */
  methodOf(raw: unknown): Method | undefined {
    if (!isRecord(raw) || typeof raw.method !== "string") return undefined;
    const method = this.#byName.get(raw.method);
    return method !== undefined && analysisOf(method) === raw.analysis ? method : undefined;
  }

  #makeSchema(): z.ZodType<unknown> {
    const common = commonKeys(this.list.filter((one) => one.weighsPatients === true).flatMap(namesOf));
    const ofAnalysis = (analysis: string) => {
      const own = this.list.filter((one) => analysisOf(one) === analysis);
      const forms = own.flatMap(({ sections }) =>
        sections.map((one) => z.strictObject({ ...common, ...keysOfVariant(one.variant.value), ...one })),
      );
      const names = this.known.filter((one) => one.analysis === analysis).flatMap((one) => one.names);
      return z.discriminatedUnion("method", forms as [(typeof forms)[number]], {
        error: line("fault.method", { analysis: nameOf(analysis), known: names.map(nameOf) }),
      });
    };
    const unions = [...new Set(this.list.map(analysisOf))].map(ofAnalysis);
    const analyses = new Set(this.known.map((one) => one.analysis));
    return z
      .discriminatedUnion("analysis", unions as [(typeof unions)[number]], {
        error: line("fault.analysis", { known: [...analyses].map(nameOf) }),
      })
      .superRefine((read, context) => {
        // The object is the schema's own, made anew: it is what the reader gets.
        const method = this.#byName.get(read.method)!;
        addIssues(Object.assign(read, { [methodKey]: method }) as unknown as Study, context);
      });
  }

  #withYoungerKeys(raw: unknown): unknown {
    if (!isRecord(raw)) return raw;
    return withYoungerKeys(raw, [...youngerKeys, ...(this.methodOf(raw)?.youngerKeys ?? [])]);
  }

  /** What of a study's method is not here; null where it is, or is no method's name. */
  #missing(raw: unknown): string | null {
    if (!isRecord(raw)) return null;
    const named = namedIn(raw, this.known);
    if (named !== undefined && !this.#byName.has(named.names[0]!))
      return `the method ${named.names[0]} is not loaded here`;
    if (raw.variant !== "paper" || this.list.some((one) => variantOf(one) === "paper")) return null;
    return "no methods of variant paper are loaded here: the package methods-paper is not installed, or not allowed";
  }

  #isOtherEdition(raw: unknown): boolean {
    const method = this.methodOf(raw);
    const { edition = 1 } = isRecord(raw) ? raw : {};
    return method !== undefined && typeof edition === "number" && !hasEdition(method, edition);
  }

  #readAnew(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
    if (sha256(text) !== hash) {
      return err(fault("STUDY_HASH", "study.other-hash", { hash: nameOf(hash.slice(0, 12)) }));
    }
    const read = readCanonicalJson(text);
    if (!read.ok) {
      const isJson = read.error !== "not JSON";
      return err(fault("STUDY_HASH", isJson ? "study.not-canonical" : "study.not-json", {}));
    }
    const missing = this.#missing(read.value);
    if (missing !== null) return err(new ConsiliumError("METHODS_MISSING", missing));
    // Another edition may mean other keys: nothing of it is read.
    if (this.#isOtherEdition(read.value)) return err(newer("edition"));
    const filled = this.#withYoungerKeys(read.value);
    const parsed = this.check(filled);
    if (!parsed.ok) {
      const unknown = parsed.error.issues.find(({ message }) => message === noSuchKey);
      return unknown === undefined ? parsed : err(newer(unknown.path));
    }
    if (canonicalJson(studySource(parsed.value)) !== canonicalJson(filled))
      return err(fault("STUDY_HASH", "study.not-canonical", {}));
    return ok({ study: parsed.value, text, hash });
  }
}

const newer = (key: string) => fault("STUDY_NEWER", "study.newer-key", { key: nameOf(key) });

/** The one for which a study asks by analysis and name. */
export function namedIn<T extends MethodNames>(raw: unknown, known: readonly T[]): T | undefined {
  if (!isRecord(raw)) return undefined;
  const { analysis, method } = raw;
  return known.find((one) => one.analysis === analysis && one.names.some((name) => name === method));
}

/** Faults that the keys by themselves do not show. */
function addIssues(study: Study, context: z.RefinementCtx): void {
  const add = ([path, said]: MethodIssue) =>
    context.addIssue({ code: "custom", path, message: saidText(said) });
  const method = nameOf(study.method);
  const seen = new Map<string, number>();
  study.features.forEach((feature, index) => {
    const before = seen.get(feature.name);
    if (before !== undefined) {
      const params = { column: nameOf(feature.name), feature: before };
      add([["features", index, "name"], wrong("fault.declared-twice", params)]);
    }
    seen.set(feature.name, index);
    if (feature.type === "numeric" && countsMissing(feature) && study[methodKey].countsMissing !== true)
      add([["features", index, "missing"], wrong("fault.missing-uncounted", { method })]);
  });
  const feature = seen.get(study.label?.name ?? "");
  if (study.label !== undefined && feature !== undefined) {
    const params = { column: nameOf(study.label.name), feature };
    add([["label", "name"], wrong("fault.label-twice", params)]);
  }
  const own = study.patient?.column;
  if (own !== undefined && columnsRead(study).includes(own))
    add([["patient", "column"], wrong("fault.patient-read", { column: nameOf(own) })]);
  const planFaults = study.omop === undefined ? [] : omopPlanIssues(study.omop, study);
  for (const [path, message] of planFaults)
    context.addIssue({ code: "custom", path: ["omop", ...path], message });
  if (!hasEdition(study[methodKey], study.edition))
    add([["edition"], wrong("fault.edition", { method, edition: study.edition ?? 1 })]);
  const unweighed = weightingFault(study);
  if (unweighed !== null) add([["patient", "weighting"], unweighed]);
  // What the keys by themselves are refused for may be as large as anybody writes: no layout of it is made.
  if (context.issues.some(({ code }) => code !== "custom")) return;
  for (const issue of [...recodingIssues(study), ...study[methodKey].issues(study)]) add(issue);
  // Only a study without another fault has a plan.
  const message = context.issues.length === 0 ? rhoFault(study) : null;
  if (message !== null) context.addIssue({ code: "custom", path: ["privacy", "rho"], message });
  if (context.issues.length > 0) return;
  const open = sumsFault(study, () => planStudy(study).stages);
  if (open !== null) add([["release", "sums"], open]);
}

/** What is wrong with a ρ that a study sets for itself: more than its ε allows. */
function rhoFault(study: Study): string | null {
  if (study.privacy === "none" || study.privacy.rho === undefined) return null;
  if (study.variant !== "sound") return line("fault.rho-paper", {});
  try {
    planStudy(study);
    return null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return thrown.message;
    throw thrown;
  }
}

function describeIssue(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): StudyIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, issuesMost).map((key) => ({
      path: joinPath([...path, key]),
      message: noSuchKey,
    }));
  }
  if ((issue.code === "invalid_type" || issue.code === "invalid_union") && issue.input === undefined) {
    // An analysis that is missing or unknown is said in the schema's own words.
    const isChosen = issue.code === "invalid_union" && issue.discriminator !== undefined;
    if (!isChosen) return [{ path: joinPath(path), message: line("fault.missing", {}) }];
  }
  if (issue.code === "invalid_union") {
    // The branch that came furthest tells best what is meant: for `privacy: {epsilon: 0}`, the object's fault.
    const branch = issue.errors.find(
      (faults) => faults.length > 0 && faults.every((fault) => fault.path.length > 0),
    );
    if (branch !== undefined) return branch.flatMap((fault) => describeIssue(fault, path));
  }
  return [{ path: joinPath(path), message: issue.message }];
}

/** `participation.sites[2]` */
export function joinPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "study";
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
