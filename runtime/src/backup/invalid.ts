import { ConsiliumError } from "@consilium/core/errors";

export function invalidBackup(what: string, cause?: unknown): ConsiliumError {
  return new ConsiliumError(
    "BACKUP_INVALID",
    `invalid backup: ${what}`,
    cause === undefined ? {} : { cause },
  );
}

/**
 * Turns a library's error about a backup's bytes into BACKUP_INVALID. File system errors and our own have a code and
 * stay unchanged.
 */
export function backupFault(thrown: unknown, what: string): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown : invalidBackup(what, thrown);
}
