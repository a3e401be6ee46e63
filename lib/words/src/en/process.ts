import type { Words } from "../said.js";
import type { ProcessSays } from "../says/process.js";

export const process: Words<ProcessSays> = {
  "store.fenced": ({ store, epoch }) =>
    `${store}: another process has taken over the store${epoch === null ? "" : ` (epoch ${epoch} of this process has ended)`}`,
  "store.refused": ({ store, code }) => `${store} refused the connection${code === null ? "" : ` (${code})`}`,
  "store.unreadable": ({ store, code }) => `${store} could not be read${code === null ? "" : ` (${code})`}`,
  "store.no-store": ({ store, code }) =>
    `${store} cannot be opened as a store${code === null ? "" : ` (${code})`}`,
  "state.in-use": ({ folder, process }) =>
    `${folder} is in use${process === null ? "" : ` by process ${process}`}`,
  "state.unwritable": ({ folder, user }) =>
    `${folder} is not writable${user === null ? "" : ` by user ${user}`}`,
  "state.not-of-role": ({ folder, role }) =>
    `${folder} is not the state folder of ${/^a/.test(role) ? "an" : "a"} ${role}`,
  "backup.give-rotation": ({ max, example }) =>
    `give counts up to ${max}, at least one above 0, such as ${example}`,
  "backup.encrypted": ({ file }) => `${file ?? "the backup"} is encrypted`,
  "backup.invalid": ({ why }, { say }) => `invalid backup: ${say(why)}`,
  "backup.why.not-a-file": () => "it contains something other than a file",
  "backup.why.outside": () => "it contains a path outside its folder",
  "backup.why.foreign": () => "it is not a backup of this software",
  "backup.why.other-version": () => "it was made by another version of this software",
  "backup.why.checksum": () => "a file does not match its checksum",
  "backup.why.early-end": () => "it ends too early",
  "backup.why.damaged": () => "it is damaged",
  "backup.why.truncated": () => "it is truncated",
  "backup.why.damaged-or-truncated": () => "it is damaged or truncated",
  "backup.why.passphrase": () => "wrong passphrase, or it is damaged",
  "file.unreadable": ({ file, key, code }) =>
    `${key === null ? "" : `${key}: `}${file} cannot be read${code === null ? "" : ` (${code})`}`,
  "blob.changed": ({ name }) => `blob ${name} has changed on disk`,
  "store.check-disk": () => "check the disk, and restore the state folder from a backup",
  "upload.exists": ({ name }) => `${name} already exists with different content`,
  "upload.order": ({ name, due, got }) => `${name}: chunk out of order: due offset ${due}, got ${got}`,
  "upload.too-long": ({ name, bytes }) => `${name}: received more than the declared ${bytes} bytes`,
  "upload.truncated": ({ name, received, bytes }) =>
    `${name}: truncated: received ${received} of ${bytes} bytes`,
  "upload.hash": ({ name, bytes }) => `${name}: SHA-256 mismatch of the received ${bytes} bytes`,
  "upload.taken-over": ({ name }) => `${name}: a newer connection has taken over this upload`,
  "store.standby-needs": () => "`standby` needs `store: postgres://…`",
  "store.move-to-postgres": () =>
    "a SQLite file has one process: move the store to PostgreSQL, or remove `standby`",
  "lease.failed": () => "the lease's thread failed",
  "lease.taken-over": ({ store }) => `${store}: another process has taken over the lease`,
  "lease.not-renewed": ({ store, seconds }) => `${store}: the lease was not renewed for ${seconds} s`,
  "store.not-in-schema": ({ store, schema }) => `${store} has no store in schema ${schema}`,
  "store.newer-format": ({ store, format, highest }) =>
    `${store} has format ${format}; this software supports up to ${highest}`,
  "store.check-readable": () => "check that it is running, its address, user, password file and TLS",
  "store.rolled-back": () => "the transaction was rolled back: a statement in it had failed",
  "store.closed": () => "the store is closed",
  "store.needs-setting": ({ store, setting, found, needed }) =>
    `${store}: ${setting} is ${found}, but a store needs ${needed}`,
  "store.old-server": ({ store }) => `${store}: a store needs PostgreSQL 13 or later`,
  "store.connection-lost": ({ store }) => `${store}: connection lost during a write`,
  "store.in-use": ({ store }) => `${store}: another process uses the store`,
  "store.own-database": () => "stop the other process, or give this one its own database",
  "store.check-database": () =>
    "check that it is running, its address, user, password file, TLS and the privilege to create a schema",
  "store.right-folder": () =>
    "check that --state points at the right folder; restore it from a backup if it is damaged",
  "store.no-wal": ({ file }) => `${file} is on a file system without write-ahead logging`,
  "store.local-disk": () => "keep the state folder on a local disk, not on a network share",
  "store.run-newer": () =>
    "run the newer version that wrote it, or restore the backup from before the upgrade",
  "state.no-file": ({ file }) => `there is no ${file}`,
  "backup.inside": ({ file }) => `${file} is inside the folder to back up`,
  "file.exists": ({ file }) => `${file} already exists`,
  "backup.other-name": () => "choose another name",
  "backup.source-truncated": ({ file }) => `${file} was truncated while it was read`,
  "backup.restoring": ({ folder }) => `${folder} already exists, or cannot be created`,
  "backup.remove-restoring": () => "another restore may be running; if not, remove that folder",
  "backup.give-passphrase": () => "give the file with its passphrase with --passphrase-file",
  "state.not-empty": ({ folder }) => `${folder} is not empty`,
  "state.other-folder": () => "move it away, or give another folder with --state",
  "backup.rotation": ({ written }) => `--keep does not take "${written}"`,
  "state.give-folder": () => "give the folder, or the volume, to the user that runs this process",
  "file.cannot-read": ({ key, file }) => `${key}: cannot read ${file}`,
  "file.too-long": ({ file, key, max }) => `${key === null ? "" : `${key}: `}${file} exceeds ${max} bytes`,
  "file.check": () => "check the path and the permissions of the file",
  "agent.at": ({ socket }) => `the site's agent at ${socket}`,
  "agent.unexpected": ({ agent, status, call }, { say }) =>
    `unexpected answer from ${say(agent)}: status ${status} to ${call}`,
  "agent.interrupted": ({ agent }, { say }) => `interrupted while waiting for ${say(agent)}`,
  "agent.start": () => "start it with `consilium serve site`, or give its state folder with --state",
  "agent.not-running": ({ agent }, { say }) =>
    `${say(agent)} does not answer: no agent is running with this state folder`,
  "agent.denied": ({ agent }, { say }) => `${say(agent)}: permission denied`,
  "agent.run-as": () => "run the command as the user that the agent runs as",
  "agent.late": ({ agent, ms }, { duration, say }) =>
    `${say(agent)} does not answer: no answer within ${duration(ms)}`,
  "agent.lost": ({ agent, code }, { say }) =>
    `${say(agent)} does not answer: the connection failed${code === null ? "" : ` (${code})`}`,
  "state.not-given": () => "no state folder is given",
  "process.stopping": ({ what }) => `${what} was started during shutdown`,
  "file.empty": ({ key, file }) => `${key}: ${file} is empty`,
  "file.no-password": ({ file }) => `no password on the first line of ${file}`,
  "file.too-large": ({ file }) => `${file} is too large`,
  "secret.too-short": ({ key, bytes, least }) =>
    `${key}.webhook.secretFile: the secret has ${bytes} bytes, at least ${least} are needed`,
  "yaml.unexpected": () => "unexpected answer from a YAML thread",
  "yaml.waiting": ({ texts }) => `${texts} other YAML texts are waiting`,
  "yaml.wait": () => "try again in a minute",
  "yaml.failed": () => "a YAML thread failed",
  "agent.same-version": () => "use the same version of the agent, its console and the command line",
};
