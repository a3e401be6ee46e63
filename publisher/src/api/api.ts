import { ConsiliumError } from "@consilium/core/errors";
import { plotsFolder } from "@consilium/core/release/certificate";
import { releaseListSchema, releaseViewSchema } from "@consilium/core/release/views";
import { softwareVersion } from "@consilium/core/version";
import { routeOpenApi } from "@consilium/runtime/http/openapi";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Metrics } from "@consilium/runtime/metrics";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Catalogue, Entry } from "../catalogue/catalogue.js";
import type { Tokens } from "../catalogue/tokens.js";
import { listPage, pageSecurityPolicy, releasePage } from "./page.js";
import { sendFile } from "./sendFile.js";
import { summaryOf, viewOf } from "./view.js";

export interface ApiOptions {
  readonly catalogue: Catalogue;
  readonly tokens: Tokens;
  /** The URL of a release, ending in a slash. */
  urlOf(id: string): string;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether deposits are taken. */
  ready(): boolean;
  /** Requests of one address in a minute. A reader of ranges makes some hundreds for a large file. */
  readonly requestsPerMinute?: number;
}

const requestsPerMinute = 6_000;

const listQuery = z.object({
  q: z.string().max(200).default("").describe("words that must all occur in what describes the release"),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const releaseParams = z.object({ id: z.string().max(100) });
const fileParams = z.object({ id: z.string().max(100), file: z.string().max(200) });
/** Names of a release's files at its own level, and in its folder of plots. */
const fileUrls = [
  { url: "/releases/:id/:file", nameOf: (file: string) => file },
  { url: `/releases/:id/${plotsFolder}/:file`, nameOf: (file: string) => `${plotsFolder}/${file}` },
] as const;
/** What a reader may know of is judged release by release. */
const config = { role: "public" } as const;

export const publisherApi = {
  title: "Consilium publisher",
  description: "Releases of a federation: a catalogue, and files to read by URL.",
  version: softwareVersion,
};

/** The publisher's HTTP side: catalogue, releases and their files. Listening is the caller's. */
export async function createApi(options: ApiOptions): Promise<HttpServer> {
  const api = await createHttpServer({
    log: options.log,
    access: () => {
      throw new ConsiliumError("UNAUTHENTICATED", "no account of the publisher may do this");
    },
    bodyMaxBytes: 1024,
    rateLimit: { perMinute: options.requestsPerMinute ?? requestsPerMinute },
    // Releases are read by programs on other sites' pages too.
    crossOrigin: true,
    onClose: "finish",
  });
  measureRequests(api, options.metrics);
  catalogueRoutes(api, options);
  fileRoutes(api, options);
  routeOperations(api, options);
  routeOpenApi(api, publisherApi);
  return api;
}

/** Which releases a request may know of. */
async function permitted(request: FastifyRequest, tokens: Tokens): Promise<(entry: Entry) => boolean> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const opens = await tokens.permits(token);
  return ({ description }) => description.access === "open" || opens(description.id);
}

/** The release of a request, if it exists and the request may read it. */
async function entryOf(request: FastifyRequest, id: string, options: ApiOptions): Promise<Entry> {
  const entry = options.catalogue.get(id);
  if (entry === undefined) throw new ConsiliumError("RELEASE_UNKNOWN", "there is no release of this id");
  if ((await permitted(request, options.tokens))(entry)) return entry;
  throw new ConsiliumError("UNAUTHENTICATED", "this release needs a token", {
    remedy: "ask its publisher for a token and send it as `Authorization: Bearer <token>`",
  });
}

/** Pages of other origins may read what anybody may read. */
function shareOpen(reply: FastifyReply, entry: Entry): void {
  if (entry.description.access !== "open") return;
  reply.headers({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Accept-Ranges, Content-Length, Content-Range, ETag",
  });
}

function catalogueRoutes(api: HttpServer, options: ApiOptions): void {
  api.get(
    "/api/releases",
    {
      config,
      schema: {
        summary: "Releases, newest first",
        description: "Those that need a token are listed only to who presents it.",
        querystring: listQuery,
        response: { 200: releaseListSchema },
      },
    },
    async (request, reply) => {
      const { q, offset, limit } = request.query;
      const visible = await permitted(request, options.tokens);
      const found = options.catalogue.search({ query: q, visible });
      const releases = found
        .slice(offset, offset + limit)
        .map((entry) => summaryOf(entry, options.urlOf(entry.description.id)));
      if (request.headers.authorization === undefined) reply.header("access-control-allow-origin", "*");
      reply.headers({ "cache-control": "no-cache", vary: "Authorization" });
      return { total: found.length, offset, limit, releases };
    },
  );
  api.get(
    "/api/releases/:id",
    {
      config,
      schema: {
        summary: "A release: its content, its certificate in short, its files",
        params: releaseParams,
        response: { 200: releaseViewSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const entry = await entryOf(request, id, options);
      shareOpen(reply, entry);
      reply.headers({ "cache-control": "no-cache", vary: "Authorization" });
      return viewOf(entry, options.urlOf(id));
    },
  );
}

/** Releases shown on the first page; the API has the rest. */
const listedOnPage = 200;

function page(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({
      "content-security-policy": pageSecurityPolicy,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "Authorization",
    })
    .send(html);
}

function fileRoutes(api: HttpServer, options: ApiOptions): void {
  const hidden = { hide: true };
  api.get("/", { config, schema: hidden }, async (request, reply) => {
    const visible = await permitted(request, options.tokens);
    const found = options.catalogue.search({ query: "", visible });
    const releases = found
      .slice(0, listedOnPage)
      .map((entry) => summaryOf(entry, options.urlOf(entry.description.id)));
    return page(reply, listPage(releases, found.length));
  });
  // The page's links are relative, so that it works behind any prefix: the slash at the end matters.
  api.get(
    "/releases/:id",
    { config, schema: { ...hidden, params: releaseParams } },
    async (request, reply) => {
      const { id } = request.params;
      await entryOf(request, id, options);
      return reply.redirect(`${encodeURIComponent(id)}/`, 308);
    },
  );
  api.get(
    "/releases/:id/",
    { config, schema: { ...hidden, params: releaseParams } },
    async (request, reply) => {
      const { id } = request.params;
      const entry = await entryOf(request, id, options);
      return page(reply, releasePage(viewOf(entry, options.urlOf(id))));
    },
  );
  for (const { url, nameOf } of fileUrls) fileRoute(api, options, url, nameOf);
}

function fileRoute(
  api: HttpServer,
  options: ApiOptions,
  url: string,
  nameOf: (file: string) => string,
): void {
  api.route({
    method: ["GET", "HEAD"],
    url,
    config,
    schema: {
      answerType: "application/octet-stream",
      summary: "A file of a release",
      description:
        "Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the " +
        "SHA-256 that the certificate lists.",
      params: fileParams,
    },
    handler: async (request, reply) => {
      const { id, file: name } = request.params;
      const entry = await entryOf(request, id, options);
      // Only names that the release lists lead to a path.
      const file = entry.files.get(nameOf(name));
      if (file === undefined) {
        throw new ConsiliumError("RELEASE_UNKNOWN", "the release has no file of this name");
      }
      shareOpen(reply, entry);
      return sendFile(request, reply, file, { shared: entry.description.access === "open" });
    },
  });
  // Browsers ask first before they send a Range or a condition to another origin.
  api.options(url, { config, schema: { hide: true, params: fileParams } }, async (request, reply) => {
    const { id } = request.params;
    const entry = options.catalogue.get(id);
    if (entry !== undefined && entry.description.access === "open") {
      reply.headers({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": "Range, If-Match, If-None-Match, If-Range",
        "access-control-max-age": "86400",
      });
    }
    return reply.code(204).send();
  });
}
