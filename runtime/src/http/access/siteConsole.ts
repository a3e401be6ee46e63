import { z } from "zod";
import { checkedConfig } from "../../config.js";
import { siteNotifications } from "../../notify/settings.js";
import { pagesTlsSchema } from "../tls.js";
import { siteRoles } from "./accountRoles.js";
import { consoleAccessFields, hostNames } from "./config.js";

/** `console:` of a site's config.yaml. The agent hands it to the site console, which cannot read the file, unread. */
export const siteConsoleSchema = z.strictObject({
  /** Where the hospital's pages, health and metrics are served: loopback by default. */
  listen: z.string().max(300).default("127.0.0.1:7082"),
  ...consoleAccessFields(siteRoles),
  /** Host names of the pages besides loopback. */
  hosts: hostNames.default([]),
  /** Certificate and key of the pages; left out: no TLS of their own. */
  tls: pagesTlsSchema.optional(),
  /** Messages to approvers; left out: none. */
  notifications: siteNotifications.optional(),
});
export type SiteConsoleSettings = z.output<typeof siteConsoleSchema>;

/** @throws ConsiliumError CONFIG_INVALID that names every wrong key, as `parseConfig` does */
export function siteConsoleSettings(raw: unknown): SiteConsoleSettings {
  return checkedConfig({ console: raw ?? {} }, "config.yaml", z.object({ console: siteConsoleSchema }))
    .console;
}
