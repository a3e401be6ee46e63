import type { AnySaid, Id, Name, None } from "../said.js";

/** What a hospital's agent refuses of a study's messages, and of what people ask of studies there. None of it leaves the hospital but the stable code. */
export interface SiteStudySays {
  readonly "work.unknown-study": { readonly study: Name };
  /** Its remedy. */
  readonly "work.list-studies": None;
  readonly "work.questions-over": { readonly study: Id; readonly status: Name };
  readonly "work.question-text": None;
  readonly "work.question-long": { readonly bytes: number; readonly max: number };
  readonly "work.questions-many": { readonly study: Id; readonly max: number };
  /** Its remedy. */
  readonly "work.write-to-contact": None;
  readonly "work.questions-often": { readonly max: number };
  /** Its remedy. */
  readonly "work.ask-later": None;
  readonly "work.unread": None;
  readonly "work.offered-many": { readonly studies: number; readonly max: number };
  readonly "work.waiting-many": { readonly studies: number; readonly max: number };
  readonly "work.joined-many": { readonly studies: number; readonly max: number };
  readonly "work.not-waiting": { readonly study: Id; readonly status: Name };
  /** Its remedy. */
  readonly "work.show-it": None;
  /** The times as ISO 8601 writes them. */
  readonly "work.approval-late": { readonly study: Id; readonly until: Name; readonly now: Name };
  readonly "work.token-approves": { readonly study: Id };
  readonly "work.same-person": { readonly study: Id; readonly name: Name; readonly before: Name };
  readonly "work.lists-differ": { readonly number: number };
  /** @param list - `work.list-none` or `work.list-number` */
  readonly "work.list-unconfirmed": { readonly list: AnySaid };
  /** The durations as a configuration writes them. */
  readonly "work.list-stale": { readonly list: AnySaid; readonly age: Name; readonly max: Name };
  /** @param until - as ISO 8601 writes it */
  readonly "work.list-expired": { readonly list: AnySaid; readonly until: Name };
  readonly "work.list-none": None;
  readonly "work.list-number": { readonly number: number };
  /** @param what - `work.certificate` or one of those after it */
  readonly "work.roster-invalid": { readonly study: Id; readonly what: AnySaid };
  /** @param why - what the certificate's check says */
  readonly "work.certificate": { readonly site: Id; readonly code: Name; readonly why: Name | AnySaid };
  readonly "work.certificate-other": { readonly site: Id };
  readonly "work.not-itself": None;
  readonly "work.roster-other": None;
  readonly "work.not-invited": { readonly site: Id };
  readonly "work.pinned-few": {
    readonly study: Id;
    readonly pinned: number;
    readonly sites: number;
    readonly minimum: number;
  };
  readonly "work.dealer-unpinned": {
    readonly study: Id;
    readonly distrusted: number;
    readonly sites: number;
  };
  /** @param at - where first; null where it is unknown */
  readonly "work.plan-differs": { readonly study: Id; readonly software: Name; readonly at: Name | null };
  /** @param at - where first; null where it is unknown */
  readonly "work.plan-changed": { readonly study: Id; readonly software: Name; readonly at: Name | null };
  /** Its remedy. */
  readonly "work.run-older": None;
  /** @param what - `work.listed-twice` or one of those after it */
  readonly "work.broadcast-changed": { readonly study: Id; readonly what: AnySaid };
  readonly "work.listed-twice": None;
  readonly "work.was-changed": { readonly name: Name; readonly stage: Id };
  readonly "work.broadcast-missing": None;
  readonly "work.not-there-before": { readonly name: Name; readonly stage: Id };
  readonly "work.before-its-turn": { readonly stage: Id };
  /** @param planned - `work.planned` of each */
  readonly "work.other-broadcasts": {
    readonly study: Id;
    readonly stage: Id;
    readonly planned: readonly AnySaid[];
  };
  readonly "work.planned": { readonly name: Name; readonly length: number };
  readonly "work.vector-length": { readonly stage: Id; readonly length: number; readonly planned: number };
  readonly "work.stored-damaged": { readonly study: Id };
  readonly "work.fetched-other": { readonly study: Id; readonly name: Name; readonly stage: Id };
  readonly "work.ended": { readonly study: Id };
  readonly "work.no-statement": { readonly study: Id; readonly step: Id; readonly attempt: number };
  /** Of a step: what is wrong with what the aggregator asks for there. @param what - `work.exchange-once` or one of those after it */
  readonly "work.step": { readonly study: Id; readonly step: Id; readonly what: AnySaid };
  readonly "work.exchange-once": None;
  readonly "work.dealt-once": None;
  readonly "work.unmasked-once": None;
  readonly "work.other-roster": None;
  readonly "work.other-broadcast": None;
  readonly "work.no-rows-stage": None;
  readonly "work.no-keys": None;
  readonly "work.no-roster": None;
  readonly "work.no-sum-stage": { readonly study: Id; readonly stage: Id };
  readonly "work.no-step": { readonly study: Id; readonly kind: Name; readonly step: Id };
  readonly "work.too-early": { readonly study: Id; readonly stage: Id; readonly before: Id };
  readonly "work.before-setup": { readonly study: Id; readonly stage: Id };
  readonly "work.setup-not-begun": { readonly study: Id };
  readonly "work.no-exchange": { readonly study: Id; readonly step: Id };
  readonly "work.nothing-to-post": { readonly study: Id; readonly step: Id };
  /** Of an attempt at a sum. @param what - `work.attempt-since` or one of those after it */
  readonly "work.attempt": {
    readonly study: Id;
    readonly stage: Id;
    readonly attempt: number;
    readonly what: AnySaid;
  };
  readonly "work.attempt-since": { readonly attempt: number };
  readonly "work.not-begun": None;
  readonly "work.attempt-over": None;
  readonly "work.no-sum": None;
  readonly "work.other-request": None;
  readonly "work.phase-otherwise": { readonly phase: Name };
  readonly "work.other-survivors": None;
  readonly "work.survivors-unpinned": { readonly trusted: number; readonly minimum: number };
}
