import { join } from "node:path";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { isRevoked, type RevocationList, verifyRevocations } from "@consilium/runtime/identity/revocations";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";

/** The list of expelled sites that this aggregator holds; only the root key can have made it. */
export class Revocations {
  readonly #path: string;
  readonly #rootPem: string;
  #bytes: Uint8Array | null;
  #list: RevocationList | undefined;

  private constructor(
    path: string,
    rootPem: string,
    bytes: Uint8Array | null,
    list: RevocationList | undefined,
  ) {
    this.#path = path;
    this.#rootPem = rootPem;
    this.#bytes = bytes;
    this.#list = list;
  }

  /**
   * No file is no list; one that cannot be read is a fault, for going on without it would readmit the expelled.
   * @throws ConsiliumError REVOCATIONS_INVALID when the stored list was tampered with
   */
  static async open(stateFolder: string, rootPem: string): Promise<Revocations> {
    const path = join(stateFolder, "revocations");
    const bytes = await readFileIfThere(path);
    const list = bytes === null ? undefined : unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
    return new Revocations(path, rootPem, bytes, list);
  }

  get bytes(): Uint8Array | null {
    return this.#bytes;
  }

  get list(): RevocationList | undefined {
    return this.#list;
  }

  includes(fingerprint: Sha256): boolean {
    return isRevoked(this.#list, fingerprint);
  }

  /** @throws ConsiliumError REVOCATIONS_INVALID or REVOCATIONS_STALE; the list held stays then */
  async replace(bytes: Uint8Array): Promise<void> {
    const list = unwrap(
      verifyRevocations(bytes, { rootPem: this.#rootPem, knownSequence: this.#list?.sequence ?? 0 }),
    );
    await writeFileDurable(this.#path, bytes);
    this.#bytes = bytes;
    this.#list = list;
  }
}
