import { toConsiliumError } from "@consilium/core/errors";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { toServiceError } from "@consilium/proto/serviceError";
import { english, spokenError } from "@consilium/runtime/http/spoken";
import type { ServiceError } from "@grpc/grpc-js";

/** Sites are answered in English beside the code: theirs may be an older version, which has no words for a newer sentence. */
export function spokenAnswer(thrown: unknown): Partial<ServiceError> {
  return toServiceError(spokenError(toConsiliumError(thrown)));
}

/** The same of a fault on the control stream; other frames as they are. */
export function spokenFrame(out: AggregatorFrame): AggregatorFrame {
  if (out.frame !== "fault" || !out.fault) return out;
  return { ...out, fault: { ...out.fault, message: english(out.fault.message ?? "") } };
}
