import { ConsiliumError, type ErrorCode, isErrorCode } from "@consilium/core/errors";
import { formatDuration } from "@consilium/core/units";

/** A process that is called over HTTP: its name in messages, and the error code when it does not answer. */
export interface Remote {
  /** Such as `the aggregator at http://127.0.0.1:7080`. */
  readonly name: string;
  readonly unreachable: Extract<ErrorCode, "UNREACHABLE" | "PUBLISHER_UNREACHABLE">;
  /** The remedy when it does not answer, if there is a better one than the code's. */
  readonly remedy?: string;
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The timeout for the first byte of the response and, unless streamed, for the last. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal;
}

/** Connection errors in words. */
const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection lost",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the host name cannot be resolved at present",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "connection lost",
};

/**
 * One HTTP call. Redirections are not followed, so that a token never goes to another host.
 * @throws ConsiliumError UNREACHABLE (or the remote's own code), INTERRUPTED
 */
export async function call(remote: Remote, url: string, options: CallOptions): Promise<Response> {
  const { timeoutMs, signal } = options;
  const signals = timeoutMs === null ? [signal] : [signal, AbortSignal.timeout(timeoutMs)];
  try {
    return await fetch(url, {
      method: options.method ?? "GET",
      redirect: "error",
      signal: AbortSignal.any(signals),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      ...(options.body === undefined ? {} : { body: options.body }),
    });
  } catch (cause) {
    throw connectionFault(remote, cause, options);
  }
}

/** The error of a call or of reading its body. */
export function connectionFault(
  remote: Remote,
  cause: unknown,
  options: { timeoutMs: number | null; signal: AbortSignal },
): ConsiliumError {
  if (cause instanceof ConsiliumError) return cause;
  if (options.signal.aborted)
    return new ConsiliumError("INTERRUPTED", `interrupted while waiting for ${remote.name}`);
  const reason =
    cause instanceof Error && cause.name === "TimeoutError" && options.timeoutMs !== null
      ? `no answer within ${formatDuration(options.timeoutMs)}`
      : (connectionReason(cause) ?? "the connection failed");
  return new ConsiliumError(remote.unreachable, `${remote.name} does not answer: ${reason}`, {
    ...(remote.remedy === undefined ? {} : { remedy: remote.remedy }),
    cause,
  });
}

function connectionReason(cause: unknown): string | undefined {
  for (let at: unknown = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    // Happy-eyeballs failures arrive as an AggregateError with equal parts.
    const parts = at instanceof AggregateError ? [at, ...at.errors] : [at];
    for (const part of parts) {
      if (!(part instanceof Error) || !("code" in part) || typeof part.code !== "string") continue;
      return connectionFaults[part.code] ?? part.code;
    }
  }
  return undefined;
}

/** The error of a 4xx or 5xx response: {code, message, remedy} from our processes, otherwise by status. */
export function answerFault(remote: Remote, status: number, json: unknown): ConsiliumError {
  const view = readErrorView(json);
  if (view === undefined) {
    return notOurs(remote, `unexpected response with status ${status}`);
  }
  if (isErrorCode(view.code)) return new ConsiliumError(view.code, view.message, { remedy: view.remedy });
  return new ConsiliumError("INTERNAL", `${remote.name} answered ${view.code}: ${view.message}`, {
    remedy: view.remedy,
  });
}

/** The address belongs to another process or version. */
export function notOurs(remote: Remote, what: string): ConsiliumError {
  return new ConsiliumError(remote.unreachable, `${remote.name}: ${what}`, {
    remedy: "check that this is the process's HTTP address, and that both have the same version",
  });
}

function readErrorView(json: unknown): { code: string; message: string; remedy: string } | undefined {
  const view = json as { code?: unknown; message?: unknown; remedy?: unknown } | null | undefined;
  if (typeof view?.code !== "string" || typeof view.message !== "string") return undefined;
  return {
    code: view.code,
    message: view.message,
    remedy: typeof view.remedy === "string" ? view.remedy : "",
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The whole body as text, with a size limit: a peer must not be able to exhaust memory. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ConsiliumError("MESSAGE_TOO_LARGE", `the response exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** An HTTP address as typed by a user: `host:port`, or with a scheme; without a trailing slash. */
export function parseHttpUrl(written: string, option: string): string {
  const text = /^[a-z]+:\/\//i.test(written) ? written : `http://${written}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ConsiliumError("USAGE", `${option} ${written} is not an address`, {
      remedy: "write it as http://127.0.0.1:7080",
    });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConsiliumError("USAGE", `${option} ${written} is not an HTTP address`, {
      remedy: "write it as http://127.0.0.1:7080",
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Whether an address is on this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
