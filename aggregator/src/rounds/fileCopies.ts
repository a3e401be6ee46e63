import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { StudyId } from "@consilium/core/ids";
import { renameDurable } from "@consilium/runtime/store/durableFile";
import type { Store } from "@consilium/runtime/store/store";

/** Of a row: large enough for few round trips, small enough that other work gets its turn in between. */
const pieceBytes = 1 << 20;

/**
 * Studies' files in the store, for aggregators that take over from each other and share nothing else. A file is there as a
 * whole or not at all; what a study counts on is copied before it is counted.
 */
export class FileCopies {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Copies a file under its own name; one that is there already is left as it is. */
  async save(study: StudyId, path: string): Promise<void> {
    const file = basename(path);
    if (this.#store.get("SELECT file FROM file_copies WHERE study = ? AND file = ?", study, file)) return;
    // Pieces of a copy that a crash has cut short.
    this.#store.run("DELETE FROM file_pieces WHERE study = ? AND file = ?", study, file);
    const source = await open(path, "r");
    try {
      let position = 0;
      for (;;) {
        const { bytesRead, buffer } = await source.read({ buffer: Buffer.alloc(pieceBytes), position });
        if (bytesRead === 0) break;
        this.#store.run(
          "INSERT INTO file_pieces (study, file, position, bytes) VALUES (?, ?, ?, ?)",
          study,
          file,
          position,
          buffer.subarray(0, bytesRead),
        );
        position += bytesRead;
      }
      this.#store.run("INSERT INTO file_copies (study, file, bytes) VALUES (?, ?, ?)", study, file, position);
    } finally {
      await source.close();
    }
  }

  /** Writes every file of a study into an empty folder, durably. */
  async restore(study: StudyId, folder: string): Promise<void> {
    for (const file of this.#files(study)) {
      const pieces = this.#store
        .all("SELECT position FROM file_pieces WHERE study = ? AND file = ? ORDER BY position", study, file)
        .map(({ position }) => position as number);
      const temporary = join(folder, `${file}.tmp`);
      const target = await open(temporary, "w", 0o600);
      try {
        for (const position of pieces) await target.appendFile(this.#piece(study, file, position));
        await target.sync();
      } finally {
        await target.close();
      }
      await renameDurable(temporary, join(folder, file));
    }
  }

  /** @param chosen - by the file's name */
  remove(study: StudyId, chosen: (file: string) => boolean): void {
    this.#store.transaction(() => {
      for (const file of this.#files(study).filter(chosen)) {
        this.#store.run("DELETE FROM file_copies WHERE study = ? AND file = ?", study, file);
        this.#store.run("DELETE FROM file_pieces WHERE study = ? AND file = ?", study, file);
      }
    });
  }

  removeAll(study: StudyId): void {
    this.#store.transaction(() => {
      for (const table of ["file_copies", "file_pieces"])
        this.#store.run(`DELETE FROM ${table} WHERE study = ?`, study);
    });
  }

  /** Of studies that have ended, and cannot be resumed. */
  removeEnded(): void {
    this.#store.transaction(() => {
      for (const table of ["file_copies", "file_pieces"])
        this.#store.run(
          `DELETE FROM ${table} WHERE study IN (SELECT id FROM studies WHERE status IN ('released', 'cancelled'))`,
        );
    });
  }

  #piece(study: StudyId, file: string, position: number): Uint8Array {
    const row = this.#store.get(
      "SELECT bytes FROM file_pieces WHERE study = ? AND file = ? AND position = ?",
      study,
      file,
      position,
    );
    return row!.bytes as Uint8Array;
  }

  #files(study: StudyId): string[] {
    return this.#store
      .all("SELECT file FROM file_copies WHERE study = ? ORDER BY file", study)
      .map(({ file }) => file as string);
  }
}
