import { ConsiliumError } from "@consilium/core/errors";
import { studyYamlLimits } from "@consilium/core/yamlLimits";
import { yamlReader } from "./yamlReader.js";

/**
 * The content of a study's file from outside, which `Methods.parse` then judges.
 * @throws ConsiliumError STUDY_INVALID when the text is no YAML or beyond its limits, RATE_LIMITED while too many wait
 */
export async function readStudyYaml(text: string): Promise<unknown> {
  const read = await yamlReader.read(text, studyYamlLimits);
  if (read.ok) return read.value;
  const { line, message } = read.error;
  const where = line === null ? "" : ` in line ${line}`;
  throw new ConsiliumError("STUDY_INVALID", `invalid study YAML${where}: ${message}`);
}
