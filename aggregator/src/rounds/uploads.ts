import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId } from "@consilium/core/ids";
import { sentences } from "@consilium/core/said";
import { rowBytes, type StagePlan, stageUploadBytes, tagRecordBytes } from "@consilium/core/study/plan";
import type { UploadBegin } from "@consilium/runtime/store/blobs";
import type { AnySaid } from "@consilium/words/said";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { Upload } from "../rpc/toDomain.js";
import type { OpenStep, UploadDuties } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";

const fault = faults<RoundSays>();
const said = sentences<RoundSays>();

/** A small vector, and what is stored with it. */
interface WholeContent {
  readonly bytes: Uint8Array;
  readonly alongside: () => void;
}

/** Uploads of sites for the open step. */
export class Uploads {
  readonly #study: OpenStudy;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /**
   * Starts or resumes an upload.
   * @returns the upload to append to; `complete` if it is already stored
   * @throws ConsiliumError if this step does not expect this upload, or it does not match the plan
   */
  async begin(site: SiteId, upload: Upload, kind: "sum" | "rows"): Promise<UploadBegin> {
    const study = this.#study;
    const { records } = study.context;
    const declared = { sha256: upload.sha256, bytes: upload.totalBytes };
    const step = this.#expecting(site, upload, kind);
    if (step === null) return { complete: declared };
    await records.together(() => {
      records.beginUpload(study.id, upload.step, upload.attempt, { site, ...declared });
    });
    const begun = await study.files.beginUpload(upload.step, upload.attempt, site, declared);
    const receivedBytes = begun.complete === undefined ? begun.upload.received : declared.bytes;
    step.progress(site, { state: "uploading", expectedBytes: declared.bytes, receivedBytes, code: null });
    study.emit("changed");
    return begun;
  }

  /** A vector that came in one piece is stored in the transaction that counts it. @throws as `begin` and `finish` */
  async whole(site: SiteId, upload: Upload, content: WholeContent): Promise<void> {
    if (this.#expecting(site, upload, "sum") !== null) await this.finish(site, upload, content);
  }

  /** @returns the step that an upload is for; null if it is already stored. @throws as `begin` */
  #expecting(site: SiteId, upload: Upload, kind: "sum" | "rows"): OpenStep | null {
    const study = this.#study;
    const { records, disk } = study.context;
    const place = this.#place(site, upload);
    if (!study.memberSites.includes(site))
      throw fault("NOT_PERMITTED", "round.upload-not-on-roster", { place });
    const before = records.upload(study.id, upload.step, upload.attempt, site);
    if (before !== null && (before.sha256 !== upload.sha256 || before.bytes !== upload.totalBytes)) {
      throw fault("UPLOAD_CHANGED", "round.upload-other", { place });
    }
    if (before?.complete) return null;
    const { step, duties } = this.#awaiting(site, upload);
    if (duties.kind !== kind) throw this.#unexpected(site, upload);
    this.#checkLength(
      kind === "sum" ? study.stage(upload.step, kind) : study.openlySent(upload.step),
      upload,
      place,
    );
    duties.take(site, upload);
    disk.demand(`an upload of study ${study.id}`, upload.totalBytes);
    return step;
  }

  received(site: SiteId, bytes: number): void {
    const { open } = this.#study;
    if (open?.isWaitingFor(site)) open.progress(site, { receivedBytes: bytes });
    this.#study.emit("changed");
  }

  /**
   * The bytes are complete, verified and durable. Repeating this for a counted upload has no effect.
   * @param content - of a small vector, which has no file and becomes durable here
   * @throws ConsiliumError MESSAGE_UNEXPECTED if it is too late to count
   */
  async finish(site: SiteId, upload: Upload, content: WholeContent | null = null): Promise<void> {
    const study = this.#study;
    const { records, now } = study.context;
    const { step: id, attempt } = upload;
    if (content === null && !records.upload(study.id, id, attempt, site)?.complete) {
      this.#awaiting(site, upload);
      await study.files.keep(study.files.uploadPath(id, attempt, site));
    }
    const answered = await records.together((onUndo) => {
      if (records.upload(study.id, id, attempt, site)?.complete) return null;
      const { step, duties } = this.#awaiting(site, upload);
      const taken = duties.take(site, upload);
      const at = now();
      content?.alongside();
      if (content !== null)
        records.beginUpload(study.id, id, attempt, {
          site,
          bytes: upload.totalBytes,
          sha256: upload.sha256,
        });
      records.completeUpload(study.id, id, attempt, { site, content: content?.bytes ?? null, at });
      taken.store();
      records.event(at, "received", { study: study.id, site, detail: `${upload.step} ${upload.sha256}` });
      taken.apply();
      onUndo(() => taken.undo());
      return { step, duties };
    }, study.open?.arrived(site));
    if (answered !== null) {
      study.context.meter?.received(upload.totalBytes);
      answered.duties.counted?.(site, content?.bytes ?? null);
      answered.step.answered(site, "done");
    }
    study.emit("changed");
  }

  /** The open step with its upload handlers, if it expects this one. */
  #awaiting(site: SiteId, upload: Upload) {
    const step = this.#study.open;
    const duties: UploadDuties | undefined = step?.duties?.uploads;
    const isAwaited =
      step !== null &&
      step.wireStep === upload.step &&
      step.attempt === upload.attempt &&
      step.isWaitingFor(site);
    if (!isAwaited || duties === undefined) throw this.#unexpected(site, upload);
    return { step, duties };
  }

  #unexpected(site: SiteId, upload: Upload): ConsiliumError {
    return fault("MESSAGE_UNEXPECTED", "round.upload-unexpected", { place: this.#place(site, upload) });
  }

  #place(site: SiteId, { step }: Upload): AnySaid {
    return said("round.upload", { study: this.#study.id, step, site });
  }

  #checkLength(stage: StagePlan, upload: Upload, place: AnySaid): void {
    const { study } = this.#study.document;
    const most = stageUploadBytes(stage, study);
    if (stage.kind === "sum") {
      if (upload.totalBytes === most) return;
      throw fault("UPLOAD_LENGTH", "round.upload-bytes", { place, expected: most, bytes: upload.totalBytes });
    }
    const isRows = stage.kind === "rows";
    const each = isRows ? rowBytes(stage.columns, study.label !== undefined) : tagRecordBytes;
    if (upload.totalBytes % each === 0 && upload.totalBytes <= most) return;
    const expected = isRows ? "round.upload-rows" : "round.upload-tags";
    throw fault("UPLOAD_LENGTH", expected, { place, each, max: most });
  }
}
