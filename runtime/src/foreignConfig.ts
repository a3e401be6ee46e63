import { err, type Result } from "@consilium/core/result";
import type { YamlLimits } from "@consilium/core/yamlLimits";
import type { z } from "zod";
import { checkContent, type FaultyConfig, notYaml } from "./config.js";
import { type YamlReader, yamlReader } from "./yaml/yamlReader.js";

/**
 * As `readConfig`, of a text from somebody else than who runs the process: read on a thread, within limits.
 * @throws ConsiliumError RATE_LIMITED while too many other texts wait
 */
export async function readForeignConfig<S extends z.ZodType>(
  text: string,
  schema: S,
  limits: YamlLimits,
  reader: Pick<YamlReader, "read" | "lines"> = yamlReader,
): Promise<Result<z.output<S>, FaultyConfig>> {
  const read = await reader.read(text, limits);
  if (!read.ok) return err(notYaml(read.error.line, read.error.message));
  const checked = checkContent(read.value ?? {}, schema);
  if (checked.ok) return checked;
  const faults = checked.error;
  const paths = faults.map(({ at }) => at.map((key) => (typeof key === "number" ? key : String(key))));
  const lines = await reader.lines(text, limits, paths);
  const [first, ...rest] = faults.map(({ message }, index) => ({ line: lines[index] ?? null, message }));
  return err({ faults: [first!, ...rest] });
}
