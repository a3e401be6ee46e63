import createClient, { type Client } from "openapi-fetch";
import { answerFault, connectionFault, notOurs, parseJson, type Remote, readText } from "./reach.js";

/** The maximum size of a JSON response of a Consilium process. */
const answerMaxBytes = 64 * 1024 * 1024;

interface ApiTarget {
  readonly remote: Remote;
  /** The base of the OpenAPI document's paths, without a trailing slash. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The timeout of a whole response. Event streams do not use this client. */
  readonly timeoutMs: number;
  readonly interrupted: AbortSignal;
  /** Sends a request, if not over the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of one of the services' APIs, typed by its OpenAPI document. Redirections are not followed, so that a token
 * never goes to another host; oversized responses are not read to the end.
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

/** The result of a client's call. */
export interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a 2xx response; other responses throw the error they carry. */
export async function answerOf<T>(remote: Remote, call: Promise<Answered<T>>): Promise<T> {
  return (await wholeAnswerOf(remote, call)).body;
}

/** The same with the response's headers. */
export async function wholeAnswerOf<T>(
  remote: Remote,
  call: Promise<Answered<T>>,
): Promise<{ readonly body: T; readonly headers: Headers }> {
  let answered: Answered<T>;
  try {
    answered = await call;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw notOurs(remote, "the response is not JSON");
    throw thrown;
  }
  const { data, error, response } = answered;
  if (!response.ok) {
    throw answerFault(remote, response.status, typeof error === "string" ? parseJson(error) : error);
  }
  return { body: data as T, headers: response.headers };
}
