import { releaseQuery } from "@consilium/core/release/views";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { ListedRelease } from "../catalogue/catalogue.js";
import { membersFile } from "../catalogue/publishedMembers.js";
import { atomFeed } from "../formats/atom.js";
import { dcatCatalogue } from "../formats/linkedData.js";
import { publicRoute, type Reading, rootOf } from "./reading.js";
import { filesOf, linkTo, servedOf, summaryOf, withdrawalOf } from "./view.js";

/** Entries of the feed. */
const feedMost = 100;
/** Releases of one answer, for a harvester that asks again from an offset. */
const catalogueMost = 1_000;

const catalogueQuery = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(catalogueMost).default(catalogueMost),
});

/** A withdrawal is news, of an old release too. */
const changedAt = ({ createdAtMs, withdrawal }: ListedRelease) =>
  withdrawal === null ? createdAtMs : Date.parse(withdrawal.withdrawal.issuedAt);

/** What feed readers and institutions' catalogues harvest: open releases alone, to a reader with a token too. */
export function feedRoutes(api: HttpServer, reading: Reading): void {
  const openReleases = () => [
    ...reading.catalogue.search(releaseQuery.parse({}), ({ summary }) => summary.access === "open").releases,
  ];
  const shared = (reply: FastifyReply, type: string) =>
    reply.headers({
      "content-type": type,
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=300",
    });

  api.get("/feed.atom", { config: publicRoute, schema: { hide: true } }, async (_request, reply) => {
    const root = rootOf(reading);
    const releases = openReleases()
      .sort((one, other) => changedAt(other) - changedAt(one))
      .slice(0, feedMost)
      .map((release) => summaryOf(release, reading.urlOf(release.summary.id)));
    shared(reply, "application/atom+xml; charset=utf-8");
    return reply.send(atomFeed({ root, self: `${root}feed.atom`, releases }));
  });

  // Like a root certificate it is for everybody, and names no release.
  api.get(`/${membersFile}`, { config: publicRoute, schema: { hide: true } }, async (_request, reply) => {
    const { bytes } = reading.members;
    if (bytes === null) return reply.callNotFound();
    shared(reply, "application/json; charset=utf-8");
    return reply.send(Buffer.from(bytes));
  });

  api.get(
    "/catalogue.jsonld",
    { config: publicRoute, schema: { hide: true, querystring: catalogueQuery } },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const found = openReleases();
      const described = found.slice(offset, offset + limit).map((release) => {
        const { summary } = release;
        const url = reading.urlOf(summary.id);
        const files = servedOf(release, reading.catalogue.filesOf(summary.id));
        const supersedes = reading.catalogue.supersededBy(summary.id).map((id) => linkTo(id, url));
        return {
          content: summary,
          url,
          files: filesOf(files, url),
          supersedes,
          ...withdrawalOf(release, url),
        };
      });
      const next = offset + limit;
      if (next < found.length)
        reply.header("link", `<catalogue.jsonld?offset=${next}&limit=${limit}>; rel="next"`);
      shared(reply, "application/ld+json; charset=utf-8");
      return reply.send(JSON.stringify(dcatCatalogue(described, rootOf(reading))));
    },
  );
}
