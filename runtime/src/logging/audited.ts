import { type CatalogueEvent, events, isEventMessage } from "@consilium/core/logging/events";
import type { Logger } from "../log.js";

/** A line of an audit log. */
interface Audited {
  readonly kind: string;
  readonly actor?: string | null | undefined;
  readonly study?: string | null | undefined;
  readonly site?: string | null | undefined;
  readonly detail?: string | undefined;
}

/** Writes the lines of a process's audit log into its log, too, each at the level of the catalogue. */
export function logAudited(log: Logger): (event: Audited) => void {
  return ({ kind, actor, study, site, detail }) => {
    const event: CatalogueEvent | null = isEventMessage(kind) ? events[kind] : null;
    // What a person typed stays in the audit log.
    const fields = {
      actor,
      study,
      site,
      detail: event?.fields.includes("detail") === false ? undefined : detail,
    };
    // The type of each kind's fields is that of every audited event.
    if (event !== null) log[event.level](kind as "signed in", fields);
    else log.info("changed by an administrator", { ...fields, detail: detail ? `${kind}: ${detail}` : kind });
  };
}
