import type { ReleaseFile } from "@consilium/core/release/certificate";
import type { ReleaseSummary } from "@consilium/core/release/views";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

/** What is listed and searched of a release, taken from its files when they were verified. */
export interface Listed {
  readonly summary: Omit<ReleaseSummary, "url">;
  /** Names of its columns, and of the study's features and label, as far as they are searched. */
  readonly columnNames: readonly string[];
}

export interface Indexed extends Listed {
  /** Of the files that were verified. */
  readonly stamp: string;
}

/** Raised whenever verification demands more than before, or lists show more: everything is verified again then. */
const rules = 5;

/**
 * What was verified of the releases, in the publisher's store: which files, and what lists show of them. A row is as good as
 * the verification behind it; another root certificate makes all rows void.
 */
export class ReleaseIndex {
  readonly #store: Store;
  readonly #verifier: string;

  constructor(store: Store, rootPem: string) {
    this.#store = store;
    this.#verifier = sha256(`${rules}\n${rootPem}`);
  }

  all(): Map<string, Indexed> {
    const rows = this.#store.all(
      "SELECT id, stamp, listed FROM releases WHERE verifier = ?",
      this.#verifier,
    ) as { id: string; stamp: string; listed: string }[];
    return new Map(rows.map(({ id, stamp, listed }) => [id, { ...(JSON.parse(listed) as Listed), stamp }]));
  }

  put(indexed: Indexed, files: readonly ReleaseFile[]): void {
    const { stamp, ...listed } = indexed;
    this.#store.run(
      `INSERT INTO releases (id, stamp, verifier, listed, files) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, verifier = excluded.verifier,
         listed = excluded.listed, files = excluded.files`,
      indexed.summary.id,
      stamp,
      this.#verifier,
      JSON.stringify(listed),
      JSON.stringify(files),
    );
  }

  remove(id: string): void {
    this.#store.run("DELETE FROM releases WHERE id = ?", id);
  }

  /** A release's files as they were verified; none where it is not indexed. */
  filesOf(id: string): readonly ReleaseFile[] {
    const row = this.#store.get("SELECT files FROM releases WHERE id = ?", id);
    return row === undefined ? [] : (JSON.parse(row.files as string) as ReleaseFile[]);
  }
}
