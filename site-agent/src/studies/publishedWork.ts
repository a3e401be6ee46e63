import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { faults } from "@consilium/core/fault";
import type { Sha256, StageId } from "@consilium/core/ids";
import { siteSideOf } from "@consilium/core/method/method";
import type { StageInput } from "@consilium/core/method/siteSide";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { rowBytes, type StagePlan } from "@consilium/core/study/plan";
import { writingTo } from "@consilium/runtime/store/diskFull";
import { fsyncFolder, writeFileDurable } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import { pause } from "../pause.js";
import type { StageWork, StageWorkContext } from "./stageWork.js";
import type { StudyView, SumStagePlan } from "./studyView.js";

const fault = faults<SiteStudySays>();

/** What a file of an answer holds. */
export interface Written {
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** What a published method computes at a stage: from the approved table and everything broadcast to a vector, or to reduced rows. */
export class PublishedWork {
  readonly #context: Pick<StageWorkContext, "kernels" | "random">;
  readonly #work: StageWork;

  constructor(context: Pick<StageWorkContext, "kernels" | "random">, work: StageWork) {
    this.#context = context;
    this.#work = work;
  }

  readonly broadcasts: StageWork["broadcasts"] = (...asked) => this.#work.broadcasts(...asked);

  readonly keep: StageWork["keep"] = (id) => this.#work.keep(id);

  /** A published method's vector of a sum stage: integers in two's complement, without mask. */
  async vector(
    view: StudyView,
    stage: SumStagePlan,
    broadcasts: ReadonlyMap<StageId, Broadcast>,
    sharedSeed: Uint8Array | null,
  ): Promise<BigUint64Array> {
    const part = await this.#work.part(view, stage.id, { broadcasts, entries: stage.length });
    if (part !== null) return part.exact;
    const input = await this.#input(view, broadcasts, sharedSeed);
    const { vector: answer } = await siteSideOf(view.document.study);
    if (answer === undefined) throw new RangeError(`stage ${stage.id}: the method makes no vector`);
    const vector = await answer(stage.id, input);
    if (vector.length === stage.length) return vector;
    const params = { stage: stage.id, length: vector.length, planned: stage.length };
    throw fault("INTERNAL", "work.vector-length", params);
  }

  /** Writes the site's reduced rows of a rows stage, durably. */
  async rows(
    view: StudyView,
    stage: Extract<StagePlan, { kind: "rows" }>,
    broadcasts: ReadonlyMap<StageId, Broadcast>,
    path: string,
  ): Promise<Written> {
    const { study } = view.document;
    const { rows } = await siteSideOf(study);
    if (rows === undefined) throw new RangeError(`stage ${stage.id}: the method has no rows`);
    const hasLabel = study.label !== undefined;
    const stride = rowBytes(stage.columns, hasLabel);
    const hash = createHash("sha256");
    let total = 0;
    const input = await this.#input(view, broadcasts, null);
    const file = await writingTo(dirname(path), () => open(path, "w", 0o600));
    const write = (bytes: Buffer) => writingTo(dirname(path), () => file.appendFile(bytes), bytes.length);
    try {
      for await (const part of rows(stage.id, input)) {
        const bytes = Buffer.alloc(part.rows * stride);
        for (let r = 0; r < part.rows; r++) {
          for (let j = 0; j < stage.columns; j++) {
            bytes.writeDoubleLE(part.values[r * stage.columns + j]!, r * stride + j * 8);
          }
          if (hasLabel) bytes.writeUInt16LE(part.labels![r]!, r * stride + stage.columns * 8);
        }
        hash.update(bytes);
        total += bytes.length;
        await write(bytes);
      }
      await writingTo(dirname(path), () => file.sync());
    } catch (thrown) {
      // A part is of no use, and others may need its room.
      await file.truncate(0).catch(() => undefined);
      throw thrown;
    } finally {
      await file.close();
    }
    await fsyncFolder(dirname(path));
    return { bytes: total, sha256: hash.digest("hex") as Sha256 };
  }

  /** Writes the site's tags with counts of a tags stage, durably. */
  async tags(
    view: StudyView,
    stage: Extract<StagePlan, { kind: "tags" }>,
    broadcasts: ReadonlyMap<StageId, Broadcast>,
    sharedSeed: Uint8Array | null,
    path: string,
  ): Promise<Written> {
    const { tags } = await siteSideOf(view.document.study);
    if (tags === undefined) throw new RangeError(`stage ${stage.id}: the method has no tags`);
    const bytes = await tags(stage.id, await this.#input(view, broadcasts, sharedSeed));
    await writeFileDurable(path, bytes, { mode: 0o600 });
    return { bytes: bytes.length, sha256: sha256(bytes) };
  }

  async #input(
    view: StudyView,
    broadcasts: ReadonlyMap<StageId, Broadcast>,
    sharedSeed: Uint8Array | null,
  ): Promise<StageInput> {
    return {
      study: view.document.study,
      site: view.self,
      sites: view.roster.members.length,
      broadcasts,
      sharedSeed,
      blocks: this.#work.blocks(view),
      kernels: await this.#context.kernels(),
      random: this.#context.random,
      pause,
    };
  }
}
