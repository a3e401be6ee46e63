import { join } from "node:path";
import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { sentences } from "@consilium/core/said";
import type { Issuer } from "@consilium/runtime/identity/authority";
import { confirmRevocations } from "@consilium/runtime/identity/confirmRevocations";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { isRevoked, type Revocation, type RevocationList } from "@consilium/runtime/identity/revoked";
import { readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { Store } from "@consilium/runtime/store/store";
import type { AggregatorSays } from "@consilium/words/says/aggregator";

const fault = faults<AggregatorSays>();
const said = sentences<AggregatorSays>();

export interface ConfirmedList {
  readonly list: Uint8Array;
  readonly confirmation: Uint8Array;
}

/** The aggregator's list of expelled sites, signed by the root key. */
export class Revocations {
  readonly #path: string;
  readonly #rootPem: string;
  #bytes: Uint8Array | null;
  #list: RevocationList | undefined;
  #store: Store | null = null;

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
   * A missing file means no list; an unreadable one is an error, because continuing without it would readmit expelled
   * sites.
   * @throws ConsiliumError REVOCATIONS_INVALID when the stored list was tampered with
   */
  static async open(stateFolder: string, rootPem: string): Promise<Revocations> {
    const path = join(stateFolder, "revocations");
    const bytes = await readFileIfThere(path);
    const list = bytes === null ? undefined : unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
    return new Revocations(path, rootPem, bytes, list);
  }

  /**
   * From now on the list is in the store too, for an aggregator that takes over. Of that one and the file's the newer one is
   * in force.
   * @throws ConsiliumError REVOCATIONS_INVALID when the stored list was tampered with
   */
  async keepIn(store: Store): Promise<void> {
    this.#store = store;
    const stored = store.get("SELECT list FROM revocation_lists ORDER BY sequence DESC LIMIT 1");
    const bytes = (stored?.list ?? null) as Uint8Array | null;
    const list =
      bytes === null
        ? undefined
        : unwrap(verifyRevocations(bytes, { rootPem: this.#rootPem, knownSequence: 0 }));
    const known = this.#list?.sequence ?? -1;
    if (bytes !== null && list !== undefined && list.sequence > known) {
      await writeFileDurable(this.#path, bytes);
      this.#bytes = bytes;
      this.#list = list;
    } else if (known > (list?.sequence ?? -1)) this.#keep(this.#bytes!, known);
  }

  #keep(bytes: Uint8Array, sequence: number): void {
    const store = this.#store;
    store?.transaction(() => {
      store.run("DELETE FROM revocation_lists");
      store.run("INSERT INTO revocation_lists (sequence, list) VALUES (?, ?)", sequence, bytes);
    });
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

  /** The list with a current confirmation that it is the newest, as sent to sites. Null without a list. */
  confirmed(issuer: Issuer, now: number): ConfirmedList | null {
    const [bytes, list] = [this.#bytes, this.#list];
    if (bytes === null || list === undefined) return null;
    const confirmation = confirmRevocations(issuer, { bytes, sequence: list.sequence }, now);
    return { list: bytes, confirmation };
  }

  /**
   * @returns the entries added by the new list
   * @throws ConsiliumError REVOCATIONS_INVALID or REVOCATIONS_STALE; the current list stays then
   */
  async replace(bytes: Uint8Array): Promise<Revocation[]> {
    const list = unwrap(
      verifyRevocations(bytes, { rootPem: this.#rootPem, knownSequence: this.#list?.sequence ?? 0 }),
    );
    if (list.sequence === this.#list?.sequence && !Buffer.from(bytes).equals(this.#bytes!)) {
      const remedy = said("roster.sign-again", {});
      throw fault("REVOCATIONS_STALE", "roster.list-other", { number: list.sequence }, { remedy });
    }
    this.#keep(bytes, list.sequence);
    await writeFileDurable(this.#path, bytes);
    const before = this.#list;
    this.#bytes = bytes;
    this.#list = list;
    return list.revocations.filter((one) => !isRevoked(before, one.signingKeyFingerprint));
  }
}
