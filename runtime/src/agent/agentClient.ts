import { type IncomingMessage, request } from "node:http";
import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import type { AgentInterface } from "@consilium/core/hospital/agentApi";
import { agentApiVersion, agentRequests } from "@consilium/core/hospital/agentRequests";
import { formatDuration } from "@consilium/core/units";

export interface AgentClientOptions {
  /** The agent's Unix socket. Only the user that the agent runs as can open it; there is no other authentication. */
  readonly socketPath: string;
  /** The timeout of a response; null for none. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
}

/** A ledger's export is the largest; `core/src/hospital/agentApi.ts` has the others. */
const answerMaxBytes = 1 << 30;

/**
 * A client of a running site agent over its Unix socket. Each call throws the agent's ConsiliumError, UNREACHABLE
 * without an answer, or INTERRUPTED.
 */
export function agentClient(options: AgentClientOptions): AgentInterface {
  const calls = Object.keys(agentRequests).map((name) => [
    name,
    (asked: unknown) => ask(options, name, asked),
  ]);
  return Object.fromEntries(calls) as AgentInterface;
}

async function ask(options: AgentClientOptions, name: string, asked: unknown): Promise<unknown> {
  let answered: { readonly status: number; readonly text: string };
  try {
    answered = await exchange(options, name, asked);
  } catch (cause) {
    throw fault(options, cause);
  }
  const { status, text } = answered;
  const json = parsed(text);
  if (status === 200 && json !== undefined) return json;
  const { code, message, remedy } = (json ?? {}) as { code?: unknown; message?: unknown; remedy?: unknown };
  if (typeof code === "string" && isErrorCode(code) && typeof message === "string") {
    throw new ConsiliumError(code, message, typeof remedy === "string" ? { remedy } : {});
  }
  throw new ConsiliumError(
    "UNREACHABLE",
    `unexpected answer from ${nameOf(options)}: status ${status} to ${name}`,
    { remedy: "use the same version of the agent, its console and the command line" },
  );
}

async function exchange(
  { socketPath, timeoutMs, signal }: AgentClientOptions,
  name: string,
  asked: unknown,
): Promise<{ status: number; text: string }> {
  const body = Buffer.from(JSON.stringify(asked));
  const signals = [
    ...(timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)]),
    ...(signal === undefined ? [] : [signal]),
  ];
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      {
        socketPath,
        path: `/${agentApiVersion}/${name}`,
        method: "POST",
        headers: { host: "site-agent", "content-type": "application/json", "content-length": body.length },
        // A new connection per call: a kept one may belong to an agent that has ended.
        agent: false,
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      },
      resolve,
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > answerMaxBytes) throw new RangeError(`the response exceeds ${answerMaxBytes} bytes`);
    parts.push(part);
  }
  return { status: incoming.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") };
}

function fault(options: AgentClientOptions, cause: unknown): ConsiliumError {
  const { timeoutMs, signal } = options;
  const name = nameOf(options);
  if (signal?.aborted === true)
    return new ConsiliumError("INTERRUPTED", `interrupted while waiting for ${name}`);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const start = "start it with `consilium serve site`, or give its state folder with --state";
  if (code === "ENOENT" || code === "ECONNREFUSED") {
    return new ConsiliumError(
      "UNREACHABLE",
      `${name} does not answer: no agent is running with this state folder`,
      { remedy: start, cause },
    );
  }
  if (code === "EACCES") {
    return new ConsiliumError("UNREACHABLE", `${name}: permission denied`, {
      remedy: "run the command as the user that the agent runs as",
      cause,
    });
  }
  const timedOut = cause instanceof Error && (cause.name === "TimeoutError" || code === "ABORT_ERR");
  const why =
    timedOut && timeoutMs !== null
      ? `no answer within ${formatDuration(timeoutMs)}`
      : `the connection failed${code === "" ? "" : ` (${code})`}`;
  return new ConsiliumError("UNREACHABLE", `${name} does not answer: ${why}`, { remedy: start, cause });
}

const nameOf = ({ socketPath }: AgentClientOptions): string => `the site's agent at ${socketPath}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
