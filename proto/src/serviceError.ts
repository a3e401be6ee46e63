import { type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import * as grpc from "@grpc/grpc-js";
import { type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { codeKey } from "./status.js";

/** What the other side is told of faults whose messages name this process's own folders. */
const withheld: Partial<Readonly<Record<ErrorCode, string>>> = {
  INTERNAL: "internal error",
  DISK_FULL: "the called process's disk is full; its log has the folder",
};

/** What a handler answers a failed call with. INTERNAL and DISK_FULL travel as their codes alone. */
export function toServiceError(thrown: unknown): Partial<ServiceError> {
  const error = toConsiliumError(thrown);
  const metadata: Metadata = new grpc.Metadata();
  metadata.set(codeKey, error.code);
  const message = withheld[error.code] ?? error.message;
  return Object.assign(new Error(message), { code: statusOf(error.code), details: message, metadata });
}

function statusOf(code: ErrorCode): status {
  switch (code) {
    case "CERTIFICATE_MISSING":
    case "CERTIFICATE_INVALID":
    case "IDENTITY_REPLACED":
    case "UNAUTHENTICATED":
      return status.UNAUTHENTICATED;
    case "SITE_EXPELLED":
    case "NOT_PERMITTED":
    case "TOKEN_INVALID":
    case "TOKEN_EXPIRED":
    case "TOKEN_USED":
    case "TOKEN_WITHDRAWN":
    case "SITE_ENROLLED":
      return status.PERMISSION_DENIED;
    case "PROTOCOL_VERSION":
    case "STUDY_STATE":
    case "RELEASE_WITHDRAWN":
    case "RELEASE_SUPERSEDED":
      return status.FAILED_PRECONDITION;
    case "STUDY_UNKNOWN":
    case "RELEASE_UNKNOWN":
      return status.NOT_FOUND;
    case "MESSAGE_TOO_LARGE":
    case "DISK_FULL":
      return status.RESOURCE_EXHAUSTED;
    case "AGGREGATOR_STANDBY":
      return status.UNAVAILABLE;
    case "UPLOAD_CHANGED":
      return status.ALREADY_EXISTS;
    case "INTERNAL":
      return status.INTERNAL;
    default:
      return status.INVALID_ARGUMENT;
  }
}
