import { readFileSync } from "node:fs";

/** The command's version, as in its package file beside the built files. */
export function cliVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest)
    return String(manifest.version);
  throw new RangeError("the command's package file has no version");
}
