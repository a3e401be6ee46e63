import { notificationsSchema, notificationTestSchema } from "@consilium/core/access/notificationViews";
import type { AccountRole } from "@consilium/core/access/views";
import type { HttpServer } from "../http/server.js";
import type { Notifications } from "./notifications.js";

/** Who may see what was sent, and who may send a test. */
export function routeNotifications(
  server: HttpServer,
  options: {
    readonly notifications: Notifications;
    readonly reader: AccountRole;
    readonly tester: AccountRole;
    /** Of the site or the federation, for the test message. */
    readonly name: () => string;
  },
): void {
  const { notifications, reader, tester, name } = options;
  server.get(
    "/api/notifications",
    {
      config: { role: reader },
      schema: {
        summary: "Messages sent to people",
        description: "Channels as configured, and the newest messages with their outcome.",
        response: { 200: notificationsSchema },
      },
    },
    async () => notifications.view(),
  );
  server.post(
    "/api/notifications/test",
    {
      config: { role: tester, does: "sent a test notification" },
      schema: {
        summary: "Sends a test message by each channel",
        description: "Once, at once; answers when each receiver has answered or failed.",
        response: { 200: notificationTestSchema },
      },
    },
    async () => notifications.test(name()),
  );
}
