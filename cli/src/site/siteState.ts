import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { BackupRole } from "@consilium/runtime/backup/manifest";
import type { Command } from "commander";
import { siteArgument } from "../federation/invite.js";
import type { Session } from "../session.js";

export interface SiteStateOptions {
  readonly state?: string;
  readonly site?: string;
}

/** The two options that select a site. */
export function addStateOptions(command: Command): Command {
  return command
    .option("--state <folder>", "the site's state folder (default: the only one below <home>/sites)")
    .option("--site <site>", "the site, if --home has several");
}

const sitesFolder = (session: Session) => dirname(session.home.site(unwrap(parseSiteId("any"))));

/** Sites that have their state below --home, by name. */
export async function sitesBelow(session: Session): Promise<string[]> {
  const entries = await readdir(sitesFolder(session), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && parseSiteId(entry.name).ok)
    .map((entry) => entry.name)
    .sort();
}

/** A site's state folder: given, by the site's name, or the only one below the home folder. */
export async function siteState(session: Session, options: SiteStateOptions): Promise<string> {
  if (options.state !== undefined) return session.path(options.state);
  if (options.site !== undefined) return session.home.site(unwrap(parseSiteId(siteArgument(options.site))));
  const sites = sitesFolder(session);
  const names = await sitesBelow(session);
  if (names.length === 1) return session.home.site(unwrap(parseSiteId(names[0])));
  if (names.length === 0) {
    throw new ConsiliumError("STATE_MISSING", `no site state below ${sites}`, {
      remedy: "enrol first: `consilium site enroll`; or give the state folder with --state",
    });
  }
  throw new ConsiliumError("USAGE", `several sites below ${sites}: ${names.join(", ")}`, {
    remedy: "choose one with --site, or give the state folder with --state",
  });
}

/**
 * The state folder of a role: given, or where it is below the home folder.
 * @throws ConsiliumError USAGE where a site is named for another role
 */
export async function roleState(
  session: Session,
  role: BackupRole,
  options: SiteStateOptions,
): Promise<string> {
  if (role === "site") return siteState(session, options);
  if (options.site !== undefined)
    throw new ConsiliumError("USAGE", "--site is only valid for a site's folder");
  return options.state === undefined ? session.home[role] : session.path(options.state);
}
