import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { fileFault } from "../failure.js";
import type { Session } from "../session.js";

/** The federation's root.pem that a person trusts. @throws ConsiliumError STATE_MISSING, CONFIG_INVALID */
export async function readRoot(session: Session, written: string): Promise<string> {
  const path = session.path(written);
  let pem: string;
  try {
    pem = await readFile(path, "utf8");
  } catch (cause) {
    throw new ConsiliumError("STATE_MISSING", `root certificate ${path}: ${fileFault(cause)}`, {
      remedy: "give the federation's root.pem, from its operator or a hospital, with --authority",
      cause,
    });
  }
  const { rootFingerprint } = await import("@consilium/runtime/identity/certificates");
  try {
    rootFingerprint(pem);
    return pem;
  } catch (cause) {
    throw new ConsiliumError("CONFIG_INVALID", `${path} is not a PEM certificate`, {
      remedy: "give the federation's root.pem with --authority",
      cause,
    });
  }
}
