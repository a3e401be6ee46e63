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

/** A client of the site's running console, over the Unix socket in its state folder. */
interface SiteConsole {
  readonly api: Client<paths>;
  /** The result of a call of `api`; throws the error in an error response. */
  answer<T>(call: Promise<Answered<T>>): Promise<T>;
}

/**
 * The console manages accounts and tokens; only users with access to its state folder reach its socket.
 * @param state - the site's state folder, or the console's if it is elsewhere
 * @param timeoutMs - the timeout of a response
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
    // A socket has no host name; this one is a placeholder.
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
      `${remote.name} does not answer: no console is running with this state folder`,
      {
        ...(remote.remedy === undefined ? {} : { remedy: remote.remedy }),
        cause,
      },
    );
  }
  if (code === "EACCES") {
    return new ConsiliumError("UNREACHABLE", `${remote.name}: permission denied`, {
      remedy: "run the command as the user that the console runs as",
      cause,
    });
  }
  return connectionFault(remote, cause, options);
}
