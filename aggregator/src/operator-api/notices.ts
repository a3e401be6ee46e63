import type { SiteView, StudySummary } from "@consilium/core/operator/views";
import type { Notice, Notifications } from "@consilium/runtime/notify/notifications";

/** Kinds of which every look has all events. */
const lasting = ["site-silent"] as const;

/** A hospital's question, as far as a message tells of it. */
export interface AskedQuestion {
  readonly id: string;
  readonly study: string;
  /** The study's. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

interface Watched {
  readonly sites: () => readonly SiteView[];
  readonly studies: () => readonly StudySummary[];
  readonly questions: () => readonly AskedQuestion[];
  readonly now: () => number;
  /** When this process was started: earlier nobody could be heard. */
  readonly startedAt: number;
  readonly silentAfterMs: number;
}

export function operatorNotices(watched: Watched): Notice[] {
  const { sites, studies, questions, now, startedAt, silentAfterMs } = watched;
  return [
    ...sites().flatMap(({ id, presence, lastSeenAt }): Notice[] => {
      if ((presence !== "gone" && presence !== "refused") || lastSeenAt === null) return [];
      if (now() - Math.max(Date.parse(lastSeenAt), startedAt) < silentAfterMs) return [];
      const lasts = { until: null, happenedAt: null };
      return [{ kind: "site-silent", subject: id, occurrence: lastSeenAt, name: id, path: "/", ...lasts }];
    }),
    ...studies().flatMap(({ id, name, status, endedAt }): Notice[] => {
      if (endedAt === null) return [];
      if (status !== "failed" && status !== "released") return [];
      const kind = status === "failed" ? "study-failed" : "study-released";
      const happened = { until: null, happenedAt: Date.parse(endedAt) };
      return [{ kind, subject: id, occurrence: endedAt, name, path: `/studies/${id}`, ...happened }];
    }),
    ...questions().map(({ id, study, name, askedAt }): Notice => {
      const happened = { until: null, happenedAt: askedAt };
      return {
        kind: "question-asked",
        subject: study,
        occurrence: id,
        name,
        path: `/studies/${study}`,
        ...happened,
      };
    }),
  ];
}

/** A study that ended this long before the process started is not reported: the last one has, unless it was stopped so long. */
const reachBackMs = 7 * 86_400_000;
/** Studies that ended so long before the last look are looked at again: what is noted is noted once. */
const lookBackMs = 3_600_000;

/** @returns what looks at sites and studies, and sends what is due */
export function operatorLook(
  notifications: Pick<Notifications, "note" | "deliver">,
  watched: Omit<Watched, "studies" | "questions"> & {
    /** Studies that have ended since a time, in milliseconds since 1970. */
    readonly endedSince: (since: number) => readonly StudySummary[];
    readonly askedSince: (since: number) => readonly AskedQuestion[];
  },
): () => Promise<void> {
  const { startedAt, now, endedSince, askedSince } = watched;
  let since = startedAt - reachBackMs;
  return async () => {
    const at = now();
    const news = { studies: () => endedSince(since), questions: () => askedSince(since) };
    notifications.note(operatorNotices({ ...watched, ...news }), lasting);
    since = at - lookBackMs;
    await notifications.deliver();
  };
}
