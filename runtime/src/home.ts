import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { SiteId } from "@consilium/core/ids";

/** The ports a process listens on unless its configuration says otherwise; 0 there picks a free one. */
export const defaultPorts = {
  aggregatorGrpc: 7443,
  aggregatorHttp: 7080,
  publisherGrpc: 7444,
  publisherHttp: 7081,
  siteConsole: 7082,
} as const;

/** In a site's state folder: the site console keeps its own state there, unless it is told another folder. */
export const consoleFolderName = "console";
/** In the site console's state folder: accounts and tokens for the folder's owner. */
export const consoleSocketName = "console.sock";

/** Where each part keeps its state below the home folder. Nothing is created by asking. */
export interface HomeFolders {
  readonly home: string;
  /** The federation's root key: only `init` and `expel` read it, no server does. */
  readonly authority: string;
  readonly aggregator: string;
  readonly publisher: string;
  site(id: SiteId): string;
}

/**
 * The folders below CONSILIUM_HOME, or below `~/.consilium` where that is not set.
 * @param environment - the process's own by default
 */
export function homeFolders(environment: NodeJS.ProcessEnv = process.env): HomeFolders {
  const configured = environment.CONSILIUM_HOME;
  const home = configured ? resolve(configured) : join(homedir(), ".consilium");
  return {
    home,
    authority: join(home, "authority"),
    aggregator: join(home, "aggregator"),
    publisher: join(home, "publisher"),
    site: (id) => join(home, "sites", id),
  };
}
