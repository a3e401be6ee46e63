import { ConsiliumError } from "@consilium/core/errors";
import { releaseQuery } from "@consilium/core/release/views";
import { type Pages, pageSecurityPolicy } from "@consilium/runtime/http/pages";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isWithdrawn } from "../catalogue/catalogue.js";
import { schemaOrgDataset } from "../formats/linkedData.js";
import {
  linkedDataScript,
  listPage,
  type PlainPage,
  plainDocument,
  plainSecurityPolicy,
  refusedPage,
  releasePage,
} from "./page.js";
import { entryOf, permitted, publicRoute, type Reading, releaseParams, rootOf } from "./reading.js";
import { summaryOf, viewOf } from "./view.js";

/** Releases shown on the plain first page; the API has the rest. */
const listedOnPage = 200;

/**
 * The pages for people: the built catalogue, with title, verdict and files in it for a browser without JavaScript; or
 * these alone where nothing is built.
 */
export function pageRoutes(api: HttpServer, reading: Reading, pages: Pages | null): void {
  const hidden = { hide: true };
  const send = (reply: FastifyReply, plain: PlainPage) =>
    reply
      .headers({
        "content-security-policy": pages === null ? plainSecurityPolicy : pageSecurityPolicy,
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        vary: "Accept, Authorization, Cookie",
      })
      .send(pages === null ? plainDocument(plain) : withPlain(pages.html, plain));
  api.get("/", { config: publicRoute, schema: hidden }, async (request, reply) => {
    const query = releaseQuery.parse({});
    const { releases: found } = reading.catalogue.search(query, await permitted(request, reading));
    const releases = found
      .slice(0, listedOnPage)
      .map((release) => summaryOf(release, reading.urlOf(release.summary.id)));
    reply.header("link", feedLinks);
    const list = listPage(releases, { total: found.length, hasMembers: reading.members.bytes !== null });
    return send(reply, { ...list, head: feedHead });
  });
  // The page's links are relative, so that it works behind any prefix: the slash at the end matters.
  api.get(
    "/releases/:id",
    { config: publicRoute, schema: { ...hidden, params: releaseParams } },
    async (request, reply) => {
      const { id } = request.params;
      if (!isForPeople(request)) await entryOf(request, id, reading);
      return reply.redirect(`${encodeURIComponent(id)}/`, 308);
    },
  );
  api.get(
    "/releases/:id/",
    { config: publicRoute, schema: { ...hidden, params: releaseParams } },
    async (request, reply) => {
      const { id } = request.params;
      try {
        const entry = await entryOf(request, id, reading);
        if (!isWithdrawn(entry)) describe(reply);
        const view = viewOf(entry, reading.urlOf(id), reading);
        const head = linkedDataScript(schemaOrgDataset(view, rootOf(reading)));
        return send(reply, { ...releasePage(view), head });
      } catch (thrown) {
        if (!isForPeople(request) || !(thrown instanceof ConsiliumError)) throw thrown;
        if (thrown.code === "UNAUTHENTICATED") return send(reply.code(401), refusedPage(thrown));
        if (thrown.code === "RELEASE_UNKNOWN") return send(reply.code(404), refusedPage(thrown));
        throw thrown;
      }
    },
  );
}

const feeds = [
  ["feed.atom", "application/atom+xml"],
  ["catalogue.jsonld", "application/ld+json"],
] as const;
const feedHead = feeds
  .map(([file, type]) => `<link rel="alternate" type="${type}" href="${file}">`)
  .join("\n");
const feedLinks = feeds.map(([file, type]) => `<${file}>; rel="alternate"; type="${type}"`).join(", ");

function isForPeople(request: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(String(request.headers.accept ?? ""));
}

/** Where programs find the metadata of a page that is for people (RFC 8288). */
function describe(reply: FastifyReply): void {
  const links = [
    ["croissant.json", "application/ld+json", "http://mlcommons.org/croissant/1.0"],
    ["ro-crate-metadata.json", "application/ld+json", "https://w3id.org/ro/crate"],
    ["datapackage.json", "application/json", "https://datapackage.org/profiles/2.0/datapackage.json"],
  ].map(([file, type, profile]) => `<${file}>; rel="describedby"; type="${type}"; profile="${profile}"`);
  reply.header("link", links.join(", "));
}

/** The built page with a title and a head of its own, and what to show without JavaScript. */
function withPlain(html: string, { title, body, head = "" }: PlainPage): string {
  return html
    .replace("</head>", () => `${head}\n</head>`)
    .replace(/<title>[\s\S]*?<\/title>/, () => `<title>${title} · Consilium</title>`)
    .replace(/<noscript>[\s\S]*?<\/noscript>/, () => `<noscript><main>${body}</main></noscript>`);
}
