import { request } from "node:http";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { systemCode } from "../failure.js";
import { answerFault, connectionFault, notOurs, parseJson, type Remote } from "../http/reach.js";
import type { Session } from "../session.js";

/** The running agent answers here; only users who may open the state folder reach it. */
export const agentSocketName = "agent.sock";

const answerMaxBytes = 64 * 1024 * 1024;

export interface AgentCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
}

/** One call of the site's running agent over the Unix socket in its state folder. */
export async function callAgent(session: Session, state: string, call: AgentCall): Promise<unknown> {
  const { remote, text } = await askAgent(session, state, call);
  const json = parseJson(text);
  if (json === undefined) throw notOurs(remote, "its answer is not JSON");
  return json;
}

/** As `callAgent`, where the answer is a text of its own, such as JSON lines. */
export async function callAgentForText(session: Session, state: string, call: AgentCall): Promise<string> {
  return (await askAgent(session, state, call)).text;
}

async function askAgent(
  session: Session,
  state: string,
  call: AgentCall,
): Promise<{ remote: Remote; text: string }> {
  const socketPath = join(state, agentSocketName);
  const remote: Remote = {
    name: `the site's agent at ${socketPath}`,
    unreachable: "UNREACHABLE",
    remedy: "start it with `consilium serve site`, or give its state folder with --state",
  };
  const { status, text } = await exchange(remote, socketPath, call, session.interrupted);
  if (status < 200 || status > 299) throw answerFault(remote, status, parseJson(text));
  return { remote, text };
}

function exchange(
  remote: Remote,
  socketPath: string,
  call: AgentCall,
  interrupted: AbortSignal,
): Promise<{ status: number; text: string }> {
  const body = call.body === undefined ? "" : JSON.stringify(call.body);
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(call.timeoutMs)]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(agentFault(remote, cause, { timeoutMs: call.timeoutMs, signal: interrupted }));
    const outgoing = request(
      {
        socketPath,
        path: call.path,
        method: call.method,
        signal,
        headers: {
          host: "site-agent",
          ...(body === ""
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        incoming.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > answerMaxBytes) incoming.destroy(new Error("the answer is too large"));
          else chunks.push(chunk);
        });
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
        incoming.on("error", fail);
      },
    );
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}

function agentFault(
  remote: Remote,
  cause: unknown,
  options: { timeoutMs: number; signal: AbortSignal },
): ConsiliumError {
  const code = systemCode(cause);
  if (code === "ENOENT" || code === "ECONNREFUSED") {
    return new ConsiliumError(
      "UNREACHABLE",
      `${remote.name} does not answer: no agent runs with this state folder`,
      {
        ...(remote.remedy === undefined ? {} : { remedy: remote.remedy }),
        cause,
      },
    );
  }
  if (code === "EACCES") {
    return new ConsiliumError("UNREACHABLE", `${remote.name}: this user may not open it`, {
      remedy: "run the command as the user that the agent runs as",
      cause,
    });
  }
  return connectionFault(remote, cause, options);
}
