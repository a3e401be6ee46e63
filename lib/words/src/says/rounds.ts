import type { AnySaid, Id, Name, None } from "../said.js";

/** What the aggregator says of a study's steps, from its start to its release. */
export interface RoundSays {
  readonly "round.unknown-study": { readonly study: Name };
  readonly "round.unknown-site": { readonly site: Name };
  readonly "round.unknown-after": None;
  /** With its defaults filled in. */
  readonly "round.study-large": { readonly study: Name; readonly bytes: number; readonly max: number };
  /** Its remedy. */
  readonly "round.fewer-columns": None;
  readonly "round.sites-unknown": { readonly sites: readonly Id[] };
  /** Its remedy. @param sites - those that are enrolled */
  readonly "round.choose-sites": { readonly sites: readonly Id[] };
  readonly "round.few-enrolled": { readonly study: Name; readonly sites: number; readonly minimum: number };
  readonly "round.being-released": { readonly study: Id };
  /** The remedy. */
  readonly "round.check-again": None;
  /** What an operator asks of a study whose status does not allow it. */
  readonly "round.cannot-cancel": { readonly study: Id; readonly status: Name };
  readonly "round.not-inviting": { readonly study: Id; readonly status: Name };
  readonly "round.not-failed": { readonly study: Id; readonly status: Name };
  readonly "round.runs-already": { readonly study: Id };
  readonly "round.cancelled": { readonly study: Id };
  readonly "round.sites-fixed": { readonly study: Id };
  /** Its remedy. */
  readonly "round.resume-it": None;
  /** The times as ISO 8601 writes them. */
  readonly "round.deadline-range": {
    readonly study: Id;
    readonly earliest: Name;
    readonly latest: Name;
    readonly until: Name;
  };
  /** Its remedy. */
  readonly "round.time-between": None;
  /** At the deadline to join. @param absent - `round.absent` */
  readonly "round.few-joined": {
    readonly study: Id;
    readonly joined: number;
    readonly minimum: number;
    readonly absent: AnySaid;
  };
  /** Where the operator begins before it. */
  readonly "round.few-so-far": {
    readonly study: Id;
    readonly joined: number;
    readonly minimum: number;
    readonly absent: AnySaid;
  };
  /** Its remedy. */
  readonly "round.wait-or-extend": None;
  /** The sites that have not joined. @param refused - `study.refused-by` of each */
  readonly "round.absent": {
    readonly refused: readonly AnySaid[];
    readonly awaiting: readonly Id[];
    readonly silent: readonly Id[];
  };
  /** A site's join that the secure sum's check refuses: `why`, in that package's English. */
  readonly "round.join-invalid": { readonly study: Id; readonly site: Id; readonly why: Name };
  readonly "round.expelled": { readonly study: Id; readonly sites: readonly Id[] };
  readonly "round.not-on-roster": { readonly study: Id; readonly site: Id };
  /** What a site asks for that is not, or not yet, there. */
  readonly "round.not-resumed": { readonly study: Id };
  readonly "round.no-broadcast": { readonly study: Id };
  readonly "round.no-request": { readonly study: Id };
  readonly "round.broadcast-ends": { readonly study: Id };
  /** Of an upload: its place. */
  readonly "round.upload": { readonly study: Id; readonly step: Id; readonly site: Id };
  readonly "round.upload-not-on-roster": { readonly place: AnySaid };
  readonly "round.upload-other": { readonly place: AnySaid };
  readonly "round.upload-unexpected": { readonly place: AnySaid };
  readonly "round.upload-bytes": {
    readonly place: AnySaid;
    readonly expected: number;
    readonly bytes: number;
  };
  /** @param each - bytes of a row */
  readonly "round.upload-rows": { readonly place: AnySaid; readonly each: number; readonly max: number };
  /** @param each - bytes of a tag with its count */
  readonly "round.upload-tags": { readonly place: AnySaid; readonly each: number; readonly max: number };
  /** What the check of the tags finds, in its own English. */
  readonly "round.tags-implausible": { readonly study: Id; readonly stage: Id; readonly why: Name };
  readonly "round.no-transcript": { readonly study: Id; readonly stage: Id; readonly site: Id };
  /** A site's part of the setup that the secure sum's check refuses: `why`, in that package's English. */
  readonly "round.post-invalid": {
    readonly study: Id;
    readonly step: Id;
    readonly site: Id;
    readonly why: Name;
  };
  readonly "round.unexpected-post": {
    readonly study: Id;
    readonly stage: Id;
    readonly attempt: number;
    readonly kind: Name;
    readonly site: Id;
    readonly phase: Name;
  };
  readonly "round.replay-refused": { readonly study: Id; readonly stage: Id; readonly attempt: number };
  readonly "round.not-closable": { readonly study: Id; readonly stage: Id; readonly attempt: number };
  /** @param why - a code of docs/ERRORS.md */
  readonly "round.could-not-answer": {
    readonly study: Id;
    readonly site: Id;
    readonly step: Id;
    readonly why: Name;
  };
  readonly "round.step-late": { readonly study: Id; readonly step: Id; readonly missing: readonly Id[] };
  readonly "round.too-few-answers": {
    readonly study: Id;
    readonly step: Id;
    readonly sites: readonly Id[];
    readonly needed: number;
  };
  /** Rows or tags. @param gone - `round.without` */
  readonly "round.uploads-gone": {
    readonly study: Id;
    readonly step: Id;
    readonly needed: number;
    readonly gone: AnySaid;
  };
  /** A sum. @param gone - `round.without` of each. @param resuming - `round.resumes` or one of those after it */
  readonly "round.sum-gone": {
    readonly study: Id;
    readonly step: Id;
    readonly needed: number;
    readonly gone: readonly AnySaid[];
    readonly resuming: AnySaid;
  };
  readonly "round.sum-late": {
    readonly study: Id;
    readonly step: Id;
    readonly answered: number;
    readonly needed: number;
    readonly late: readonly Id[];
    readonly gone: readonly AnySaid[];
    readonly resuming: AnySaid;
  };
  readonly "round.survivors-changed": {
    readonly study: Id;
    readonly step: Id;
    readonly needed: number;
    readonly sites: readonly Id[];
  };
  /** Its remedy. */
  readonly "round.reconnect": None;
  /** A site that a step continues without. @param why - a code of docs/ERRORS.md; null where it did not answer */
  readonly "round.without": { readonly site: Id; readonly why: Name | null };
  /** Cost of resuming. */
  readonly "round.resumes": { readonly attempt: number };
  readonly "round.resumes-charged": { readonly attempt: number };
  readonly "round.resumes-noised": { readonly attempt: number };
  readonly "round.countersigned-late": {
    readonly study: Id;
    readonly there: number;
    readonly needed: number;
    readonly late: readonly Id[];
  };
  /** @param gone - `round.without` of each */
  readonly "round.countersigners-gone": {
    readonly study: Id;
    readonly needed: number;
    readonly gone: readonly AnySaid[];
  };
  readonly "round.publisher-full": { readonly study: Id };
  /** Its remedy. */
  readonly "round.free-publisher": None;
  readonly "round.publisher-late": { readonly study: Id };
  /** Its remedy. */
  readonly "round.start-publisher": None;
  readonly "round.mask-thread": None;
  readonly "round.unknown-question": { readonly study: Id };
  /** Its remedy. */
  readonly "round.list-questions": None;
  readonly "round.answered": None;
  /** Its remedy. */
  readonly "round.ask-again": None;
  readonly "round.answer-text": { readonly max: number };
  readonly "round.no-figures": { readonly study: Id; readonly status: Name };
  /** Its remedy. */
  readonly "round.try-when-released": None;
}
