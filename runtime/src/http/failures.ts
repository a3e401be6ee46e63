import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { FailureView } from "@consilium/core/failure";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../log.js";
import { saysDiskFull } from "../store/diskFull.js";
import { spoken } from "./spoken.js";
import { httpStatus } from "./status.js";

/** Answers with what went wrong, and logs it where it is our own fault. */
export function answerFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  const error =
    thrown instanceof ConsiliumError
      ? thrown
      : (frameworkFailure(thrown) ??
        (saysDiskFull(thrown) ? diskFullUntold(thrown) : toConsiliumError(thrown)));
  const status = statusOf(thrown) ?? httpStatus(error);
  if (status < 500) return sendFailure(reply, error, status);
  log.error("request failed", { route: request.routeOptions.url ?? "none" }, thrown);
  // What is wrong with our own files is for people who have signed in.
  const isTold = request.caller !== null && error.code !== "INTERNAL";
  if (isTold) return sendFailure(reply, error, status);
  return sendFailure(reply, error.code === "DISK_FULL" ? diskFullUntold() : internal(), status);
}

/** For anyone who may not know where this process keeps its state. */
function diskFullUntold(cause?: unknown): ConsiliumError {
  return new ConsiliumError("DISK_FULL", "disk full; the process's log has the folder", { cause });
}

function internal(): ConsiliumError {
  return new ConsiliumError("INTERNAL", "internal error");
}

export function sendFailure(
  reply: FastifyReply,
  error: ConsiliumError,
  status = httpStatus(error),
): FastifyReply {
  if (status === 401) reply.header("www-authenticate", 'Bearer realm="consilium"');
  return reply
    .code(status)
    .headers({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" })
    .send(failureText(error));
}

/** A failure's body. */
export function failureText({ code, message, remedy }: ConsiliumError): string {
  return JSON.stringify(spoken({ code, message, remedy } satisfies FailureView));
}

export function addressUnknown(): ConsiliumError {
  return new ConsiliumError("ADDRESS_UNKNOWN", "unknown route or method");
}

export function requestMalformed(message: string): ConsiliumError {
  return new ConsiliumError("FIELD_INVALID", message, { remedy: "correct the request" });
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof ConsiliumError || !(thrown instanceof Error) || !("statusCode" in thrown)) return;
  const { statusCode } = thrown;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

/** What the framework refused, in words of our own: its messages quote the request. Null for what is no refusal. */
function frameworkFailure(thrown: unknown): ConsiliumError | null {
  switch (statusOf(thrown)) {
    case undefined:
      return null;
    case 404:
      return addressUnknown();
    case 408:
      return requestMalformed("request timeout");
    case 413:
      return new ConsiliumError("MESSAGE_TOO_LARGE", "the request body exceeds this route's limit", {
        remedy: "send a smaller body",
      });
    case 415:
      return requestMalformed("the request body's content type is not supported by this route");
    case 429:
      return new ConsiliumError("RATE_LIMITED", "rate limit per address exceeded");
    default:
      return requestMalformed("malformed request");
  }
}
