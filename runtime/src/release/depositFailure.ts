import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import { assertNever } from "@consilium/core/result";
import { Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";

/** The trailer that carries a failure's code. */
const codeKey = "consilium-code";
const detailsMaxLength = 2000;

function statusOf(error: ConsiliumError): status {
  if (error.code === "CERTIFICATE_MISSING" || error.code === "CERTIFICATE_INVALID") {
    return status.UNAUTHENTICATED;
  }
  if (error.code === "NOT_PERMITTED" || error.code === "SITE_EXPELLED") return status.PERMISSION_DENIED;
  const { family } = error;
  switch (family) {
    case "config":
    case "refusal":
      return status.FAILED_PRECONDITION;
    case "peer":
      return status.INVALID_ARGUMENT;
    case "internal":
      return status.INTERNAL;
    default:
      return assertNever(family);
  }
}

/** How a deposit's failure is told to the depositor: of a fault of our own only the code. */
export function toDepositStatus(error: ConsiliumError): Partial<StatusObject> & Error {
  const metadata = new Metadata();
  metadata.set(codeKey, error.code);
  const details = error.family === "internal" ? error.code : error.message.slice(0, detailsMaxLength);
  return Object.assign(new Error(details), { code: statusOf(error), details, metadata });
}

/** Reads a failed call of `Releases.Deposit` as what went wrong at the publisher, or on the way to it. */
export function fromDepositStatus(thrown: unknown): ConsiliumError {
  if (thrown instanceof ConsiliumError) return thrown;
  if (!isServiceError(thrown)) {
    return new ConsiliumError("INTERNAL", "the deposit failed unexpectedly", { cause: thrown });
  }
  const code = String(thrown.metadata?.get(codeKey)[0] ?? "");
  if (isErrorCode(code)) {
    return new ConsiliumError(code, `the publisher: ${thrown.details.slice(0, detailsMaxLength)}`);
  }
  if (thrown.code === status.UNAVAILABLE || thrown.code === status.CANCELLED) {
    return new ConsiliumError("PUBLISHER_UNREACHABLE", "the connection to the publisher broke", {
      cause: thrown,
    });
  }
  return new ConsiliumError("DEPOSIT_INVALID", `the publisher refused with gRPC status ${thrown.code}`, {
    cause: thrown,
  });
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return (
    thrown instanceof Error && "code" in thrown && typeof thrown.code === "number" && "details" in thrown
  );
}
