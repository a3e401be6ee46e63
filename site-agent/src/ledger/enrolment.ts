import { enrolmentsSent, forgetEnrolmentsSent } from "@consilium/runtime/identity/enrolmentSent";
import type { EgressLog } from "./egressLog.js";

/** Takes into the log what was sent to enrol this site, before there was a log. */
export async function logEnrolment(stateFolder: string, log: EgressLog): Promise<void> {
  for (const sent of await enrolmentsSent(stateFolder)) {
    log.record({
      ...sent,
      study: null,
      step: "",
      what: "certificate request",
      whom: "the aggregator",
      charge: null,
      isRoutine: true,
    });
  }
  await forgetEnrolmentsSent(stateFolder);
}
