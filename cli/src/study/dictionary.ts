import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { lines, nameOf } from "@consilium/core/said";
import { readDictionary } from "@consilium/core/study/dictionary";
import { withStep } from "@consilium/core/study/step";
import { quoted } from "@consilium/core/text";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { stringify } from "yaml";
import { DetailedError, fileFault } from "../failure.js";

/**
 * `label:` and `features:` of a study, as YAML, from a data dictionary.
 * @param label - the name of the outcome; null for a study without one
 * @param hasSteps - of a method whose coefficients are for a step of a number, which is proposed
 * @throws DetailedError CONFIG_INVALID with every fault and its line
 */
export async function dictionaryColumns(
  path: string,
  label: string | null,
  hasSteps: boolean,
): Promise<string> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const options = { remedy: "check the path", cause };
    throw new ConsiliumError("CONFIG_INVALID", `dictionary ${path}: ${fileFault(cause)}`, options);
  });
  const read = readDictionary(text, label);
  const faults = [...read.faults];
  if (faults.length === 0 && label !== null && read.label === null)
    faults.push(lines<StudyFaultSays>()("dictionary.no-label", { name: nameOf(quoted(label)) }));
  if (faults.length > 0) {
    const { english } = await import("@consilium/runtime/http/spoken");
    const listed = faults.map(english);
    throw new DetailedError(
      "CONFIG_INVALID",
      `dictionary ${path} has ${faults.length === 1 ? "one error" : `${faults.length} errors`}: ${listed[0]}`,
      {
        remedy: "correct these lines",
        listing: listed.map((fault) => `  ${fault}\n`).join(""),
        details: { file: path, faults: listed },
      },
    );
  }
  const flow = (value: object) => stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  const labels = read.label === null ? "" : `label: ${flow(read.label)}\n\n`;
  return `${labels}features:\n${read.features.map((feature) => `  - ${flow(hasSteps ? withStep(feature) : feature)}\n`).join("")}`;
}
