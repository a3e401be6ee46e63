import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { toConsiliumError } from "@consilium/core/errors";
import type { FailureView } from "@consilium/core/failure";
import { faults } from "@consilium/core/fault";
import type { AgentInterface } from "@consilium/core/hospital/agentApi";
import {
  type AgentRequest,
  agentApiVersion,
  agentRequests,
  isAgentRequest,
} from "@consilium/core/hospital/agentRequests";
import { nameOf, sentences } from "@consilium/core/said";
import type { Logger } from "@consilium/runtime/log";
import type { SiteSays } from "@consilium/words/says/site";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

/** The largest request is a policy or a study as text. */
export const requestMaxBytes = 4 * 1024 * 1024;
/** People's tools ask one thing at a time, and the console a few for each of its readers. */
const maxConnections = 256;
/** Of a request, not of its answer: reading a large table through takes its time. */
const requestTimeoutMs = 60_000;

interface AgentServer {
  close(): Promise<void>;
}

/**
 * The Unix socket on which the hospital's own tools ask the agent; nothing else listens in this process. Anyone who may open
 * it is a person at the hospital: it has mode 0600 in a folder of mode 0700, so that is the user that the agent runs as.
 * There is no other sign-in, and everything that is asked is validated here.
 */
export async function listenOnSocket(
  agent: AgentInterface,
  { path, log }: { readonly path: string; readonly log: Logger },
): Promise<AgentServer> {
  const server = createServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs },
    (request, response) => void answer(agent, { request, response, log }),
  );
  server.maxConnections = maxConnections;
  // The state folder's lock is ours, so a socket that is there is a leftover.
  await rm(path, { force: true });
  await listening(server, path);
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** For its owner alone from the first moment: `chmod` after listening would leave an instant in between. */
async function listening(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        server.off("error", reject);
        resolve();
      });
      // The socket's file is made before `listen` returns.
      process.umask(before);
    });
  } catch (cause) {
    const remedy = said("socket.shorten", {});
    throw fault("CONFIG_INVALID", "socket.path", { path: nameOf(path) }, { remedy, cause });
  } finally {
    process.umask(before);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly log: Logger;
}

async function answer(agent: AgentInterface, { request, response, log }: Exchange): Promise<void> {
  let name: AgentRequest | null = null;
  try {
    const body = await bodyOf(request);
    name = requestOf(request);
    send(response, 200, await answerOf(agent, name, parsed(body)));
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    // Who asks reads the code; the status tells whose fault it is, and what is no request at all.
    const status = error.family === "internal" ? 500 : error.code === "ADDRESS_UNKNOWN" ? 404 : 400;
    if (status >= 500) log.error("a request failed", { request: name }, thrown);
    const { code, message, remedy } = error;
    // The rest of a body that is too large is not read.
    if (!request.complete) response.once("finish", () => request.destroy());
    send(response, status, { code, message, remedy } satisfies FailureView);
  }
}

/** @throws ConsiliumError ADDRESS_UNKNOWN */
function requestOf({ method, url }: IncomingMessage): AgentRequest {
  const [, version, name, ...rest] = (url ?? "").split("/");
  if (method === "POST" && version === agentApiVersion && rest.length === 0 && isAgentRequest(name ?? ""))
    return name as AgentRequest;
  throw fault("ADDRESS_UNKNOWN", "socket.unknown", {}, { remedy: said("socket.same-version", {}) });
}

/** @throws ConsiliumError MESSAGE_TOO_LARGE */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > requestMaxBytes)
      throw fault("MESSAGE_TOO_LARGE", "socket.too-large", { max: requestMaxBytes });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** @throws ConsiliumError FIELD_INVALID */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw fault("FIELD_INVALID", "socket.no-json", {});
  }
}

/** @throws ConsiliumError FIELD_INVALID naming the first field that does not hold; never its value */
function answerOf<N extends AgentRequest>(agent: AgentInterface, name: N, asked: unknown): Promise<unknown> {
  const read = agentRequests[name].safeParse(asked);
  if (!read.success) {
    const path = read.error.issues[0]?.path.join(".") ?? "";
    const field = path === "" ? null : nameOf(path);
    throw fault("FIELD_INVALID", "socket.invalid", { request: nameOf(name), field });
  }
  return agent[name](read.data as Parameters<AgentInterface[N]>[0]);
}

function send(response: ServerResponse, status: number, answered: unknown): void {
  const body = Buffer.from(JSON.stringify(answered));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
  });
  response.end(body);
}
