import { readFile } from "node:fs/promises";
import { faults } from "@consilium/core/fault";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import { inlineBytes } from "@consilium/core/limits";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { siteSideOf } from "@consilium/core/method/method";
import type { RandomSource } from "@consilium/core/random";
import { nameOf } from "@consilium/core/said";
import { type Broadcast, broadcastValues } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { flowStageId } from "@consilium/core/study/flow";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { countedPatients } from "@consilium/core/study/patientWeights";
import type { StagePlan } from "@consilium/core/study/plan";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import type { Part } from "@consilium/gate/part";
import { lengthOf, type Terms } from "@consilium/gate/query";
import type { Release } from "@consilium/gate/release";
import type { Logger } from "@consilium/runtime/log";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import { approvalOf } from "../data/approval.js";
import type { FoundTable } from "../data/snapshot.js";
import type { SharedStage } from "../engines/stage.js";
import type { BroadcastEntry } from "../rpc/toDomain.js";
import type { Tables } from "../tables/tables.js";
import { awaited } from "./awaited.js";
import { checkBroadcasts } from "./checkBroadcasts.js";
import type { SiteRecords, StoredBroadcast } from "./records.js";
import type { StudyFolder } from "./studyFolder.js";
import type { StudyView, SumStagePlan } from "./studyView.js";
import { partOrZeros, type ZeroAnswer } from "./zeros.js";

const fault = faults<SiteStudySays>();

export interface StageWorkContext {
  readonly records: SiteRecords;
  readonly door: Door;
  readonly tables: Tables;
  /** For published methods, opened by the first stage that needs them. */
  readonly kernels: () => Promise<NumericKernels>;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
  readonly fetch: (studyId: StudyId, item: { sha256: Sha256; bytes: number }) => Promise<Uint8Array>;
}

/** Broadcasts, findings and zeros of the newest stage's work. */
interface Unkept {
  readonly broadcasts: StoredBroadcast[];
  table: FoundTable | null;
  zeros: ZeroAnswer | null;
}

/** The computing part of a stage: the approved table, everything broadcast, and what the method makes of them. */
export class StageWork {
  readonly #context: StageWorkContext;
  readonly #folder: StudyFolder;
  /** Nothing that rests on it leaves before `keep` has stored it. */
  readonly #unkept = new Map<StudyId, Unkept>();
  /** Aborted for studies that are over: work on them stops at the next block of rows. */
  readonly #ending = new Map<StudyId, AbortController>();

  constructor(context: StageWorkContext, folder: StudyFolder) {
    this.#context = context;
    this.#folder = folder;
  }

  stop(id: StudyId): void {
    this.#endingOf(id).abort(ended(id));
  }

  stopped(id: StudyId): void {
    this.#ending.delete(id);
    this.#unkept.delete(id);
  }

  /** Whether the study is over, so that nothing of it is to leave any more. */
  isEnding(id: StudyId): boolean {
    return this.#ending.get(id)?.signal.aborted ?? false;
  }

  #endingOf(id: StudyId): AbortController {
    const known = this.#ending.get(id) ?? new AbortController();
    this.#ending.set(id, known);
    return known;
  }

  /** What the method of a stage proposes, and how the gate asks what the records come to by it; null for a published method. */
  async asked(
    view: StudyView,
    { stage, attempt }: { readonly stage: SumStagePlan; readonly attempt: number },
    broadcasts: ReadonlyMap<StageId, Broadcast>,
  ): Promise<Pick<Release<unknown>, "terms" | "patients" | "part" | "random"> | null> {
    const { study } = view.document;
    const { proposal } = await siteSideOf(study);
    if (proposal === undefined) return null;
    const isFlow = stage.id === flowStageId;
    const { query, scale }: Terms = isFlow
      ? stage.terms!
      : proposal(stage.id, { study, site: view.self, broadcasts });
    const entries = lengthOf(query);
    const read = async () => {
      const made = await this.part(view, stage.id, { broadcasts, entries });
      if (made !== null) return made;
      throw new RangeError(`stage ${stage.id}: nothing was made of the table`);
    };
    const part = async () => {
      if (!hidesTables(study)) return read();
      const { part, fault } = await partOrZeros(entries, read);
      const { id } = view.record;
      if (fault !== null)
        this.#unkept.get(id)!.zeros = { step: stage.id, attempt, code: fault.code, reason: fault.describe() };
      return part;
    };
    const patients = isFlow ? null : countedPatients(study);
    return { terms: { query, scale }, patients, part, random: this.#context.random };
  }

  /** What a stage's records come to, in the process that reads them; null for a published method whose rows are asked for. */
  part(
    { record, document, self }: StudyView,
    stage: StageId,
    of: Pick<SharedStage, "broadcasts" | "entries">,
  ): Promise<Part | null> {
    return this.#context.tables.part({
      ...of,
      document,
      stage,
      site: self,
      approval: stage === flowStageId || hidesTables(document.study) ? null : approvalOf(record),
      found: (table) => this.#found(record.id, table),
      signal: this.#endingOf(record.id).signal,
    });
  }

  /**
   * The rows, for a published method: of a study that hides tables as they are now, for a refusal because a record has changed would
   * tell of it; of every other as they were approved.
   */
  async *blocks({ record, document }: StudyView): AsyncIterable<ColumnBlock> {
    const { study } = document;
    const approved = hidesTables(study) ? null : approvalOf(record);
    const blocks = this.#context.tables.blocks(study, approved, (found) => this.#found(record.id, found));
    for await (const block of blocks) {
      yield block;
      if (this.isEnding(record.id)) throw ended(record.id);
    }
  }

  // ---- broadcasts ---------------------------------------------------------------------------------------------

  /** Takes or fetches what is new, checks it, and refuses any change to what was shown before. */
  async broadcasts(
    view: StudyView,
    stage: StagePlan,
    listed: readonly BroadcastEntry[],
  ): Promise<ReadonlyMap<StageId, Broadcast>> {
    const { records } = this.#context;
    const { id } = view.record;
    const before = records.broadcasts(id);
    const fresh = checkBroadcasts(id, view.plan.stages, stage, before, listed);
    await this.#folder.make(id);
    const items: StoredBroadcast[] = [];
    for (const item of fresh) items.push({ ...item, content: await this.#take(id, item) });
    this.#unkept.set(id, { broadcasts: items, table: null, zeros: null });
    const stored = new Map([...before, ...items].map((item) => [item.sha256, item.content]));
    const broadcasts = new Map<StageId, Record<string, Float64Array>>();
    for (const item of listed) {
      const bytes = stored.get(item.sha256) ?? (await readFile(this.#folder.broadcast(id, item.sha256)));
      if (sha256(bytes) !== item.sha256) throw fault("INTERNAL", "work.stored-damaged", { study: id });
      const vectors = broadcasts.get(item.stage) ?? {};
      vectors[item.name] = broadcastValues(bytes);
      broadcasts.set(item.stage, vectors);
    }
    return broadcasts;
  }

  /**
   * Stores what the work on a stage has brought: within the transaction of its answer, and before a fault of it is told. What was
   * computed from one broadcast shall not be computed from another.
   */
  keep(id: StudyId): void {
    const { records } = this.#context;
    const { broadcasts = [], table = null } = this.#unkept.get(id) ?? {};
    records.saveBroadcasts(id, broadcasts);
    if (table !== null) records.noteTable(id, table);
  }

  /** The same within the transaction of an answer: zeros are told to people once they may leave. */
  keepAnswered(id: StudyId): void {
    const { records, log } = this.#context;
    this.keep(id);
    const zeros = this.#unkept.get(id)?.zeros ?? null;
    if (zeros === null) return;
    records.noteZeros(id, zeros);
    const { step, code, reason } = zeros;
    log.error("a stage was answered with zeros", { study: id, step, code, reason });
  }

  #found(id: StudyId, table: FoundTable): void {
    this.#unkept.get(id)!.table = table;
  }

  /** @returns the bytes of a small one; null for one that is in a file now */
  async #take(studyId: StudyId, item: BroadcastEntry): Promise<Uint8Array | null> {
    const bytes = item.length * 8;
    const values =
      item.values ?? (await awaited(this.#context.fetch(studyId, { sha256: item.sha256, bytes })));
    if (sha256(values) !== item.sha256) {
      const params = { study: studyId, name: nameOf(item.name), stage: item.stage };
      throw fault("UPLOAD_HASH", "work.fetched-other", params);
    }
    if (bytes <= inlineBytes) return values;
    await writeFileDurable(this.#folder.broadcast(studyId, item.sha256), values, { mode: 0o600 });
    return null;
  }
}

const ended = (id: StudyId) => fault("STUDY_CANCELLED", "work.ended", { study: id });
