import type { ConsiliumError } from "@consilium/core/errors";
import type { ProcessSays } from "@consilium/words/says/process";
import { fault } from "../fault.js";

/** Reason without parameters: `backup.why.…`. */
type Why = Extract<keyof ProcessSays, `backup.why.${string}`>;

export function invalidBackup(why: Why, cause?: unknown): ConsiliumError {
  return fault("BACKUP_INVALID", "backup.invalid", { why: { code: why, params: {} } }, { cause });
}

/**
 * Turns a library's error about a backup's bytes into BACKUP_INVALID. File system errors and our own have a code and
 * stay unchanged.
 */
export function backupFault(thrown: unknown, why: Why): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown : invalidBackup(why, thrown);
}
