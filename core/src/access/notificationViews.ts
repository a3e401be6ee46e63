import { z } from "zod";

/** Notifications that a console or the aggregator sends to people, as its own pages show them. */

const moment = z.iso.datetime();

export const notificationKinds = [
  "study-waiting",
  "approval-reminder",
  "few-rows-used",
  "site-silent",
  "study-failed",
  "study-released",
  "question-asked",
  "question-answered",
  "test",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

const channelSchema = z
  .enum(["mail", "webhook"])
  .meta({ id: "NotificationChannel", description: "How a message is delivered." });
export type NotificationChannel = z.output<typeof channelSchema>;

const notificationSchema = z
  .object({
    kind: z.enum(notificationKinds),
    name: z.string().describe("Of the study or the site."),
    channel: channelSchema,
    notedAt: moment,
    state: z
      .enum(["waiting", "sending", "sent", "unconfirmed", "obsolete", "given up"])
      .describe(
        "`waiting`: for its first or next attempt. `unconfirmed`: handed over without an answer, and not repeated. `obsolete`: no longer true before it could be sent.",
      ),
    attempts: z.int(),
    fault: z.string().nullable().describe("Of the last attempt."),
    nextAttemptAt: moment.nullable(),
    sentAt: moment.nullable(),
  })
  .meta({ id: "Notification", description: "One message about one event by one channel." });
export type NotificationView = z.output<typeof notificationSchema>;

export const notificationsSchema = z
  .object({
    channels: z
      .array(
        z.object({ channel: channelSchema, to: z.string().describe("Addresses, or the receiver's host.") }),
      )
      .describe("Those that are configured."),
    newest: z.array(notificationSchema).describe("The newest first, 20 at most."),
    undelivered: z.int().describe("How many wait for another attempt, were given up, or are unconfirmed."),
  })
  .meta({ id: "Notifications" });
export type NotificationsView = z.output<typeof notificationsSchema>;

export const notificationTestSchema = z
  .array(
    z.object({
      channel: channelSchema,
      fault: z.string().nullable().describe("Null where the receiver accepted it."),
    }),
  )
  .meta({ id: "NotificationTest", description: "What became of a test message by each channel." });
export type NotificationTestView = z.output<typeof notificationTestSchema>;
