import { type IncomingMessage, request } from "node:http";
import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import type { AgentInterface } from "@consilium/core/hospital/agentApi";
import { agentApiVersion, agentRequests } from "@consilium/core/hospital/agentRequests";
import { nameOf, pathOf } from "@consilium/core/said";
import { fault, reason } from "../fault.js";

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
    throw unanswered(options, cause);
  }
  const { status, text } = answered;
  const json = parsed(text);
  if (status === 200 && json !== undefined) return json;
  const { code, message, remedy } = (json ?? {}) as { code?: unknown; message?: unknown; remedy?: unknown };
  if (typeof code === "string" && isErrorCode(code) && typeof message === "string") {
    throw new ConsiliumError(code, message, typeof remedy === "string" ? { remedy } : {});
  }
  throw fault(
    "UNREACHABLE",
    "agent.unexpected",
    { agent: agentAt(options), status, call: nameOf(name) },
    "agent.same-version",
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

function unanswered(options: AgentClientOptions, cause: unknown): ConsiliumError {
  const { timeoutMs, signal } = options;
  const agent = agentAt(options);
  if (signal?.aborted === true) return fault("INTERRUPTED", "agent.interrupted", { agent });
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ENOENT" || code === "ECONNREFUSED") {
    return fault("UNREACHABLE", "agent.not-running", { agent }, { remedy: "agent.start", cause });
  }
  if (code === "EACCES") {
    return fault("UNREACHABLE", "agent.denied", { agent }, { remedy: "agent.run-as", cause });
  }
  const timedOut = cause instanceof Error && (cause.name === "TimeoutError" || code === "ABORT_ERR");
  if (timedOut && timeoutMs !== null) {
    const remedy = "agent.start";
    return fault("UNREACHABLE", "agent.late", { agent, ms: timeoutMs }, { remedy, cause });
  }
  const system = code === "" ? null : nameOf(code);
  return fault("UNREACHABLE", "agent.lost", { agent, code: system }, { remedy: "agent.start", cause });
}

const agentAt = ({ socketPath }: AgentClientOptions) => reason("agent.at", { socket: pathOf(socketPath) });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
