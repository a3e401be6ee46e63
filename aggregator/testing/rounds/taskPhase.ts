import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import type { SumPhase } from "@consilium/secure-sum/messages";

/** The phase of a sum that a task asks a site for; null for any other task. */
export function phaseOf({ kind }: Task__Output): SumPhase | null {
  switch (kind) {
    case "sumKeys":
      return "keys";
    case "sumShares":
      return "shares";
    case "sum":
      return "masked";
    case "sumSurvivors":
      return "survivors";
    case "sumUnmask":
      return "unmask";
    default:
      return null;
  }
}
