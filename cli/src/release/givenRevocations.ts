import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import { fileFault } from "../failure.js";
import type { Session } from "../session.js";

/**
 * The federation's list of expelled sites, as its root signed it.
 * @param given - the file of `--revocations`
 * @throws ConsiliumError STATE_MISSING, or REVOCATIONS_INVALID for a list that is not the root's
 */
export async function givenRevocations(
  session: Session,
  given: string,
  rootPem: string,
): Promise<RevocationList> {
  const path = session.path(given);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `list of expelled sites ${path}: ${fileFault(cause)}`, {
      remedy: "ask the federation's operator for the signed list, the authority's file `revocations`",
      cause,
    });
  });
  return unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
}
