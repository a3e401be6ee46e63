import { ConsiliumError } from "@consilium/core/errors";
import type { FastifyInstance, FastifySchema } from "fastify";
import { z } from "zod";

/** Lets routes declare their query and answers as zod schemas: one definition validates, types and documents. */
export function useZodSchemas(api: FastifyInstance): void {
  api.setValidatorCompiler(({ schema, httpPart }) => (data: unknown) => {
    const parsed = zodOf(schema).safeParse(data);
    if (parsed.success) return { value: parsed.data };
    const issue = parsed.error.issues[0];
    const where = [httpPart, ...(issue?.path ?? [])].join(".");
    return { error: new ConsiliumError("FIELD_INVALID", `${where}: ${issue?.message ?? "invalid"}`) };
  });
  // The answers are typed where they are made; what leaves is not parsed a second time.
  api.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

function zodOf(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new RangeError("a route's schema is not a zod schema");
}

/** A schema in OpenAPI's own dialect, which since 3.1 is JSON Schema. */
function jsonSchema(schema: unknown, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(zodOf(schema), { io });
  return rest;
}

/** Turns a route's zod schemas into what the OpenAPI document shows. */
export function documentSchema(schema: FastifySchema | undefined): FastifySchema {
  const { querystring, params, response, ...rest } = schema ?? {};
  const answers = Object.entries((response ?? {}) as Record<string, unknown>).map(([status, answer]) => [
    status,
    { description: "", ...jsonSchema(answer, "output") },
  ]);
  return {
    ...rest,
    ...(querystring === undefined ? {} : { querystring: jsonSchema(querystring, "input") }),
    ...(params === undefined ? {} : { params: jsonSchema(params, "input") }),
    ...(answers.length === 0 ? {} : { response: Object.fromEntries(answers) }),
  };
}
