import type { Id, Name, None } from "../said.js";

/** What the aggregator says of its sites, their certificates and invitations, of calls, and of releases. */
export interface AggregatorSays {
  readonly "roster.no-key": { readonly site: Id };
  /** Its remedy. */
  readonly "roster.without-same-key": None;
  /** @param key - the first digits of its fingerprint */
  readonly "roster.enrolled": { readonly site: Id; readonly key: Name };
  readonly "roster.enrolled-otherwise": { readonly site: Id; readonly key: Name };
  /** @param until - as ISO 8601 writes it */
  readonly "roster.invited": { readonly site: Id; readonly until: Name };
  readonly "roster.token-unknown": None;
  readonly "roster.token-withdrawn": { readonly site: Id };
  readonly "roster.token-used": { readonly site: Id };
  /** @param at - as ISO 8601 writes it */
  readonly "roster.token-expired": { readonly site: Id; readonly at: Name };
  readonly "roster.no-invitation": None;
  /** Its remedy. */
  readonly "roster.reload": None;
  readonly "roster.key-expelled": { readonly site: Id };
  readonly "roster.keep-key": { readonly site: Id };
  readonly "roster.expired-and-renewed": { readonly site: Id };
  readonly "roster.replaced": { readonly site: Id };
  readonly "roster.expelled": { readonly site: Id };
  readonly "roster.list-other": { readonly number: number };
  /** Its remedy. */
  readonly "roster.sign-again": None;
  /** Of the head of a hospital's ledger. */
  readonly "roster.head-signature": { readonly site: Id };
  readonly "roster.head-invalid": None;
  /** @param table, near - quoted */
  readonly "roster.no-table": { readonly table: Name; readonly near: readonly Name[] };
  /** Its remedy. */
  readonly "roster.list-tables": None;
  readonly "roster.site-id": None;
  readonly "roster.study-id": None;
  /** Of versions that have no protocol in common, by the side to upgrade. */
  readonly "call.site-older": {
    readonly site: Name;
    readonly siteLow: number;
    readonly siteHigh: number;
    readonly software: Name;
    readonly low: number;
    readonly high: number;
  };
  readonly "call.aggregator-older": {
    readonly site: Name;
    readonly siteLow: number;
    readonly siteHigh: number;
    readonly software: Name;
    readonly low: number;
    readonly high: number;
  };
  readonly "call.no-hello": { readonly seconds: number };
  readonly "call.too-often": { readonly site: Id; readonly burst: number; readonly perSecond: number };
  readonly "call.hello-first": None;
  readonly "call.second-hello": None;
  readonly "call.no-header": None;
  readonly "call.not-running": { readonly study: Id };
  readonly "call.study-ended": { readonly study: Id };
  readonly "call.upload-lost": None;
  readonly "call.stalled": { readonly seconds: number };
  /** @param holder - that is active; null without one */
  readonly "call.standing-by": { readonly holder: Name | null };
  readonly "start.no-operator-token": { readonly path: Name };
  readonly "start.http": { readonly address: Name };
  readonly "released.other": { readonly release: Name };
  readonly "released.by-itself": { readonly release: Name };
  /** Its remedy. */
  readonly "released.name-other": None;
  readonly "released.unknown": { readonly release: Name };
  readonly "released.superseded": { readonly release: Name; readonly by: Name };
  /** Its remedy. */
  readonly "released.withdraw-instead": None;
  readonly "released.no-publisher": None;
  /** Its remedies. */
  readonly "released.set-and-ask": None;
  readonly "released.set-and-resume": None;
}
