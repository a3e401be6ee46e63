import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { signatureFile, timestampFile } from "@consilium/release/certificate";
import { smallFileIn } from "@consilium/runtime/release/verifyFolder";
import { fileFault } from "../failure.js";
import type { Session } from "../session.js";
import type { Timestamp } from "./timestamp.js";

/** An answer carries a few certificates of some kilobytes each. */
const maxBytes = 65_536;

/**
 * The timestamp in a verified release's folder; "unchecked" where the reader named no authority for it, null where there is none.
 * @param authority - the file of `--timestamp-authority`
 * @throws ConsiliumError RELEASE_CORRUPT if it is not one of the release's signature by such an authority, or is missing;
 *   STATE_MISSING, CONFIG_INVALID for the authority's file
 */
export async function givenTimestamp(
  session: Session,
  folder: string,
  authority: string | undefined,
): Promise<Timestamp | "unchecked" | null> {
  const response = unwrap(await smallFileIn(session.path(folder), timestampFile, maxBytes));
  if (authority === undefined) return response === null ? null : "unchecked";
  if (response === null) throw new ConsiliumError("RELEASE_CORRUPT", `${timestampFile}: the file is missing`);
  const path = session.path(authority);
  const pem = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `authority for time ${path}: ${fileFault(cause)}`, {
      remedy: "give the root certificate of who signed certificate.tsr with --timestamp-authority",
      cause,
    });
  });
  const stamped = await readFile(join(session.path(folder), signatureFile));
  const { checkTimestamp } = await import("./timestamp.js");
  return checkTimestamp({ file: timestampFile, response, stamped, authority: pem });
}
