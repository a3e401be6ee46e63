import type { NotificationsView } from "@consilium/core/access/notificationViews";
import { ok, skipped, type Verdict, warn } from "../doctor/check.js";

/** Whether the messages that were to be sent were delivered. */
export function checkNotifications({ channels, newest, undelivered }: NotificationsView): Verdict {
  if (channels.length === 0) return skipped("no notifications are configured");
  const to = channels.map((one) => `${one.channel} to ${one.to}`).join("; ");
  if (undelivered === 0) return ok(`${to}: nothing is undelivered`);
  const fault = newest.find((one) => one.fault !== null)?.fault;
  const messages = undelivered === 1 ? "1 message is" : `${undelivered} messages are`;
  return warn(
    `${to}: ${messages} undelivered${fault == null ? "" : `; the last error: ${fault}`}`,
    "check the server, its certificate and the password under notifications in config.yaml, then send a test message",
  );
}
