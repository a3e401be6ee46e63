import { ConsiliumError } from "@consilium/core/errors";
import type { FastifyInstance, FastifyTypeProvider } from "fastify";
import { z } from "zod";
import { spoken } from "./spoken.js";

/** Types of params, query, body and answers from the zod schemas of a route. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this["schema"] extends z.ZodType ? z.output<this["schema"]> : unknown;
  serializer: this["schema"] extends z.ZodType ? z.input<this["schema"]> : unknown;
}

declare module "fastify" {
  interface FastifySchema {
    /** One line: what the route does. */
    summary?: string;
    description?: string;
    /** Left out of the OpenAPI document. */
    hide?: boolean;
    /** Media types of the body; JSON where none is named. */
    bodyTypes?: readonly string[];
    /** Media type of the answers that are no failures; JSON where none is named. */
    answerType?: string;
  }
}

/**
 * Lets routes declare params, query, body and answers as zod schemas: one definition validates, types and documents.
 * @param options.verifyAnswers - validate responses too, and fail if they do not match the schema: for tests.
 *   Otherwise the answers are typed where they are made, and not parsed a second time.
 */
export function useZodSchemas(
  server: FastifyInstance,
  options: { readonly verifyAnswers?: boolean } = {},
): void {
  server.setValidatorCompiler(({ schema, httpPart }) => (data: unknown) => {
    const parsed = zodOf(schema).safeParse(data);
    if (parsed.success) return { value: parsed.data };
    return { error: invalid(parsed.error, httpPart ?? "request") };
  });
  server.setSerializerCompiler(({ schema, url }) => (data) => {
    if (options.verifyAnswers === true) {
      const parsed = zodOf(schema).safeParse(data);
      if (!parsed.success) {
        throw new RangeError(`${url} response does not match its schema: ${z.prettifyError(parsed.error)}`);
      }
    }
    return JSON.stringify(spoken(data));
  });
}

export function zodOf(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new RangeError("a route's schema is not a zod schema");
}

const readable = /^[A-Za-z][\w-]{0,63}$/;

/** The first fault, by the names of our own fields: nothing else of the request is repeated. */
function invalid(error: z.ZodError, httpPart: string): ConsiliumError {
  const issue = error.issues[0]!;
  const part = httpPart === "querystring" ? "query" : httpPart;
  const name = (key: PropertyKey) =>
    typeof key === "number" || (typeof key === "string" && readable.test(key)) ? String(key) : "…";
  const where = [part, ...issue.path.map(name)].join(".");
  const what =
    issue.code === "unrecognized_keys" ? `unknown keys ${issue.keys.map(name).join(", ")}` : issue.message;
  return new ConsiliumError("FIELD_INVALID", `${where}: ${what}`, {
    remedy: "correct the request; if a Consilium program sent it, upgrade the older side",
  });
}
