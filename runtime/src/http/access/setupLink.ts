import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../log.js";
import { readFileIfThere, writeFileDurable } from "../../store/durableFile.js";
import type { Accounts } from "./accounts.js";

/** In the state folder, readable by its owner only, from the first run until the link is used. */
export const setupLinkFile = "setup-link";

/**
 * Where nobody can sign in yet: a one-time link to make the first account. It stands in a file; a terminal is shown
 * it as well, a log is told where it is.
 * @param terminal - standard error where that is a terminal
 */
export async function announceSetupLink(options: {
  readonly accounts: Accounts;
  readonly stateFolder: string;
  readonly log: Logger;
  readonly terminal: { write(text: string): unknown } | null;
}): Promise<void> {
  const { accounts, stateFolder, log, terminal } = options;
  const path = join(stateFolder, setupLinkFile);
  if (!accounts.isEmpty) {
    await removeSetupLink(stateFolder);
    return;
  }
  let url = (await readFileIfThere(path))?.toString("utf8").trim() ?? "";
  if (!accounts.isLink(url.split("#")[1] ?? "")) {
    url = accounts.firstLink().url;
    await writeFileDurable(path, `${url}\n`, { mode: 0o600 });
  }
  log.info("no accounts yet: open the one-time link in the file", { file: path });
  terminal?.write(`\nNo accounts yet. Create the first one within a day:\n\n  ${url}\n\n`);
}

export async function removeSetupLink(stateFolder: string): Promise<void> {
  await rm(join(stateFolder, setupLinkFile), { force: true });
}
