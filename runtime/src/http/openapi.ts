import { STATUS_CODES } from "node:http";
import { failureSchema } from "@consilium/core/failure";
import type { FastifyContextConfig, FastifySchema, RouteOptions } from "fastify";
import { z } from "zod";
import { zodOf } from "./schemas.js";
import type { HttpServer } from "./server.js";

/** JSON as OpenAPI documents hold it. */
type Json = { [key: string]: unknown };

interface ApiInfo {
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

interface Route {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
  readonly config: FastifyContextConfig;
}

const routesOf = new WeakMap<object, Route[]>();
/** Methods that say nothing of their own in a document. */
const undocumented = ["HEAD", "OPTIONS"];

/** Keeps a server's routes as they are declared. */
export function collectRoutes(server: HttpServer): void {
  const routes: Route[] = [];
  routesOf.set(server.server, routes);
  server.addHook("onRoute", (route: RouteOptions) => {
    for (const method of [route.method].flat()) {
      routes.push({ method, url: route.url, schema: route.schema ?? {}, config: route.config ?? {} });
    }
  });
}

/** Every route of a server with its role, as `GET /path role`, sorted: for tests that hold it against a list. */
export function roleTable(server: HttpServer): string[] {
  return (routesOf.get(server.server) ?? [])
    .filter(({ method }) => method !== "HEAD")
    .map(({ method, url, config }) => `${method} ${url} ${config.role}`)
    .sort();
}

/** The OpenAPI document at `/openapi.json`, from the schemas that the routes validate with. */
export function routeOpenApi(server: HttpServer, info: ApiInfo): void {
  let document: Json | undefined;
  const config = { role: "public" } as const;
  server.get("/openapi.json", { config, schema: { hide: true } }, async (_, reply) => {
    document ??= openApiDocument(server, info);
    return reply.type("application/json; charset=utf-8").send(JSON.stringify(document));
  });
}

/**
 * A server's routes as an OpenAPI 3.1 document: paths and components in the order of their names.
 * @throws RangeError where two different schemas have one id
 */
export function openApiDocument(server: HttpServer, info: ApiInfo): Json {
  const components = new Map<string, unknown>();
  const paths = new Map<string, Json>();
  for (const route of routesOf.get(server.server) ?? []) {
    if (route.schema.hide === true || undocumented.includes(route.method)) continue;
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    const item = paths.get(path) ?? {};
    item[route.method.toLowerCase()] = operation(route, components);
    paths.set(path, item);
  }
  return {
    openapi: "3.1.0",
    info: { ...info },
    servers: [{ url: "/" }],
    paths: sorted(paths),
    components: {
      schemas: sorted(components),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token, for programs. No CSRF header, no cookie.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "consilium-session",
          description:
            "The cookie of a signed-in browser. Its name ends in the server's port (consilium-session-7080), and " +
            "under TLS is __Host-consilium-session. A change needs the header x-consilium-csrf, and an Origin of ours.",
        },
      },
    },
  };
}

function operation({ schema, config }: Route, components: Map<string, unknown>): Json {
  const { summary, description, params, querystring, body, bodyTypes, answerType, response } = schema;
  const parameters = [
    ...parametersOf("path", params, components),
    ...parametersOf("query", querystring, components),
  ];
  const answers = Object.entries((response ?? {}) as Record<string, unknown>).map(([status, answer]) => [
    status,
    {
      description: STATUS_CODES[status] ?? "",
      ...(isEmpty(answer)
        ? {}
        : { content: contentOf([answerType ?? jsonType], jsonSchema(answer, "output", components)) }),
    },
  ]);
  const failure = jsonSchema(failureSchema, "output", components);
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: contentOf(bodyTypes ?? [jsonType], jsonSchema(body, "input", components)),
          },
        }),
    responses: {
      ...Object.fromEntries(answers),
      ...(answers.length > 0 || answerType === undefined
        ? {}
        : { 200: { description: "OK", content: contentOf([answerType], { type: "string" }) } }),
      default: { description: "A failure", content: contentOf([jsonType], failure) },
    },
    ...(config.role === "public" ? {} : { security: [{ token: [] }, { session: [] }] }),
    "x-role": config.role,
  };
}

const jsonType = "application/json";

function contentOf(types: readonly string[], schema: Json): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function isEmpty(answer: unknown): boolean {
  return answer instanceof z.ZodVoid || answer instanceof z.ZodUndefined;
}

function parametersOf(place: "path" | "query", schema: unknown, components: Map<string, unknown>): Json[] {
  if (schema === undefined) return [];
  const { properties, required } = jsonSchema(schema, "input", components) as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: required?.includes(name) ?? false,
    ...(description === undefined ? {} : { description }),
    schema: type,
  }));
}

/** A schema in OpenAPI's own dialect, which since 3.1 is JSON Schema; schemas with an id go to the components. */
function jsonSchema(schema: unknown, io: "input" | "output", components: Map<string, unknown>): Json {
  const made = z.toJSONSchema(zodOf(schema), {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema: part }) => {
      // In OpenAPI this is said of what is never sent; here it is a type of TypeScript's.
      delete part.readOnly;
      // Later versions may add fields to responses.
      if (io === "output" && part.additionalProperties === false) delete part.additionalProperties;
      if (part.format !== undefined) delete part.pattern;
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
    },
  });
  const { $schema: _dialect, $defs, ...rest } = referenced(made) as Json;
  for (const [id, definition] of Object.entries(($defs ?? {}) as Json)) {
    const known = components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new RangeError(`two different schemas have the id ${id}`);
    }
    components.set(id, definition);
  }
  return rest;
}

/** References to definitions beside the schema made references to the document's components. */
function referenced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referenced);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string"
        ? part.replace(/^#\/\$defs\//, "#/components/schemas/")
        : referenced(part),
    ]),
  );
}

function sorted(entries: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
