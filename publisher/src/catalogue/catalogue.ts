import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { ReleaseDescription } from "@consilium/core/release/content";
import type { ReleaseQuery } from "@consilium/core/release/views";
import type { Withdrawal } from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import {
  certificateFile,
  type ReleaseFile,
  type ShownCertificate,
  signatureFile,
} from "@consilium/release/certificate";
import { readShown } from "@consilium/release/verify";
import { hashFile } from "@consilium/runtime/release/hashFile";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { z } from "zod";
import { readDatapackage } from "../formats/datapackage.js";
import { contentTypeOf, fileNames } from "../formats/files.js";
import type { ModelInputs } from "../formats/modelSnippets.js";
import type { Indexed, ReleaseIndex } from "./releaseIndex.js";
import { type Found, type Searchable, searchable, searchReleases } from "./search.js";
import { stampOf } from "./stamp.js";
import type { ReleaseStore } from "./store.js";
import type { PublishedWithdrawal, WithdrawalLog } from "./withdrawalLog.js";

export interface ServedFile extends ReleaseFile {
  readonly path: string;
  readonly contentType: string;
}

/** A release as it is shown and served by itself. */
export interface Entry {
  readonly description: ReleaseDescription;
  /** What the release's model takes; null where it has none to run. */
  readonly model: ModelInputs | null;
  readonly certificate: ShownCertificate;
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

export interface CatalogueOptions {
  readonly store: ReleaseStore;
  readonly index: ReleaseIndex;
  readonly rootPem: string;
  readonly withdrawals: Pick<WithdrawalLog, "get" | "supersededBy">;
  /** Told of every release that is left out, or no longer served, and how many are served. */
  readonly onDamaged: (damaged: Damaged, served: number) => void;
}

/** Entries kept in memory: of releases that several people read at once. */
const entriesMost = 64;

/** A release in a list. */
export interface ListedRelease extends Searchable {
  /** What the aggregator has said of it since; null for one that is in force. */
  readonly withdrawal: PublishedWithdrawal | null;
}

interface Known extends ListedRelease {
  readonly stamp: string;
}

/** What a release's own files say. */
type FromFiles = Omit<Entry, "withdrawal" | "supersedes">;

/**
 * The releases that are served. Each was verified in full, as any reader would: signatures, statement, and every file's
 * length and hash. What it looked like then is in the index, so that a start reads no file of a release that it knows; and
 * each time before anything of a release itself is shown or sent, it is held against its files (`stampOf`). Where these have
 * changed it is verified anew, and no longer served if they are not what the certificate says. What lists show is what was
 * verified, whatever became of the files.
 */
export class Catalogue {
  readonly #options: CatalogueOptions;
  readonly #known = new Map<string, Known>();
  /** The newest last. */
  readonly #entries = new Map<string, { readonly stamp: string; readonly entry: FromFiles }>();
  readonly #verifying = new Map<string, Promise<void>>();

  private constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** Opens the catalogue; releases that the index does not know are verified first. */
  static async load(options: CatalogueOptions): Promise<Catalogue> {
    const catalogue = new Catalogue(options);
    const { store, index } = options;
    const indexed = index.all();
    for (const id of await store.ids()) {
      const before = indexed.get(id);
      indexed.delete(id);
      if (before === undefined) await catalogue.#verifyOrDrop(id);
      else catalogue.#knows(before);
    }
    for (const gone of indexed.keys()) index.remove(gone);
    return catalogue;
  }

  /**
   * Adds a committed release.
   * @throws ConsiliumError RELEASE_CORRUPT if it is not what its certificate says
   */
  async add(id: string): Promise<void> {
    await this.#verify(id);
  }

  /** Holds every release against its files, one after the other. @param signal - ends it early */
  async checkAll(signal: AbortSignal): Promise<void> {
    for (const [id, { stamp }] of [...this.#known]) {
      if (signal.aborted) return;
      if ((await this.#stampOf(id)) !== stamp) await this.#verifyAnew(id, stamp);
    }
  }

  /** What lists show of a release. */
  listed(id: string): ListedRelease | undefined {
    return this.#known.get(id);
  }

  /** A release whose files are those that were verified; undefined where there is none, or none any more. */
  async get(id: string): Promise<Entry | undefined> {
    for (;;) {
      const known = this.#known.get(id);
      if (known === undefined) return undefined;
      const { stamp } = known;
      const kept = this.#entries.get(id);
      const entry =
        kept?.stamp === stamp ? kept.entry : await this.#read(id).catch((cause: unknown) => ({ cause }));
      // After reading: what was read is then what was verified.
      if ((await this.#stampOf(id)) !== stamp) await this.#verifyAnew(id, stamp);
      else if ("cause" in entry) throw entry.cause;
      else {
        this.#keep(id, { stamp, entry });
        return { ...entry, withdrawal: this.#withdrawalOf(id), supersedes: this.supersededBy(id) };
      }
    }
  }

  /** A withdrawal of this release was published. */
  withdrawn({ release }: Withdrawal): void {
    const known = this.#known.get(release);
    if (known !== undefined) this.#known.set(release, { ...known, withdrawal: this.#withdrawalOf(release) });
  }

  /** The files of a release as they were verified. */
  filesOf(id: string): readonly ReleaseFile[] {
    return this.#options.index.filesOf(id);
  }

  get size(): number {
    return this.#known.size;
  }

  /** Releases that the reader may know of and that the query asks for. */
  search(query: ReleaseQuery, visible: (release: Searchable) => boolean): Found<ListedRelease> {
    return searchReleases([...this.#known.values()].filter(visible), query);
  }

  /** The releases that this one supersedes. */
  supersededBy(id: string): readonly string[] {
    return this.#options.withdrawals.supersededBy(id);
  }

  #knows({ stamp, ...listed }: Indexed): void {
    const { id } = listed.summary;
    this.#known.set(id, { ...searchable(listed), stamp, withdrawal: this.#withdrawalOf(id) });
  }

  #withdrawalOf(id: string): PublishedWithdrawal | null {
    return this.#options.withdrawals.get(id) ?? null;
  }

  #keep(id: string, read: { readonly stamp: string; readonly entry: FromFiles }): void {
    this.#entries.delete(id);
    this.#entries.set(id, read);
    if (this.#entries.size > entriesMost) this.#entries.delete(this.#entries.keys().next().value!);
  }

  #stampOf(id: string): Promise<string | null> {
    return stampOf(this.#options.store.folderOf(id));
  }

  /** @param stamp - what was verified, and is no longer so; nothing is done if that has been seen since */
  async #verifyAnew(id: string, stamp: string): Promise<void> {
    if (this.#known.get(id)?.stamp !== stamp) return;
    const verifying = this.#verifying.get(id) ?? this.#verifyOrDrop(id);
    this.#verifying.set(id, verifying);
    await verifying.finally(() => this.#verifying.delete(id));
  }

  async #verifyOrDrop(id: string): Promise<void> {
    try {
      await this.#verify(id);
    } catch (thrown) {
      this.#known.delete(id);
      this.#entries.delete(id);
      this.#options.index.remove(id);
      this.#options.onDamaged({ id, error: toConsiliumError(thrown) }, this.size);
    }
  }

  async #verify(id: string): Promise<void> {
    const { store, index, rootPem } = this.#options;
    const folder = store.folderOf(id);
    // Before reading: a change while it is verified shows in the next stamp.
    const stamp = await this.#stampOf(id);
    if (stamp === null) throw new ConsiliumError("RELEASE_UNKNOWN", "the release's folder is gone");
    const { certificate } = unwrap(await verifyReleaseFolder(folder, { rootPem }));
    const entry = await this.#read(id);
    if (certificate.release !== id || entry.description.id !== id) {
      throw new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: it belongs to another release`);
    }
    const indexed: Indexed = { ...listedOf(entry), stamp };
    index.put(
      indexed,
      [...entry.files.values()].map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    );
    this.#knows(indexed);
  }

  async #read(id: string): Promise<FromFiles> {
    const folder = this.#options.store.folderOf(id);
    const read = (name: string) => readFile(join(folder, name));
    const certificate = unwrap(readShown(await read(certificateFile)));
    const { description, model } = unwrap(
      readDatapackage((await read(fileNames.datapackage)).toString("utf8")),
    );
    const files = new Map<string, ServedFile>();
    const serve = ({ name, bytes, sha256 }: ReleaseFile) =>
      files.set(name, { name, bytes, sha256, path: join(folder, name), contentType: contentTypeOf(name) });
    for (const file of certificate.files) serve(file);
    for (const name of [certificateFile, signatureFile])
      serve({ name, ...(await hashFile(join(folder, name))) });
    return { description, model, certificate, files };
  }
}

/** Nobody looks for one of thousands of columns. */
const columnsSearched = 200;

function listedOf({ description, certificate }: FromFiles): Omit<Indexed, "stamp"> {
  const { id, title, license, creator, createdAt, access, study, privacyStatement, finding, rows, columns } =
    description;
  const { verdict, epsilon, delta } = certificate.privacy;
  return {
    summary: {
      id,
      title,
      description: description.description,
      license,
      creator,
      createdAt,
      access,
      study,
      privacyStatement,
      ...(finding === undefined ? {} : { finding }),
      rows,
      columns: columns.length,
      verdict,
      epsilon,
      delta,
      federation: certificate.federation,
    },
    columnNames: [
      ...new Set([
        ...columns.slice(0, columnsSearched).map(({ name }) => name),
        ...inputsOf(certificate.study.text).slice(0, columnsSearched),
      ]),
    ],
  };
}

const named = z.object({ name: z.string() });
const asked = z.object({ features: z.array(named).default([]), label: named.optional() });

/** The columns that a study asks for. @param text - of a study, verified */
function inputsOf(text: string): string[] {
  const study = asked.safeParse(JSON.parse(text));
  if (!study.success) return [];
  const { features, label } = study.data;
  return [...(label === undefined ? [] : [label]), ...features].map(({ name }) => name);
}
