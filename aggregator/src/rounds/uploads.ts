import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { rowBytes, type StagePlan, stageUploadBytes, tagRecordBytes } from "@consilium/core/study/plan";
import type { UploadBegin } from "@consilium/runtime/store/blobs";
import type { Upload } from "../rpc/toDomain.js";
import type { UploadDuties } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";

/** What sites upload for the step that is open. */
export class Uploads {
  readonly #study: OpenStudy;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /**
   * Takes up an upload where it stands.
   * @returns the upload to append to; `complete` when the whole is stored already
   * @throws ConsiliumError when this step does not await this upload, or it is not what the plan says
   */
  async begin(site: SiteId, upload: Upload, kind: "sum" | "rows"): Promise<UploadBegin> {
    const study = this.#study;
    const { context } = study;
    const { records } = context;
    const place = this.#words(site, upload);
    if (!study.memberSites.includes(site)) {
      throw new ConsiliumError("NOT_PERMITTED", `${place}: the site is not on the study's roster`);
    }
    const declared = { sha256: upload.sha256, bytes: upload.totalBytes };
    const before = records.upload(study.id, upload.step, upload.attempt, site);
    if (before !== null && (before.sha256 !== declared.sha256 || before.bytes !== declared.bytes)) {
      throw new ConsiliumError("UPLOAD_CHANGED", `${place}: another answer was begun before`);
    }
    if (before?.complete) return { complete: declared };
    const { step, duties } = this.#awaiting(site, upload);
    if (duties.kind !== kind) throw this.#unexpected(site, upload);
    this.#checkLength(
      kind === "sum" ? study.stage(upload.step, kind) : study.openlySent(upload.step),
      upload,
      place,
    );
    duties.take(site, upload);
    context.disk.demand(`an upload of study ${study.id}`, declared.bytes);
    await records.together(() => {
      records.beginUpload(study.id, upload.step, upload.attempt, { site, ...declared });
    });
    const begun = await study.files.beginUpload(upload.step, upload.attempt, site, declared);
    const receivedBytes = begun.complete === undefined ? begun.upload.received : declared.bytes;
    step.progress(site, { state: "uploading", expectedBytes: declared.bytes, receivedBytes, code: null });
    study.emit("changed");
    return begun;
  }

  received(site: SiteId, bytes: number): void {
    const { open } = this.#study;
    if (open?.isWaitingFor(site)) open.progress(site, { receivedBytes: bytes });
    this.#study.emit("changed");
  }

  /**
   * The bytes are whole, checked and durable. Said again of one that counts already, this changes nothing.
   * @throws ConsiliumError MESSAGE_UNEXPECTED when it came too late to count
   */
  async finish(site: SiteId, upload: Upload): Promise<void> {
    const study = this.#study;
    const { records, now } = study.context;
    const answered = await records.together((onUndo) => {
      if (records.upload(study.id, upload.step, upload.attempt, site)?.complete) return null;
      const { step, duties } = this.#awaiting(site, upload);
      const taken = duties.take(site, upload);
      const at = now();
      records.completeUpload(study.id, upload.step, upload.attempt, site, at);
      taken.store();
      records.event(at, "received", { study: study.id, site, detail: `${upload.step} ${upload.sha256}` });
      taken.apply();
      onUndo(() => taken.undo());
      return step;
    });
    if (answered !== null) study.context.meter?.received(upload.totalBytes);
    answered?.answered(site, "done");
    study.emit("changed");
  }

  /** The open step and what it does with uploads, if it awaits this one. */
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
    return new ConsiliumError("MESSAGE_UNEXPECTED", `${this.#words(site, upload)}: nothing is awaited there`);
  }

  #words(site: SiteId, upload: Upload): string {
    return `study ${this.#study.id}, step ${upload.step}, site ${site}`;
  }

  #checkLength(stage: StagePlan, upload: Upload, place: string): void {
    const { study } = this.#study.document;
    const most = stageUploadBytes(stage, study);
    if (stage.kind === "sum") {
      if (upload.totalBytes === most) return;
      throw new ConsiliumError("UPLOAD_LENGTH", `${place}: ${upload.totalBytes} bytes where ${most} are due`);
    }
    const isRows = stage.kind === "rows";
    const each = isRows ? rowBytes(stage.columns, study.label !== undefined) : tagRecordBytes;
    if (upload.totalBytes % each === 0 && upload.totalBytes <= most) return;
    throw new ConsiliumError(
      "UPLOAD_LENGTH",
      `${place}: not whole ${isRows ? "rows" : "tags"} of ${each} bytes, or over ${most} bytes`,
    );
  }
}
