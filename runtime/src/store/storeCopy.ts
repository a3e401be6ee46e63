import { chmodSync, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pathOf } from "@consilium/core/said";
import Database from "libsql";
import { fault } from "../fault.js";
import { type OpenStore, openStore } from "./store.js";

/** A copy as of one moment, also while another process writes. https://sqlite.org/lang_vacuum.html */
export function copyDatabase(from: string, to: string): void {
  const database = new Database(`${pathToFileURL(from).href}?mode=ro`);
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    database.prepare("VACUUM INTO ?").run([to]);
  } finally {
    database.close();
  }
  chmodSync(to, 0o600);
}

/**
 * Works on a copy of a state folder's store, in the format of this version; the folder itself stays as it is.
 * @throws ConsiliumError STATE_MISSING, CONFIG_INVALID
 */
export async function withStoreCopy<T>(
  stateFolder: string,
  migrations: readonly string[],
  work: (store: OpenStore, folder: string) => Promise<T>,
): Promise<T> {
  const path = join(stateFolder, "state.db");
  if (!existsSync(path)) throw fault("STATE_MISSING", "state.no-file", { file: pathOf(path) });
  return withCopy((to) => copyDatabase(path, to), migrations, work);
}

/** Works on a copy that is made here, in a folder of its own, and goes with it. @param make - writes the copy's file */
export async function withCopy<T>(
  make: (to: string) => void,
  migrations: readonly string[],
  work: (store: OpenStore, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-store-"));
  try {
    const copy = join(folder, "state.db");
    make(copy);
    const store = openStore(copy, migrations);
    try {
      return await work(store, folder);
    } finally {
      store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
