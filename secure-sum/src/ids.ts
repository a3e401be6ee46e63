/**
 * Names that enter what is signed and hashed. There they stand between spaces and line breaks, so none may hold either:
 * a name from outside is one of these only when its predicate says so.
 */

/** A site: 1 to 40 characters, a-z, 0-9 and single hyphens between them. */
export type SiteId = string & { readonly __brand: "SiteId" };
/** A study: its name, a hyphen, and 10 hexadecimal digits; at most 80 characters. */
export type StudyId = string & { readonly __brand: "StudyId" };
/** A stage of a study, such as `moments`: written as a site id is. */
export type StageId = string & { readonly __brand: "StageId" };
/** 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly __brand: "Sha256" };

const matches = (raw: unknown, pattern: RegExp, maxLength: number): boolean =>
  typeof raw === "string" && raw.length <= maxLength && pattern.test(raw);

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const isSiteId = (raw: unknown): raw is SiteId => matches(raw, slug, 40);
export const isStageId = (raw: unknown): raw is StageId => matches(raw, slug, 40);
export const isStudyId = (raw: unknown): raw is StudyId =>
  matches(raw, /^[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{10}$/, 80);
export const isSha256 = (raw: unknown): raw is Sha256 => matches(raw, /^[0-9a-f]{64}$/, 64);
