import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { ConsiliumError } from "@consilium/core/errors";
import { consoleFolderName, consoleSocketName } from "@consilium/runtime/home";
import type { paths } from "@consilium/runtime/http/openapi/generated/hospital";
import type { Client } from "openapi-fetch";
import { systemCode } from "../failure.js";
import { type Answered, answerOf, apiClient } from "../http/apiClient.js";
import { connectionFault, type Remote } from "../http/reach.js";
import type { Session } from "../session.js";

/** The site's running console, asked over the Unix socket in its state folder. */
interface SiteConsole {
  readonly api: Client<paths>;
  /** What a call of `api` answered; throws the error that the console answered with. */
  answer<T>(call: Promise<Answered<T>>): Promise<T>;
}

/**
 * Accounts and tokens are the console's, and only users who may open its state folder reach its socket.
 * @param state - of the site; where the console has a state folder elsewhere, that one
 * @param timeoutMs - the longest wait for an answer
 */
export function consoleOf(session: Session, state: string, timeoutMs: number): SiteConsole {
  const within = join(state, consoleFolderName, consoleSocketName);
  const socketPath = existsSync(within) ? within : join(state, consoleSocketName);
  const remote: Remote = {
    name: `the site's console at ${existsSync(socketPath) ? socketPath : within}`,
    unreachable: "UNREACHABLE",
    remedy: "start it with `consilium serve site`, or give its state folder with --state",
  };
  const api = apiClient<paths>({
    remote,
    // The socket has no address; the name is that of nobody.
    url: "http://site-console",
    timeoutMs,
    interrupted: session.interrupted,
    fetch: async (request) => {
      try {
        return await exchange(socketPath, request);
      } catch (cause) {
        throw consoleFault(remote, cause, { timeoutMs, signal: session.interrupted });
      }
    },
  });
  return { api, answer: (call) => answerOf(remote, call) };
}

async function exchange(socketPath: string, asked: Request): Promise<Response> {
  const { pathname, search, host } = new URL(asked.url);
  const body = Buffer.from(await asked.arrayBuffer());
  const headers = {
    ...Object.fromEntries(asked.headers),
    host,
    ...(body.length === 0 ? {} : { "content-length": body.length }),
  };
  const { method, signal } = asked;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath, path: `${pathname}${search}`, method, signal, headers }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
  const status = incoming.statusCode ?? 0;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null, {
    status,
    headers: incoming.headers as Record<string, string>,
  });
}

function consoleFault(
  remote: Remote,
  cause: unknown,
  options: { timeoutMs: number; signal: AbortSignal },
): ConsiliumError {
  const code = systemCode(cause);
  if (code === "ENOENT" || code === "ECONNREFUSED") {
    return new ConsiliumError(
      "UNREACHABLE",
      `${remote.name} does not answer: no console runs with this state folder`,
      {
        ...(remote.remedy === undefined ? {} : { remedy: remote.remedy }),
        cause,
      },
    );
  }
  if (code === "EACCES") {
    return new ConsiliumError("UNREACHABLE", `${remote.name}: this user may not open it`, {
      remedy: "run the command as the user that the console runs as",
      cause,
    });
  }
  return connectionFault(remote, cause, options);
}
