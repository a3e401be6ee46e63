import {
  isSha256,
  isSiteId,
  isStageId,
  isStudyId,
  type Sha256,
  type SiteId,
  type StageId,
  type StudyId,
} from "@consilium/secure-sum/ids";
import { ConsiliumError } from "./errors.js";
import { err, ok, type Result } from "./result.js";

export type { Sha256, SiteId, StageId, StudyId };

function parser<T extends string>(what: string, isValid: (raw: unknown) => raw is T) {
  return (raw: unknown): Result<T, ConsiliumError> =>
    isValid(raw) ? ok(raw) : err(new ConsiliumError("FIELD_INVALID", `not a valid ${what}`));
}

export const parseSiteId = parser<SiteId>("site id (a-z, 0-9 and single hyphens, at most 40)", isSiteId);
export const parseStudyId = parser<StudyId>("study id", isStudyId);
export const parseStageId = parser<StageId>("stage id", isStageId);
export const parseSha256 = parser<Sha256>("SHA-256", isSha256);
