import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import { type ServiceError, status } from "@grpc/grpc-js";

/** Our codes on gRPC: the status tells clients how to react, the trailer `consilium-code` holds the code. */
export const codeKey = "consilium-code";

/** What a failed call means on the caller's side: our code when the other side gave one, else UNREACHABLE. */
export function fromServiceError(thrown: unknown): ConsiliumError {
  if (thrown instanceof ConsiliumError) return thrown;
  const error = thrown as Partial<ServiceError>;
  const code = error.metadata?.get(codeKey)[0];
  if (typeof code === "string" && isErrorCode(code)) return new ConsiliumError(code, error.details ?? code);
  switch (error.code) {
    case status.RESOURCE_EXHAUSTED:
      return new ConsiliumError("MESSAGE_TOO_LARGE", error.details ?? "message too large");
    case undefined:
      return new ConsiliumError("INTERNAL", "unexpected error", { cause: thrown });
    default:
      return new ConsiliumError("UNREACHABLE", `the call failed: ${error.details ?? status[error.code]}`);
  }
}
