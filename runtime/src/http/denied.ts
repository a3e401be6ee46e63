import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";
import type { FastifyRequest } from "fastify";
import type { Logger } from "../log.js";
import { SampledWarnings } from "../sampledLog.js";
import { httpStatus } from "./status.js";

const signInPath = "/api/session";
const deniedCodes: ReadonlySet<ErrorCode> = new Set([
  "UNAUTHENTICATED",
  "SIGN_IN_FAILED",
  "OIDC_FAILED",
  "NOT_PERMITTED",
  "CROSS_SITE",
  "HOST_UNKNOWN",
  "LINK_INVALID",
  "RATE_LIMITED",
]);

/** Logs requests that were denied, for a SIEM: sampled by the minute, as strangers can cause as many as they like. */
export function logDenials(log: Logger): (thrown: unknown, request: FastifyRequest) => void {
  const warnings = new SampledWarnings(log);
  return (thrown, request) => {
    const { url = "none" } = request.routeOptions;
    const isTooMany =
      !(thrown instanceof ConsiliumError) && (thrown as { statusCode?: unknown })?.statusCode === 429;
    const error = isTooMany ? new ConsiliumError("RATE_LIMITED", "") : thrown;
    if (!(error instanceof ConsiliumError) || !deniedCodes.has(error.code)) return;
    // A browser that is not signed in yet asks, too.
    if (error.code === "UNAUTHENTICATED" && request.headers.authorization === undefined) return;
    const fields = { route: url, code: error.code, status: String(httpStatus(error)) };
    const isSignIn = url === signInPath || error.code === "SIGN_IN_FAILED" || error.code === "OIDC_FAILED";
    warnings.warn(isSignIn ? "sign-in denied" : "request denied", fields, { source: request.ip });
  };
}
