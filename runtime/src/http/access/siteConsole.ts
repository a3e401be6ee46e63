import { z } from "zod";
import { siteRoles } from "./accountRoles.js";
import { consoleAccessFields, hostNames } from "./config.js";

/**
 * `console:` of a site's config.yaml. The agent checks it with the rest of the file and hands it to the site console,
 * which cannot read the file.
 */
export const siteConsoleSchema = z.strictObject({
  /** Where the hospital's pages, health and metrics are served: loopback by default. */
  listen: z.string().max(300).default("127.0.0.1:7082"),
  ...consoleAccessFields(siteRoles),
  /** Host names of the pages besides loopback. */
  hosts: hostNames.default([]),
});
export type SiteConsoleSettings = z.output<typeof siteConsoleSchema>;
