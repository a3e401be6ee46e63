import type { Name, None } from "../said.js";

/** What a hospital's agent says of its socket, of the network path to the aggregator, of its policy's file, and of its ledger. */
export interface SiteSays {
  readonly "socket.path": { readonly path: Name };
  /** Its remedy. */
  readonly "socket.shorten": None;
  readonly "socket.unknown": None;
  /** Its remedy. */
  readonly "socket.same-version": None;
  readonly "socket.too-large": { readonly max: number };
  readonly "socket.no-json": None;
  /** @param field - a path within the request; null for all of it */
  readonly "socket.invalid": { readonly request: Name; readonly field: Name | null };
  readonly "socket.no-values": None;
  /** Its remedy. */
  readonly "socket.profile-at-rest": None;
  readonly "socket.no-study-id": None;
  /** Its remedy. */
  readonly "socket.list-studies": None;
  readonly "line.no-answer": None;
  readonly "line.upload-ended": None;
  readonly "line.upload-unconfirmed": None;
  readonly "line.broadcast-length": { readonly study: Name };
  readonly "line.silent": { readonly seconds: number };
  readonly "line.second-welcome": None;
  readonly "line.welcome-first": None;
  /** A protocol that the site does not speak, by the side to upgrade. */
  readonly "line.site-older": {
    readonly software: Name;
    readonly protocol: number;
    readonly site: Name;
    readonly low: number;
    readonly high: number;
  };
  readonly "line.aggregator-older": {
    readonly software: Name;
    readonly protocol: number;
    readonly site: Name;
    readonly low: number;
    readonly high: number;
  };
  readonly "line.downgraded": { readonly software: Name; readonly protocol: number; readonly spoken: number };
  /** @param spoken - null where none was spoken yet */
  readonly "line.not-older": {
    readonly protocol: number;
    readonly low: number;
    readonly high: number;
    readonly spoken: number | null;
  };
  readonly "policy-file.large": { readonly path: Name; readonly max: number };
  /** @param code - the system's */
  readonly "policy-file.unreadable": { readonly path: Name; readonly code: Name };
  /** Its remedy. */
  readonly "policy-file.permissions": None;
  readonly "policy-file.empty": { readonly path: Name };
  /** Its remedy. */
  readonly "policy-file.write-anew": None;
  readonly "policy-file.changed": None;
  /** @param code - the system's */
  readonly "policy-file.unwritable": { readonly path: Name; readonly code: Name };
  readonly "policy-file.no-version": None;
  /** Its remedy. */
  readonly "policy-file.choose": None;
  /** ε as the ledger rounds it, against the hospital. */
  readonly "ledger.exhausted": {
    readonly study: Name;
    readonly needs: Name;
    readonly unit: Name;
    readonly remains: Name;
    readonly of: number;
    readonly delta: number;
    readonly population: Name;
  };
  /** Its remedy. */
  readonly "ledger.ask-for-more": None;
  readonly "ledger.unreadable": None;
  readonly "ledger.behind": { readonly ends: number; readonly known: number };
  readonly "ledger.undeclared": { readonly known: number };
  /** Its remedy. */
  readonly "ledger.restore-or-charge": None;
  readonly "ledger.anchor-written": None;
  /** Its remedy. */
  readonly "ledger.anchor-where": None;
  readonly "ledger.future": None;
  readonly "store.key-damaged": { readonly path: Name };
  /** @param place - what was stored */
  readonly "store.sealed": { readonly place: Name };
  readonly "start.which-site": None;
  /** Its remedy. */
  readonly "start.give-state": None;
}
