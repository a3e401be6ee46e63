import { ConsiliumError } from "./errors.js";
import { err, ok, type Result } from "./result.js";

/** A hospital's name in the federation: 1 to 40 characters, a-z, 0-9 and single hyphens between them. */
export type SiteId = string & { readonly __brand: "SiteId" };
/** A study's id: its name, a hyphen, and 10 hexadecimal digits. */
export type StudyId = string & { readonly __brand: "StudyId" };
/** A stage of a study's plan, such as `moments`. */
export type StageId = string & { readonly __brand: "StageId" };
/** 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly __brand: "Sha256" };

function parser<T extends string>(what: string, pattern: RegExp, maxLength: number) {
  return (raw: unknown): Result<T, ConsiliumError> => {
    if (typeof raw === "string" && raw.length <= maxLength && pattern.test(raw)) return ok(raw as T);
    return err(new ConsiliumError("FIELD_INVALID", `not a valid ${what}`));
  };
}

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const parseSiteId = parser<SiteId>("site id (a-z, 0-9 and single hyphens, at most 40)", slug, 40);
export const parseStudyId = parser<StudyId>("study id", /^[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{10}$/, 80);
export const parseStageId = parser<StageId>("stage id", slug, 40);
export const parseSha256 = parser<Sha256>("SHA-256", /^[0-9a-f]{64}$/, 64);
