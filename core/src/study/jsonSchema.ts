import { z } from "zod";
import { studySchema } from "./study.js";

/**
 * A study's file as JSON Schema (draft 2020-12), read from the schema that validates it: for forms and for editors. Keys
 * with a default or that an analysis fills in (`method`, `variant`) may be left out of a file. What only the whole study
 * shows, such as a label that is a feature too, it does not say.
 */
export function studyJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(studySchema, { io: "input", reused: "inline" }) as Record<string, unknown>;
}
