import {
  releaseListSchema,
  releaseQuery,
  releaseRowsSchema,
  releaseSampleSchema,
  releaseViewSchema,
  rowsQuery,
  sampleQuery,
} from "@consilium/core/release/views";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { FastifyReply } from "fastify";
import type { Entry } from "../catalogue/catalogue.js";
import type { RowPreviews } from "../catalogue/rows.js";
import { entryOf, inUse, permitted, publicRoute, type Reading, releaseParams, shareOpen } from "./reading.js";
import { summaryOf, viewOf } from "./view.js";

/** The catalogue as JSON: the list, a release, and some of its rows. */
export function catalogueRoutes(api: HttpServer, reading: Reading, previews: RowPreviews): void {
  api.get(
    "/api/releases",
    {
      config: publicRoute,
      schema: {
        summary: "Releases, newest first",
        description: "Releases that need a token are only listed with it.",
        querystring: releaseQuery,
        response: { 200: releaseListSchema },
      },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { releases: found, facets } = reading.catalogue.search(
        request.query,
        await permitted(request, reading),
      );
      const releases = found
        .slice(offset, offset + limit)
        .map((release) => summaryOf(release, reading.urlOf(release.summary.id)));
      const { authorization, cookie } = request.headers;
      if (authorization === undefined && cookie === undefined)
        reply.header("access-control-allow-origin", "*");
      reply.headers(changing);
      const hasMembers = reading.members.bytes !== null;
      return { total: found.length, offset, limit, releases, facets, hasMembers };
    },
  );
  api.get(
    "/api/releases/:id",
    {
      config: publicRoute,
      schema: {
        summary: "A release: its content, its certificate in short, its files",
        params: releaseParams,
        response: { 200: releaseViewSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const entry = await entryOf(request, id, reading);
      shareOpen(reply, entry);
      reply.headers(changing);
      return viewOf(entry, reading.urlOf(id), reading);
    },
  );
  rowRoutes(api, reading, previews);
}

const changing = { "cache-control": "no-cache", vary: "Authorization, Cookie" };
const hour = 3_600;

/** Rows never change; for how long an answer's form stays is another matter. */
function kept(reply: FastifyReply, entry: Entry): void {
  shareOpen(reply, entry);
  const scope = entry.description.access === "open" ? "public" : "private";
  reply.headers({ "cache-control": `${scope}, max-age=${hour}`, vary: "Authorization, Cookie" });
}

function rowRoutes(api: HttpServer, reading: Reading, previews: RowPreviews): void {
  api.get(
    "/api/releases/:id/rows",
    {
      config: publicRoute,
      schema: {
        summary: "Some rows of a release",
        description: "For display; programs should read data.parquet.",
        params: releaseParams,
        querystring: rowsQuery,
        response: { 200: releaseRowsSchema },
      },
    },
    async (request, reply) => {
      const entry = await inUse(request, request.params.id, reading);
      const rows = await previews.rows(entry, request.query);
      kept(reply, entry);
      return rows;
    },
  );
  api.get(
    "/api/releases/:id/sample",
    {
      config: publicRoute,
      schema: {
        summary: "Two columns of a sample of a release's rows, to plot",
        description: "Always the same, evenly spaced rows.",
        params: releaseParams,
        querystring: sampleQuery,
        response: { 200: releaseSampleSchema },
      },
    },
    async (request, reply) => {
      const entry = await inUse(request, request.params.id, reading);
      const sample = await previews.sample(entry, request.query);
      kept(reply, entry);
      return sample;
    },
  );
}
