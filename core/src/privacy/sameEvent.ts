import { isSame } from "@consilium/gate/account";
import type { PrivacyEvent } from "./events.js";

/** Whether both are one event. Why something has no bound is not compared: it is a code, and was a sentence in early entries. */
export function isSameEvent(one: PrivacyEvent, other: PrivacyEvent | undefined): boolean {
  return one.kind === "no-bound" ? other?.kind === one.kind : isSame(one, other);
}
