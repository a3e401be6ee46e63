import { faults } from "@consilium/core/fault";
import { parseStudyId, type StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { readStudyYaml } from "@consilium/runtime/yaml/studyYaml";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import { z } from "zod";
import type { Studies } from "../rounds/studies.js";

const fault = faults<AggregatorSays>();

/** The schema of a route that takes a study's file, as YAML or JSON. */
export const studySchema = {
  body: z.unknown().describe("A study file."),
  bodyTypes: ["application/yaml", "application/json"],
};

export const byId = z.object({ id: z.string() });

/**
 * The content of a study file in any form that a request may have.
 * @throws ConsiliumError STUDY_INVALID if the text is not valid YAML or exceeds limits, RATE_LIMITED while too many
 * wait
 */
export async function rawStudy(body: unknown): Promise<unknown> {
  return typeof body === "string" ? readStudyYaml(body) : body;
}

/** @throws ConsiliumError STUDY_INVALID with every error; RATE_LIMITED */
export async function studyOf(body: unknown, studies: Studies): Promise<Study> {
  return unwrap(studies.written(await rawStudy(body)));
}

/** @throws ConsiliumError STUDY_UNKNOWN */
export function idOf(text: string): StudyId {
  const parsed = parseStudyId(text);
  if (!parsed.ok) throw fault("STUDY_UNKNOWN", "roster.study-id", {});
  return parsed.value;
}
