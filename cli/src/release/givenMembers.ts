import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import {
  type MembersList,
  matchMembers,
  readMembers,
  readPublishedMembers,
  type VerifiedMembers,
} from "@consilium/release/members";
import type { VerifiedRelease } from "@consilium/release/verify";
import { rootKeyHash } from "@consilium/runtime/identity/rootKey";
import { isSignedByRoot } from "@consilium/runtime/release/verifyFolder";
import { fileFault } from "../failure.js";
import type { Session } from "../session.js";
import { fetchMembers, openPublisher, type PublisherOptions } from "./publisherClient.js";

/** What `--members` names: a file, an address, or `published`. */
interface GivenMembers {
  readonly verified: VerifiedRelease;
  readonly given: string;
  readonly rootPem: string;
  /** Whose list `published` is. */
  readonly publisher: PublisherOptions;
}

/**
 * Whether enough of a verified release's sites are members.
 * @throws ConsiliumError CONFIG_INVALID for an invalid list, COUNTERSIGNATURE_INVALID where too few are on it; STATE_MISSING,
 *   PUBLISHER_UNREACHABLE where there is none
 */
export async function checkedMembers(
  session: Session,
  { verified: { certificate }, given, rootPem, publisher }: GivenMembers,
): Promise<VerifiedMembers> {
  const isFetched = given === "published" || /^https?:\/\//i.test(given);
  const text = isFetched ? await fetched(session, given, publisher) : await written(session, given);
  const under = {
    text,
    rootKey: rootKeyHash(rootPem),
    isRootSignature: (bytes: Uint8Array, signature: Uint8Array) => isSignedByRoot(rootPem, bytes, signature),
  };
  // Only a file can be the reader's own word.
  const list: MembersList = unwrap(
    (isFetched ? readPublishedMembers : readMembers)(under, certificate.federation),
  );
  return unwrap(matchMembers(list, certificate));
}

async function fetched(session: Session, given: string, options: PublisherOptions): Promise<string> {
  if (given === "published") return (await openPublisher(session, options)).members();
  const remote = { name: given, unreachable: "PUBLISHER_UNREACHABLE" } as const;
  return fetchMembers(remote, given, session.interrupted);
}

async function written(session: Session, given: string): Promise<string> {
  const path = session.path(given);
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `list of members ${path}: ${fileFault(cause)}`, {
      remedy: "give a list of members as docs/FORMAT.md has it",
      cause,
    });
  });
}
