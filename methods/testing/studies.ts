import type { Sha256 } from "@consilium/core/ids";
import { type AnyStudy, allMethods } from "@consilium/methods-paper/all";

/** For tests: studies of all methods, as every program but a site's reads them. */
export type Study = AnyStudy;

export const parseStudy = (raw: unknown) => allMethods.parse(raw);
export const readStudyDocument = (text: string, hash: Sha256) => allMethods.read(text, hash);
