import { z } from "zod";
import type { ConsiliumError } from "./errors.js";
import type { Result } from "./result.js";
import { parseSize } from "./sizes.js";
import { parseDuration } from "./units.js";

function parsed(parse: (text: string) => Result<number, ConsiliumError>) {
  return z.string().transform((text, context) => {
    const result = parse(text);
    if (result.ok) return result.value;
    context.addIssue({ code: "custom", message: `${result.error.message}: ${result.error.remedy}` });
    return z.NEVER;
  });
}

/** Schema of a duration in a file: text such as `10m` in, milliseconds out. */
export const durationSchema = parsed(parseDuration);

/** Schema of a size in a file: text such as `2MiB` in, bytes out. */
export const sizeSchema = parsed(parseSize);
