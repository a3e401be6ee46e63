import type { NoBoundReason, PrivacyEvent } from "@consilium/core/privacy/events";

/**
 * An event as `consilium plan v2` and `consilium-statement/1` write it, whose hashes and signatures are compared with those of
 * software that had sentences for reasons. A part of both formats: never edited.
 */
export function eventAsStated(event: PrivacyEvent): PrivacyEvent {
  if (event.kind !== "no-bound") return event;
  return { ...event, reason: statedReasons[event.reason as NoBoundReason] ?? event.reason };
}

const statedReasons: Readonly<Record<NoBoundReason, string>> = {
  none: "the study asks for no privacy",
  "by-authors": "the privacy of this method is claimed by its authors and not proved",
};
