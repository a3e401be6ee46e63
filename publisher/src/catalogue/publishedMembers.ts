import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { type PublishedMembers, readPublishedMembers } from "@consilium/release/members";
import { rootKeyHash } from "@consilium/runtime/identity/rootKey";
import { isSignedByRoot } from "@consilium/runtime/release/verifyFolder";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";

/** More than any federation has members; limits the input from a peer. */
const membersMaxBytes = 1 << 20;

export const membersFile = "members.json";

export interface MembersIssuer {
  readonly federation: string;
  readonly rootPem: string;
}

/** The list of the federation's members that its root signed last, in a file of its own; each is checked before it is shown. */
export class MembersOnFile {
  readonly #path: string;
  readonly #issuer: MembersIssuer;
  #bytes: Uint8Array | null;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, issuer: MembersIssuer, bytes: Uint8Array | null) {
    this.#path = path;
    this.#issuer = issuer;
    this.#bytes = bytes;
  }

  /** @throws ConsiliumError CONFIG_INVALID when the stored list was tampered with */
  static async open(stateFolder: string, issuer: MembersIssuer): Promise<MembersOnFile> {
    const path = join(stateFolder, membersFile);
    const bytes = await readFileIfThere(path);
    if (bytes !== null) readList(bytes, issuer);
    return new MembersOnFile(path, issuer, bytes);
  }

  /** The bytes as they were signed; null before the first list. */
  get bytes(): Uint8Array | null {
    return this.#bytes;
  }

  /**
   * Durable, and shown, when this returns; the same bytes again change nothing.
   * @throws ConsiliumError CONFIG_INVALID for a list that the root did not sign, FIELD_INVALID for one that is not newer
   */
  replace(bytes: Uint8Array): Promise<void> {
    const next = this.#last.then(() => this.#replace(bytes));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #replace(bytes: Uint8Array): Promise<void> {
    const before = this.#bytes;
    if (before !== null && Buffer.from(before).equals(bytes)) return;
    const { issuedAt } = readList(bytes, this.#issuer);
    if (before !== null) {
      const known = readList(before, this.#issuer).issuedAt;
      // An old list would have members again that were expelled since.
      if (Date.parse(issuedAt) <= Date.parse(known)) {
        throw new ConsiliumError(
          "FIELD_INVALID",
          `list of members: got one of ${issuedAt}, already have one of ${known}`,
          { remedy: "sign a new list: consilium members sign" },
        );
      }
    }
    await writeFileDurable(this.#path, bytes);
    this.#bytes = bytes;
  }
}

function readList(bytes: Uint8Array, { federation, rootPem }: MembersIssuer): PublishedMembers {
  if (bytes.length > membersMaxBytes)
    throw new ConsiliumError("FIELD_INVALID", `list of members: more than ${membersMaxBytes} bytes`);
  const under = {
    text: Buffer.from(bytes).toString("utf8"),
    rootKey: rootKeyHash(rootPem),
    isRootSignature: (text: Uint8Array, signature: Uint8Array) => isSignedByRoot(rootPem, text, signature),
  };
  return unwrap(readPublishedMembers(under, federation));
}
