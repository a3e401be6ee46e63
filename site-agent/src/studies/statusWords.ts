import type { StudySummary } from "./records.js";

/** A study's status at this site in a sentence's end. */
export function inWords(record: StudySummary): string {
  const ended = record.exchangeKey === null ? "without this hospital" : "with this hospital";
  switch (record.status) {
    case "waiting for approval":
      return "it waits for a person at this hospital";
    case "refused":
      return record.localCode === "REFUSED_BY_SITE" ? "a person refused it" : "the site refused it";
    case "joined":
      return "this hospital takes part";
    case "waiting":
      return "this hospital takes part; it came to a stop and may be resumed";
    case "released":
      return `it was released ${ended}`;
    case "cancelled":
      return `it was cancelled ${ended}`;
  }
}
