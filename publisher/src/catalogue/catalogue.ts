import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { Methods } from "@consilium/core/method/methods";
import { type Certificate, certificateFile, signatureFile } from "@consilium/core/release/certificate";
import type { ReleaseDescription } from "@consilium/core/release/content";
import { verifyCertificate } from "@consilium/core/release/verify";
import type { ReleaseQuery } from "@consilium/core/release/views";
import type { Withdrawal } from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import { hashFile } from "@consilium/runtime/release/hashFile";
import { identifySigner, identifySite } from "@consilium/runtime/release/verifyFolder";
import { readDatapackage } from "../formats/datapackage.js";
import { contentTypeOf, fileNames } from "../formats/files.js";
import type { ModelInputs } from "../formats/modelSnippets.js";
import { type Found, searchReleases } from "./search.js";
import type { ReleaseStore } from "./store.js";
import type { PublishedWithdrawal, WithdrawalLog } from "./withdrawalLog.js";

export interface ServedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType: string;
}

/** A release as it is shown and served. */
export interface Entry {
  readonly description: ReleaseDescription;
  /** What the release's model takes; null where it has none to run. */
  readonly model: ModelInputs | null;
  readonly certificate: Certificate;
  /** In the certificate's order, then the certificate and its signature. */
  readonly files: ReadonlyMap<string, ServedFile>;
  /** What the aggregator has said of it since; null for one that is in force. */
  readonly withdrawal: PublishedWithdrawal | null;
  /** The releases that this one supersedes. */
  readonly supersedes: readonly string[];
}

/** Of a withdrawn release only the certificate and its signature are served. */
export function isWithdrawn({ withdrawal }: Pick<Entry, "withdrawal">): boolean {
  return withdrawal?.withdrawal.status === "withdrawn";
}

/** A stored release that is not served because it does not match its certificate. */
export interface Damaged {
  readonly id: string;
  readonly error: ConsiliumError;
}

/** The releases that are served. Filled at start from the store, and then by each commit. */
export class Catalogue {
  private readonly entries = new Map<string, Entry>();

  private constructor(
    private readonly store: ReleaseStore,
    private readonly rootPem: string,
    private readonly methods: Methods,
    private readonly withdrawals: WithdrawalLog,
  ) {}

  /**
   * Loads every release. Each signature is verified, and each file's length; the hash of a file is what verifying it
   * on the reader's side is for, since reading all of them would make a start as slow as the releases are large.
   * @returns the catalogue, and what was left out of it
   */
  static async load(
    store: ReleaseStore,
    rootPem: string,
    methods: Methods,
    withdrawals: WithdrawalLog,
  ): Promise<{ catalogue: Catalogue; damaged: readonly Damaged[] }> {
    const catalogue = new Catalogue(store, rootPem, methods, withdrawals);
    const damaged: Damaged[] = [];
    for (const id of await store.ids()) {
      try {
        await catalogue.add(id);
      } catch (thrown) {
        damaged.push({ id, error: toConsiliumError(thrown) });
      }
    }
    return { catalogue, damaged };
  }

  /**
   * Adds a committed release.
   * @throws ConsiliumError RELEASE_CORRUPT if it is not what its certificate says
   */
  async add(id: string): Promise<Entry> {
    const folder = this.store.folderOf(id);
    const read = (name: string) => readFile(join(folder, name));
    const { certificate } = unwrap(
      verifyCertificate({
        certificate: await read(certificateFile),
        signature: await read(signatureFile),
        methods: this.methods,
        identify: identifySigner(this.rootPem),
        identifySite: identifySite(this.rootPem),
      }),
    );
    const { description, model } = unwrap(
      readDatapackage((await read(fileNames.datapackage)).toString("utf8")),
    );
    if (certificate.release !== id || description.id !== id) {
      throw new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: it belongs to another release`);
    }
    const files = new Map<string, ServedFile>();
    const serve = (file: { name: string; bytes: number; sha256: string }) => {
      const { name, bytes, sha256 } = file;
      files.set(name, { name, bytes, sha256, path: join(folder, name), contentType: contentTypeOf(name) });
    };
    for (const file of certificate.files) {
      const { size } = await stat(join(folder, file.name));
      if (size !== file.bytes) {
        throw new ConsiliumError(
          "RELEASE_CORRUPT",
          `${file.name}: its length differs from the certificate's`,
        );
      }
      serve(file);
    }
    for (const name of [certificateFile, signatureFile]) {
      serve({ name, ...(await hashFile(join(folder, name))) });
    }
    const entry = { description, model, certificate, files, ...this.#since(id) };
    this.entries.set(id, entry);
    return entry;
  }

  /** A withdrawal of this release was published. */
  withdrawn({ release, supersededBy }: Withdrawal): void {
    for (const id of [release, supersededBy]) {
      const entry = id === null ? undefined : this.entries.get(id);
      if (entry !== undefined) this.entries.set(id!, { ...entry, ...this.#since(id!) });
    }
  }

  #since(id: string): Pick<Entry, "withdrawal" | "supersedes"> {
    const { withdrawals } = this;
    return { withdrawal: withdrawals.get(id) ?? null, supersedes: withdrawals.supersededBy(id) };
  }

  get(id: string): Entry | undefined {
    return this.entries.get(id);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Releases that the reader may know of and that the query asks for. */
  search(query: ReleaseQuery, visible: (entry: Entry) => boolean): Found {
    return searchReleases([...this.entries.values()].filter(visible), query);
  }
}
