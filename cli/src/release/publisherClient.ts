import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type {
  FoundRelease,
  ReleaseQuery,
  ReleaseSummary,
  WithdrawalSummary,
} from "@consilium/core/release/views";
import { defaultPorts } from "@consilium/runtime/home";
import type { paths } from "@consilium/runtime/http/openapi/generated/publisher";
import { fileFault } from "../failure.js";
import { answerOf, apiClient } from "../http/apiClient.js";
import { localHttpUrl } from "../http/localAddress.js";
import { answerFault, call, notOurs, parseHttpUrl, parseJson, type Remote, readText } from "../http/reach.js";
import type { Session } from "../session.js";

export interface PublisherOptions {
  readonly publisher?: string;
  readonly tokenFile?: string;
}

export interface PublisherClient {
  readonly remote: Remote;
  readonly headers: Readonly<Record<string, string>>;
  /** Every release visible to the reader, newest first: all, or those that the query leaves. */
  releases(query?: ListQuery): Promise<ReleaseSummary[]>;
  /** Finding of a release, and whom it counted. @throws RELEASE_UNKNOWN */
  found(release: string): Promise<FoundRelease>;
  /** What the aggregator has said of a release since; undefined for one in force. @throws RELEASE_UNKNOWN */
  withdrawal(release: string): Promise<WithdrawalSummary | undefined>;
  /** The address of a release's file. */
  fileUrl(release: string, file: string): string;
  /** The list of the federation's members, as text that nobody has verified. @throws STATE_MISSING without one */
  members(): Promise<string>;
  smallFile(release: string, file: string, maxBytes: number): Promise<Uint8Array>;
}

type ListQuery = Pick<ReleaseQuery, "method" | "verdict" | "from" | "to"> & { readonly q?: string };

const answerTimeoutMs = 30_000;
const pageLength = 100;

export async function openPublisher(session: Session, options: PublisherOptions): Promise<PublisherClient> {
  const [address, origin] = addressOf(session, options);
  const url =
    address === undefined
      ? await localHttpUrl(session.home.publisher, defaultPorts.publisherHttp)
      : parseHttpUrl(address, origin);
  const remote: Remote = {
    name: `the publisher at ${url}`,
    unreachable: "PUBLISHER_UNREACHABLE",
    remedy: "give its address with --publisher, or start it with `consilium serve publisher`",
  };
  const token = await readerToken(session, options, origin);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const api = apiClient<paths>({
    remote,
    url,
    headers,
    timeoutMs: answerTimeoutMs,
    interrupted: session.interrupted,
  });
  const fileUrl = (release: string, file: string) =>
    `${url}/releases/${[release, ...file.split("/")].map(encodeURIComponent).join("/")}`;
  return {
    remote,
    headers,
    fileUrl,
    members: () => fetchMembers(remote, `${url}/members.json`, session.interrupted),
    withdrawal: async (id) => {
      const { releaseViewSchema } = await import("@consilium/core/release/views");
      const answer = await answerOf(remote, api.GET("/api/releases/{id}", { params: { path: { id } } }));
      // A publisher of an earlier version says nothing of it.
      const parsed = releaseViewSchema.pick({ withdrawal: true }).safeParse(answer);
      if (!parsed.success) throw notOurs(remote, "unexpected response: not a release");
      return parsed.data.withdrawal;
    },
    found: async (id) => {
      const { foundReleaseSchema } = await import("@consilium/core/release/views");
      const answer = await answerOf(remote, api.GET("/api/releases/{id}", { params: { path: { id } } }));
      const parsed = foundReleaseSchema.safeParse(answer);
      if (!parsed.success) throw notOurs(remote, "unexpected response: not a release");
      return parsed.data.content;
    },
    releases: async (query = {}) => {
      const { releaseListSchema } = await import("@consilium/core/release/views");
      // The fields that this client reads; the rest is for the catalogue page.
      const listSchema = releaseListSchema.pick({ total: true, releases: true });
      const found: ReleaseSummary[] = [];
      for (;;) {
        const asked = { ...query, offset: found.length, limit: pageLength };
        const parsed = listSchema.safeParse(
          await answerOf(remote, api.GET("/api/releases", { params: { query: asked } })),
        );
        if (!parsed.success) throw notOurs(remote, "unexpected response: not a list of releases");
        found.push(...parsed.data.releases);
        if (parsed.data.releases.length === 0 || found.length >= parsed.data.total) return found;
      }
    },
    smallFile: async (release, file, maxBytes) => {
      const response = await call(remote, fileUrl(release, file), {
        timeoutMs: answerTimeoutMs,
        signal: session.interrupted,
        headers,
      });
      const text = response.ok ? null : await readText(response, 1 << 20);
      if (text !== null) throw answerFault(remote, response.status, parseJson(text));
      return readBytes(response, file, maxBytes);
    },
  };
}

const membersMaxBytes = 1 << 20;

/**
 * Fetches a list of members, without any token.
 * @throws ConsiliumError STATE_MISSING where there is none, PUBLISHER_UNREACHABLE, INTERRUPTED
 */
export async function fetchMembers(remote: Remote, url: string, signal: AbortSignal): Promise<string> {
  const response = await call(remote, url, { timeoutMs: answerTimeoutMs, signal });
  if (response.status === 404) {
    throw new ConsiliumError("STATE_MISSING", `${remote.name} has no list of members`, {
      remedy: "ask the federation's operator for one, or write your own: docs/FORMAT.md",
    });
  }
  const text = response.ok ? null : await readText(response, 1 << 20);
  if (text !== null) throw answerFault(remote, response.status, parseJson(text));
  return Buffer.from(await readBytes(response, "members.json", membersMaxBytes)).toString("utf8");
}

async function readBytes(response: Response, file: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ConsiliumError("RELEASE_CORRUPT", `${file} exceeds its limit of ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

const contextOrigin = "the context's publisher";

/** The publisher's address, and where it is from; undefined for the one that runs below --home. */
function addressOf(
  { io, context }: Session,
  options: PublisherOptions,
): readonly [address: string | undefined, origin: string] {
  if (options.publisher !== undefined) return [options.publisher, "--publisher"];
  const { CONSILIUM_PUBLISHER: variable } = io.environment;
  if (variable) return [variable, "CONSILIUM_PUBLISHER"];
  return [context.publisher, contextOrigin];
}

/**
 * The reader token for releases that are not open: from a file, or the environment variable used by the releases' code.
 */
async function readerToken(
  { io, context, path: absolute }: Session,
  options: PublisherOptions,
  origin: string,
): Promise<string | undefined> {
  // A context's token is for that context's publisher, and goes to no other.
  const ofContext = origin === contextOrigin ? context.readerTokenFile : undefined;
  const given = options.tokenFile ?? (io.environment.CONSILIUM_TOKEN ? undefined : ofContext);
  if (given === undefined) return io.environment.CONSILIUM_TOKEN || undefined;
  const path = absolute(given);
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new ConsiliumError("STATE_MISSING", `reader token ${path}: ${fileFault(cause)}`, {
      remedy: "give the file with your token, with --token-file",
      cause,
    });
  }
}

/** The default name of a release's folder. */
export function releaseFolder(session: Session, id: string, to: string | undefined): string {
  return to === undefined ? join(session.io.workingFolder, id) : session.path(to);
}
