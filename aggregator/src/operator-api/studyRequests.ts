import { ConsiliumError } from "@consilium/core/errors";
import { parseStudyId, type StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { parseStudy, type Study } from "@consilium/core/study/study";
import { parse as parseYaml } from "yaml";
import { z } from "zod";

/** The schema of a route that takes a study's file, as YAML or JSON. */
export const studySchema = {
  body: z.unknown().describe("A study file."),
  bodyTypes: ["application/yaml", "application/json"],
};

export const byId = z.object({ id: z.string() });

/** @throws ConsiliumError STUDY_INVALID when the text is no YAML */
export function rawStudy(body: unknown): unknown {
  try {
    return typeof body === "string" ? parseYaml(body, { maxAliasCount: 0, logLevel: "error" }) : body;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split("\n")[0] : "";
    throw new ConsiliumError("STUDY_INVALID", `the file is not YAML: ${reason}`);
  }
}

/** @throws ConsiliumError STUDY_INVALID, with every fault */
export function studyOf(body: unknown): Study {
  return unwrap(parseStudy(rawStudy(body)));
}

/** @throws ConsiliumError STUDY_UNKNOWN */
export function idOf(text: string): StudyId {
  const parsed = parseStudyId(text);
  if (!parsed.ok) throw new ConsiliumError("STUDY_UNKNOWN", "that is not a study's id");
  return parsed.value;
}
