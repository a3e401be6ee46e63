/** In a site agent's state folder, marks it as restored from a backup; see site-agent/src/store/restoredCopy.ts. */
export const restoredFile = "restored.json";
/** There too: what was sent before there was an egress log; see identity/enrolmentSent.ts. */
export const enrolmentSentFile = "enrolment-sent.jsonl";
