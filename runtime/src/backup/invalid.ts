import { ConsiliumError } from "@consilium/core/errors";

export function invalidBackup(what: string, cause?: unknown): ConsiliumError {
  return new ConsiliumError(
    "BACKUP_INVALID",
    `the backup cannot be used: ${what}`,
    cause === undefined ? {} : { cause },
  );
}

/**
 * What a library found wrong with the bytes of a backup, as a refusal of the backup. Errors of the file system and our own
 * have a code and stay what they are.
 */
export function backupFault(thrown: unknown, what: string): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown : invalidBackup(what, thrown);
}
