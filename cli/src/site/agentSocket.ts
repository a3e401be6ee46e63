import { request } from "node:http";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { systemCode } from "../failure.js";
import { answerFault, connectionFault, notOurs, parseJson, type Remote } from "../http/reach.js";
import type { Session } from "../session.js";

/** The running agent answers here; only users who may open the state folder reach it. */
export const agentSocketName = "agent.sock";

const answerMaxBytes = 64 * 1024 * 1024;

/** One call of the site's running agent over the Unix socket in its state folder. */
export async function callAgent(
  session: Session,
  state: string,
  call: { method: "GET" | "POST"; path: string; body?: unknown; timeoutMs: number },
): Promise<unknown> {
  const socketPath = join(state, agentSocketName);
  const remote: Remote = {
    name: `the site's agent at ${socketPath}`,
    unreachable: "UNREACHABLE",
    remedy: "start it with `consilium serve site`, or give its state folder with --state",
  };
  const { status, text } = await exchange(remote, socketPath, call, session.interrupted);
  const json = parseJson(text);
  if (status < 200 || status > 299) throw answerFault(remote, status, json);
  if (json === undefined) throw notOurs(remote, "its answer is not JSON");
  return json;
}

function exchange(
  remote: Remote,
  socketPath: string,
  call: { method: "GET" | "POST"; path: string; body?: unknown; timeoutMs: number },
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
