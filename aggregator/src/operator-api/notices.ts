import type { SiteView, StudySummary } from "@consilium/core/operator/views";
import type { Notice, Notifications } from "@consilium/runtime/notify/notifications";

/** Kinds of which every look has all events. */
const lasting = ["site-silent"] as const;

interface Watched {
  readonly sites: () => readonly SiteView[];
  readonly studies: () => readonly StudySummary[];
  readonly now: () => number;
  /** When this process was started: earlier nobody could be heard. */
  readonly startedAt: number;
  readonly silentAfterMs: number;
}

export function operatorNotices({ sites, studies, now, startedAt, silentAfterMs }: Watched): Notice[] {
  return [
    ...sites().flatMap(({ id, presence, lastSeenAt }): Notice[] => {
      if (presence !== "gone" || lastSeenAt === null) return [];
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
  ];
}

/** A study that ended this long before the process started is not reported: the last one has, unless it was stopped so long. */
const reachBackMs = 7 * 86_400_000;
/** Studies that ended so long before the last look are looked at again: what is noted is noted once. */
const lookBackMs = 3_600_000;

/** @returns what looks at sites and studies, and sends what is due */
export function operatorLook(
  notifications: Pick<Notifications, "note" | "deliver">,
  watched: Omit<Watched, "studies"> & {
    /** Studies that have ended since a time, in milliseconds since 1970. */
    readonly endedSince: (since: number) => readonly StudySummary[];
  },
): () => Promise<void> {
  const { startedAt, now, endedSince } = watched;
  let since = startedAt - reachBackMs;
  return async () => {
    const at = now();
    notifications.note(operatorNotices({ ...watched, studies: () => endedSince(since) }), lasting);
    since = at - lookBackMs;
    await notifications.deliver();
  };
}
