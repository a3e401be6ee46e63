import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { FailureView } from "@consilium/core/failure";
import type { HttpSays } from "@consilium/words/says/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fault } from "../fault.js";
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
  return fault("DISK_FULL", "http.disk-full", {}, { cause });
}

function internal(): ConsiliumError {
  return fault("INTERNAL", "http.internal", {});
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
  return fault("ADDRESS_UNKNOWN", "http.unknown", {});
}

/** Reason without parameters why a request is malformed. */
type WhyMalformed = Extract<
  keyof HttpSays,
  `http.${"timeout" | "content-type" | "headers" | `malformed${string}`}`
>;

export function requestMalformed(why: WhyMalformed): ConsiliumError {
  return fault("FIELD_INVALID", why, {}, "http.correct");
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
      return requestMalformed("http.timeout");
    case 413:
      return fault("MESSAGE_TOO_LARGE", "http.too-large", {}, "http.smaller");
    case 415:
      return requestMalformed("http.content-type");
    case 429:
      return fault("RATE_LIMITED", "http.too-often", {});
    default:
      return requestMalformed("http.malformed");
  }
}
