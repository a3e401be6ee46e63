import { createHash } from "node:crypto";
import type {
  NotificationKind,
  NotificationsView,
  NotificationTestView,
  NotificationView,
} from "@consilium/core/access/notificationViews";
import type { RandomSource } from "@consilium/core/random";
import type { Logger } from "../log.js";
import type { Store } from "../store/store.js";
import { type Channel, DeliveryError, type Message } from "./message.js";

/** The table of `Notifications`, for the migrations of a process's store. Times are milliseconds since 1970. */
export const notificationsMigration = `
  -- One row per event and channel: each is sent at most once.
  CREATE TABLE notifications (
    kind TEXT NOT NULL,
    -- The study or site that it is about, and which event of this kind.
    subject TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    -- Until when the event lasts; NULL: it has no end of its own.
    until INTEGER,
    noted_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    sent_at INTEGER,
    fault TEXT,
    PRIMARY KEY (kind, subject, occurrence, channel)
  ) STRICT;
  CREATE INDEX notifications_by_state ON notifications(state, next_at);

  -- Since when each channel is configured: what happened before is not reported by it.
  CREATE TABLE notification_channels (channel TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT;
`;

/** An event that people are told of. */
export interface Notice {
  readonly kind: Exclude<NotificationKind, "test">;
  /** Id of the study or the site. */
  readonly subject: string;
  /** Tells events of one kind and subject apart, such as the moment at which a study failed. */
  readonly occurrence: string;
  readonly name: string;
  /** Of the page, below the console's address. */
  readonly path: string;
  /**
   * Until when the event lasts. While an earlier one of the kind and subject lasts, a later one is the same: a deadline
   * that is told anew differs by milliseconds.
   */
  readonly until: number | null;
  /** When it happened, of an event that is over; null while it lasts. */
  readonly happenedAt: number | null;
}

interface NotificationsContext {
  readonly store: Store;
  readonly channels: readonly Channel[];
  /** The address of the pages, without a slash at the end. */
  readonly pages: () => string;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
}

const firstRetryMs = 60_000;
const lastRetryMs = 3_600_000;
/** About two days. */
const attemptsMost = 50;
const sameEventMs = 60_000;
const shownMost = 20;

/** Wait before the next attempt: doubled after each, up to an hour. */
export function retryAfterMs(attempts: number): number {
  return Math.min(lastRetryMs, firstRetryMs * 2 ** (attempts - 1));
}

interface Row extends Omit<NotificationView, "notedAt" | "nextAttemptAt" | "sentAt"> {
  readonly subject: string;
  readonly occurrence: string;
  readonly path: string;
  readonly notedAt: number;
  readonly nextAt: number;
  readonly sentAt: number | null;
}

const columns = `kind, subject, occurrence, channel, name, path, noted_at AS notedAt, state, attempts,
  next_at AS nextAt, sent_at AS sentAt, fault`;

/**
 * Messages to people about events. An event is stored before it is sent, so that a restart neither loses nor repeats it:
 * what was being handed over when the process ended, or was not confirmed, counts as sent.
 */
export class Notifications {
  readonly #context: NotificationsContext;
  #delivering: Promise<void> | null = null;

  constructor(context: NotificationsContext) {
    this.#context = context;
    const { store, channels, now } = context;
    store.transaction(() => {
      store.run(
        "UPDATE notifications SET state = 'unconfirmed', fault = ? WHERE state = 'sending'",
        "the process ended while it was sent",
      );
      const names = channels.map((one) => one.channel as string);
      for (const { channel } of store.all("SELECT channel FROM notification_channels"))
        if (!names.includes(String(channel)))
          store.run("DELETE FROM notification_channels WHERE channel = ?", channel!);
      for (const name of names)
        store.run(
          "INSERT INTO notification_channels (channel, since) VALUES (?, ?) ON CONFLICT (channel) DO NOTHING",
          name,
          now(),
        );
    });
  }

  /**
   * Takes what is true now.
   * @param lasting - kinds that `notices` has all events of: what of these waits to be sent and is no longer true is dropped
   */
  note(notices: readonly Notice[], lasting: readonly Notice["kind"][]): void {
    const { store, channels } = this.#context;
    store.transaction(() => {
      for (const notice of notices) for (const { channel } of channels) this.#noteOne(notice, channel);
      const waiting = store.all(`SELECT ${columns} FROM notifications WHERE state = 'waiting'`);
      for (const row of waiting as unknown as Row[]) {
        const isTrue = notices.some(({ kind, subject }) => kind === row.kind && subject === row.subject);
        if (lasting.some((kind) => kind === row.kind) && !isTrue) this.#become(row, "obsolete", null);
      }
    });
  }

  /** Sends what is due; one message after the other. */
  deliver(): Promise<void> {
    this.#delivering ??= this.#deliverDue().finally(() => {
      this.#delivering = null;
    });
    return this.#delivering;
  }

  /** Sends a test message by each channel, at once and once. */
  async test(name: string): Promise<NotificationTestView> {
    const { channels, pages, random } = this.#context;
    const id = Buffer.from(random.bytes(16)).toString("hex");
    const message: Message = { id, kind: "test", name, link: `${pages()}/` };
    return Promise.all(
      channels.map(async (one) => {
        const fault = await one.send(message).then(
          () => null,
          (thrown: unknown) => this.#faultOf(thrown).message,
        );
        return { channel: one.channel, fault };
      }),
    );
  }

  view(): NotificationsView {
    const { store, channels } = this.#context;
    const newest = store.all(
      `SELECT ${columns} FROM notifications ORDER BY noted_at DESC, kind, subject, channel LIMIT ?`,
      shownMost,
    ) as unknown as Row[];
    const undelivered = store.get(
      `SELECT count(*) AS count FROM notifications
       WHERE state IN ('given up', 'unconfirmed') OR (state = 'waiting' AND attempts > 0)`,
    )!;
    return {
      channels: channels.map(({ channel, to }) => ({ channel, to })),
      newest: newest.map(({ kind, name, channel, notedAt, state, attempts, fault, nextAt, sentAt }) => ({
        kind,
        name,
        channel,
        state,
        attempts,
        fault,
        notedAt: new Date(notedAt).toISOString(),
        nextAttemptAt: state === "waiting" ? new Date(nextAt).toISOString() : null,
        sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
      })),
      undelivered: Number(undelivered.count),
    };
  }

  #noteOne(notice: Notice, channel: string): void {
    const { kind, subject, occurrence, name, path, until, happenedAt } = notice;
    const { store, now } = this.#context;
    const { since } = store.get("SELECT since FROM notification_channels WHERE channel = ?", channel)!;
    if (happenedAt !== null && happenedAt < Number(since)) return;
    // What became obsolete was never sent, and may be true again.
    const known = store.get(
      `SELECT 1 AS known FROM notifications WHERE kind = ? AND subject = ? AND channel = ?
       AND (occurrence = ? OR until > ?) AND state <> 'obsolete'`,
      kind,
      subject,
      channel,
      occurrence,
      now() - sameEventMs,
    );
    if (known !== undefined) {
      // A deadline that was extended: the event lasts until the later one.
      store.run(
        "UPDATE notifications SET until = ? WHERE kind = ? AND subject = ? AND channel = ? AND until < ? AND until > ?",
        until,
        kind,
        subject,
        channel,
        until,
        now() - sameEventMs,
      );
      return;
    }
    store.run(
      `INSERT INTO notifications (kind, subject, occurrence, channel, name, path, until, noted_at, state, next_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)
       ON CONFLICT (kind, subject, occurrence, channel)
         DO UPDATE SET state = excluded.state, until = excluded.until, next_at = excluded.next_at`,
      kind,
      subject,
      occurrence,
      channel,
      name,
      path,
      until,
      now(),
      now(),
    );
  }

  async #deliverDue(): Promise<void> {
    const { store, channels, now } = this.#context;
    for (const channel of channels) {
      const due = store.all(
        `SELECT ${columns} FROM notifications WHERE state = 'waiting' AND channel = ? AND next_at <= ?
         ORDER BY noted_at`,
        channel.channel,
        now(),
      ) as unknown as Row[];
      for (const row of due) await this.#send(row, channel);
    }
  }

  async #send(row: Row, channel: Channel): Promise<void> {
    const { pages, log } = this.#context;
    const attempts = row.attempts + 1;
    this.#become({ ...row, attempts }, "sending", null);
    try {
      await channel.send({ id: idOf(row), kind: row.kind, name: row.name, link: `${pages()}${row.path}` });
      this.#become({ ...row, attempts }, "sent", null);
    } catch (thrown) {
      const { message, isCertain } = this.#faultOf(thrown);
      const state = !isCertain ? "unconfirmed" : attempts < attemptsMost ? "waiting" : "given up";
      this.#become({ ...row, attempts }, state, message);
      log.warn("notification not delivered", { channel: row.channel, kind: row.kind, state, fault: message });
    }
  }

  #faultOf(thrown: unknown): DeliveryError {
    if (thrown instanceof DeliveryError) return thrown;
    this.#context.log.error("cannot send a notification", {}, thrown);
    return new DeliveryError("internal error; the log has the details", { isCertain: false, cause: thrown });
  }

  #become(row: Row, state: Row["state"], fault: string | null): void {
    const { store, now } = this.#context;
    store.run(
      `UPDATE notifications SET state = ?, attempts = ?, fault = ?, next_at = ?, sent_at = ?
       WHERE kind = ? AND subject = ? AND occurrence = ? AND channel = ?`,
      state,
      row.attempts,
      fault,
      now() + (state === "waiting" ? retryAfterMs(row.attempts) : 0),
      state === "sent" ? now() : null,
      row.kind,
      row.subject,
      row.occurrence,
      row.channel,
    );
  }
}

function idOf({ kind, subject, occurrence }: Row): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, subject, occurrence]))
    .digest("hex")
    .slice(0, 32);
}
