import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const state = fileURLToPath(new URL("../../../test/upgrade/state.tar.gz", import.meta.url));
const release = "publisher/releases/wdbc-counts-00719629da";

/** A release of version 0.1, as its publisher had it, in a folder. */
export function unpackRelease(into: string): { readonly folder: string; readonly rootPem: string } {
  mkdirSync(into, { recursive: true });
  execFileSync("tar", ["xzf", state, "-C", into, release, "authority/root.pem"]);
  return { folder: join(into, release), rootPem: readFileSync(join(into, "authority/root.pem"), "utf8") };
}
