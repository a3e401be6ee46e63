import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import { writingTo } from "@consilium/runtime/store/diskFull";
import { fsyncFolder } from "@consilium/runtime/store/durableFile";

/** Where a study's answers and broadcasts lie in the agent's state folder, until the study ends. */
export class StudyFolder {
  readonly #stateFolder: string;
  /** Folders that this process has made, and not removed. */
  readonly #made = new Set<StudyId>();

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  /** Durable itself, so that the answers in it outlive a power cut once the store says that they are there. */
  async make(id: StudyId): Promise<void> {
    if (this.#made.has(id)) return;
    const folder = this.#path(id);
    const made = await writingTo(this.#stateFolder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    if (made !== undefined) {
      await fsyncFolder(dirname(folder));
      await fsyncFolder(this.#stateFolder);
    }
    this.#made.add(id);
  }

  async remove(id: StudyId): Promise<void> {
    this.#made.delete(id);
    // As at the aggregator: a file may be begun while the others go.
    await rm(this.#path(id), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  answer(id: StudyId, step: StageId, attempt: number): string {
    return join(this.#path(id), `answer-${step}-${attempt}`);
  }

  broadcast(id: StudyId, hash: Sha256): string {
    return join(this.#path(id), `broadcast-${hash}`);
  }

  #path(id: StudyId): string {
    return join(this.#stateFolder, "studies", id);
  }
}
