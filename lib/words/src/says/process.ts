import type { AnySaid, Name, None } from "../said.js";

/** What is said of a process: its state folder, its store, what is uploaded to it, its backups. */
export interface ProcessSays {
  /** @param epoch - of this process, which has ended */
  readonly "store.fenced": { readonly store: Name; readonly epoch: number | null };
  /** A database, with its code or the system's. */
  readonly "store.refused": { readonly store: Name; readonly code: Name | null };
  readonly "store.unreadable": { readonly store: Name; readonly code: Name | null };
  readonly "store.no-store": { readonly store: Name; readonly code: Name | null };
  readonly "state.in-use": { readonly folder: Name; readonly process: number | null };
  readonly "state.unwritable": { readonly folder: Name; readonly user: number | null };
  /** @param role - of the process that has it */
  readonly "state.not-of-role": { readonly folder: Name; readonly role: Name };
  /** The remedy. */
  readonly "backup.give-rotation": { readonly max: number; readonly example: Name };
  /** @param file - null for bytes without a name */
  readonly "backup.encrypted": { readonly file: Name | null };
  /** @param why - one of those that follow */
  readonly "backup.invalid": { readonly why: AnySaid };
  readonly "backup.why.not-a-file": None;
  readonly "backup.why.outside": None;
  readonly "backup.why.foreign": None;
  readonly "backup.why.other-version": None;
  readonly "backup.why.checksum": None;
  readonly "backup.why.early-end": None;
  readonly "backup.why.damaged": None;
  readonly "backup.why.truncated": None;
  readonly "backup.why.damaged-or-truncated": None;
  readonly "backup.why.passphrase": None;
  /** @param key - of the configuration that names the file. @param code - the system's */
  readonly "file.unreadable": { readonly file: Name; readonly key: Name | null; readonly code: Name | null };
  readonly "blob.changed": { readonly name: Name };
  /** The remedy. */
  readonly "store.check-disk": None;
  readonly "upload.exists": { readonly name: Name };
  /** Of what is uploaded: offsets and lengths in bytes. */
  readonly "upload.order": { readonly name: Name; readonly due: number; readonly got: number };
  readonly "upload.too-long": { readonly name: Name; readonly bytes: number };
  readonly "upload.truncated": { readonly name: Name; readonly received: number; readonly bytes: number };
  readonly "upload.hash": { readonly name: Name; readonly bytes: number };
  readonly "upload.taken-over": { readonly name: Name };
  readonly "store.standby-needs": None;
  /** The remedy. */
  readonly "store.move-to-postgres": None;
  readonly "lease.failed": None;
  readonly "lease.taken-over": { readonly store: Name };
  readonly "lease.not-renewed": { readonly store: Name; readonly seconds: number };
  readonly "store.not-in-schema": { readonly store: Name; readonly schema: Name };
  readonly "store.newer-format": { readonly store: Name; readonly format: number; readonly highest: number };
  /** The remedy. */
  readonly "store.check-readable": None;
  readonly "store.rolled-back": None;
  readonly "store.closed": None;
  readonly "store.needs-setting": {
    readonly store: Name;
    readonly setting: Name;
    readonly found: Name;
    readonly needed: Name;
  };
  readonly "store.old-server": { readonly store: Name };
  readonly "store.connection-lost": { readonly store: Name };
  readonly "store.in-use": { readonly store: Name };
  /** The remedy. */
  readonly "store.own-database": None;
  /** The remedy. */
  readonly "store.check-database": None;
  /** The remedy. */
  readonly "store.right-folder": None;
  readonly "store.no-wal": { readonly file: Name };
  /** The remedy. */
  readonly "store.local-disk": None;
  /** The remedy. */
  readonly "store.run-newer": None;
  readonly "state.no-file": { readonly file: Name };
  readonly "backup.inside": { readonly file: Name };
  readonly "file.exists": { readonly file: Name };
  /** The remedy. */
  readonly "backup.other-name": None;
  readonly "backup.source-truncated": { readonly file: Name };
  readonly "backup.restoring": { readonly folder: Name };
  /** The remedy. */
  readonly "backup.remove-restoring": None;
  /** The remedy. */
  readonly "backup.give-passphrase": None;
  readonly "state.not-empty": { readonly folder: Name };
  /** The remedy. */
  readonly "state.other-folder": None;
  readonly "backup.rotation": { readonly written: Name };
  /** The remedy. */
  readonly "state.give-folder": None;
  /** @param key - of the configuration that names the file */
  readonly "file.cannot-read": { readonly key: Name; readonly file: Name };
  readonly "file.too-long": { readonly file: Name; readonly key: Name | null; readonly max: number };
  /** The remedy. */
  readonly "file.check": None;
  /** As the other sentences on the agent name it. */
  readonly "agent.at": { readonly socket: Name };
  readonly "agent.unexpected": { readonly agent: AnySaid; readonly status: number; readonly call: Name };
  readonly "agent.interrupted": { readonly agent: AnySaid };
  /** The remedy. */
  readonly "agent.start": None;
  readonly "agent.not-running": { readonly agent: AnySaid };
  readonly "agent.denied": { readonly agent: AnySaid };
  /** The remedy. */
  readonly "agent.run-as": None;
  readonly "agent.late": { readonly agent: AnySaid; readonly ms: number };
  readonly "agent.lost": { readonly agent: AnySaid; readonly code: Name | null };
  readonly "state.not-given": None;
  readonly "process.stopping": { readonly what: Name };
  readonly "file.empty": { readonly key: Name; readonly file: Name };
  readonly "file.no-password": { readonly file: Name };
  readonly "file.too-large": { readonly file: Name };
  readonly "secret.too-short": { readonly key: Name; readonly bytes: number; readonly least: number };
  readonly "yaml.unexpected": None;
  readonly "yaml.waiting": { readonly texts: number };
  /** The remedy. */
  readonly "yaml.wait": None;
  readonly "yaml.failed": None;
  /** The remedy. */
  readonly "agent.same-version": None;
}
