import { z } from "zod";
import { isRecord } from "../keysOf.js";
import { err, type Result } from "../result.js";
import { unstorable } from "../study/features.js";
import { shapeWords } from "../study/shapeWords.js";
import { deltaFault, type Study } from "../study/study.js";
import { isStorableText } from "../text.js";
import type { ListedMethods } from "./listedMethods.js";
import { analysisOf, type Method, namesOf, variantOf } from "./method.js";
import { issuesMost, joinPath, StudyInvalidError, type StudyIssue, StudyReader } from "./studyReader.js";

type Keys = Readonly<Record<string, unknown>>;

/** Reads studies as somebody wrote them too, whose defaults it fills in, and says what a study file may say. */
export class Methods<S extends Study = Study> extends StudyReader<S> {
  /**
   * Validates a study as written in its YAML file.
   * @param raw - the parsed YAML
   * @returns the study with defaults filled in, or every fault with the key and the fix
   */
  parse(raw: unknown): Result<S, StudyInvalidError> {
    const parsed = this.check(this.#withNewDefaults(raw), shapeWords);
    if (!parsed.ok) return parsed;
    const fault = deltaFault(parsed.value);
    if (fault !== null) return err(new StudyInvalidError([{ path: "privacy.delta", message: fault }]));
    const issues = unstorableIn(parsed.value, []).slice(0, issuesMost);
    return issues.length === 0 ? parsed : err(new StudyInvalidError(issues));
  }

  /**
   * A study's file as JSON Schema (draft 2020-12), read from the schema that validates it: for forms and for editors. Keys
   * with a default or that a method fills in (`method`, `variant`) may be left out of a file. What only the whole study
   * shows, such as a label that is a feature too, it does not say.
   */
  jsonSchema(): Record<string, unknown> {
    return z.toJSONSchema(this.schema, { io: "input", reused: "inline" }) as Record<string, unknown>;
  }

  /** The variant and method that a study leaves open: they decide which other keys there are. */
  #withDefaults(raw: unknown): unknown {
    if (!isRecord(raw)) return raw;
    const own = this.list.filter((one) => analysisOf(one) === raw.analysis);
    const { variant = "sound" } = raw;
    const usual = own.find((one) => variantOf(one) === variant) ?? own[0];
    if (usual === undefined) return raw;
    const { method = namesOf(usual)[0] } = raw;
    const named = { ...raw, variant, method };
    return this.methodOf(named)?.withDefaults?.(named) ?? named;
  }

  #withNewDefaults(raw: unknown): unknown {
    const named = this.#withDefaults(raw);
    const method = this.methodOf(named);
    if (method === undefined || !isRecord(named)) return named;
    // Weights by the method; what is chosen by the noise comes after them.
    const open = withWeightingDefault(method.withNewDefaults?.(named) ?? named, method);
    const read = (keys: Keys) => {
      const parsed = this.check(this.#withDefaults(keys));
      return parsed.ok ? parsed.value : null;
    };
    return method.withNoiseDefaults?.(open, read) ?? open;
  }
}

/**
 * As `Methods.parse`, of methods that are loaded as far as the study may mean them.
 * @throws ConsiliumError METHODS_MISSING for a method that cannot be loaded
 */
export async function parseWritten(
  methods: Pick<ListedMethods, "loadedFor">,
  raw: unknown,
): Promise<Result<Study, StudyInvalidError>> {
  const { list, known } = await methods.loadedFor(raw);
  return new Methods(list, known).parse(raw);
}

/** Texts that no store or reader takes, as keys too, anywhere in a study. */
function unstorableIn(value: unknown, path: readonly PropertyKey[]): StudyIssue[] {
  if (typeof value === "string")
    return isStorableText(value) ? [] : [{ path: joinPath(path), message: unstorable }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const step = Array.isArray(value) ? Number(key) : key;
    return [...unstorableIn(key, [...path, step]), ...unstorableIn(member, [...path, step])];
  });
}

/** As far as weights depend on a method: the others ask blocks of rows for what is no sum over them, or nothing is proven of them. */
type Weighing = Pick<Method, "weighsPatients">;

/** What a new study leaves open about its patients' weights, filled in before the schema reads it. A text that travelled is left as it is. */
function withWeightingDefault(raw: Keys, { weighsPatients }: Weighing): Keys {
  const { patient } = raw;
  if (weighsPatients !== true || !isRecord(patient)) return raw;
  if (patient.weighting !== undefined || patient.maxRows === 1) return raw;
  return { ...raw, patient: { ...patient, weighting: "patients" } };
}
