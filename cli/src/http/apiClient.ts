import createClient, { type Client } from "openapi-fetch";
import { answerFault, connectionFault, notOurs, parseJson, type Remote, readText } from "./reach.js";

/** No JSON answer of a Consilium process is larger. */
const answerMaxBytes = 64 * 1024 * 1024;

interface ApiTarget {
  readonly remote: Remote;
  /** Where the paths of the OpenAPI document begin, without a slash at the end. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest wait for a whole answer. Streams of events are not asked for through here. */
  readonly timeoutMs: number;
  readonly interrupted: AbortSignal;
  /** How a request is sent, where not by the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of one of the services' APIs, typed by its OpenAPI document. Redirections are not followed, so that a token
 * never goes to another host; an answer that is too large is not read to its end.
 */
export function apiClient<Paths extends object>(target: ApiTarget): Client<Paths> {
  const { remote, timeoutMs, interrupted } = target;
  const send = target.fetch ?? fetch;
  return createClient<Paths>({
    baseUrl: target.url,
    redirect: "error",
    headers: { accept: "application/json", ...target.headers },
    fetch: async (request) => {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)]);
      try {
        const response = await send(new Request(request, { signal }));
        const { status, headers } = response;
        const text = await readText(response, answerMaxBytes);
        return new Response(status === 204 ? null : text, { status, headers });
      } catch (cause) {
        throw connectionFault(remote, cause, { timeoutMs, signal: interrupted });
      }
    },
  });
}

/** What a call of a client comes to. */
export interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** What a call answered: the body of a 2xx; any other becomes the error that it carries. */
export async function answerOf<T>(remote: Remote, call: Promise<Answered<T>>): Promise<T> {
  let answered: Answered<T>;
  try {
    answered = await call;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw notOurs(remote, "its answer is not JSON");
    throw thrown;
  }
  const { data, error, response } = answered;
  if (!response.ok) {
    throw answerFault(remote, response.status, typeof error === "string" ? parseJson(error) : error);
  }
  return data as T;
}
