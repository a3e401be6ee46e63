import { ConsiliumError } from "@consilium/core/errors";
import { withdrawnFault } from "@consilium/core/release/withdrawal";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Readers } from "../access/readers.js";
import { type Catalogue, type Entry, isWithdrawn } from "../catalogue/catalogue.js";
import type { MembersOnFile } from "../catalogue/publishedMembers.js";
import type { Searchable } from "../catalogue/search.js";

/** What every route that reads releases needs. */
export interface Reading {
  readonly catalogue: Catalogue;
  readonly readers: Pick<Readers, "opens">;
  /** The URL of a release, ending in a slash. */
  urlOf(id: string): string;
  /** The federation's list of its members; null where it published none. */
  readonly members: Pick<MembersOnFile, "bytes">;
  /** Whom readers ask about the federation; left out where the publisher does not say. */
  readonly contact?: string | undefined;
}

/** The publisher's own address, ending in a slash. */
export const rootOf = (reading: Pick<Reading, "urlOf">) => new URL("../../", reading.urlOf("any")).href;

export const releaseParams = z.object({ id: z.string().max(100) });

/** What a reader may know of is judged release by release. */
export const publicRoute = { role: "public" } as const;

/** Which releases a request may know of. */
export async function permitted(
  request: FastifyRequest,
  { readers }: Reading,
): Promise<(release: Searchable) => boolean> {
  const opens = await readers.opens(request);
  return ({ summary }) => summary.access === "open" || opens(summary.id);
}

/**
 * The release of a request.
 * @throws ConsiliumError RELEASE_UNKNOWN, UNAUTHENTICATED if the request may not read it
 */
export async function entryOf(request: FastifyRequest, id: string, reading: Reading): Promise<Entry> {
  const unknown = () => new ConsiliumError("RELEASE_UNKNOWN", "unknown release");
  const listed = reading.catalogue.listed(id);
  if (listed === undefined) throw unknown();
  if ((await permitted(request, reading))(listed)) {
    const entry = await reading.catalogue.get(id);
    if (entry === undefined) throw unknown();
    return entry;
  }
  throw new ConsiliumError("UNAUTHENTICATED", "this release needs a token", {
    remedy: "ask its publisher for a token; a program sends it as `Authorization: Bearer <token>`",
  });
}

/**
 * The release of a request that is not withdrawn.
 * @throws ConsiliumError as `entryOf`, RELEASE_WITHDRAWN
 */
export async function inUse(request: FastifyRequest, id: string, reading: Reading): Promise<Entry> {
  const entry = await entryOf(request, id, reading);
  if (isWithdrawn(entry)) throw withdrawnFault(entry.withdrawal!.withdrawal);
  return entry;
}

/** Pages of other origins may read what anybody may read. */
export function shareOpen(reply: FastifyReply, entry: Entry): void {
  if (entry.description.access !== "open") return;
  reply.headers({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Accept-Ranges, Content-Length, Content-Range, ETag",
  });
}
