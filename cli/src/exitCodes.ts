import type { ConsiliumError } from "@consilium/core/errors";

/** The command's exit codes. Scripts rely on them: their meaning never changes. */
export const exitCodes = {
  ok: 0,
  /** The command ran and failed: refused, failed or not valid. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** A required process does not answer. */
  unreachable: 3,
  /** A release, certificate, ledger, backup or list does not match its signature. */
  unverified: 4,
  interrupted: 130,
} as const;

/** For help and documents, in their order. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, "success"],
  [exitCodes.failed, "failed or refused"],
  [exitCodes.usage, "invalid command line"],
  [exitCodes.unreachable, "a required process does not answer"],
  [exitCodes.unverified, "verification failed"],
  [exitCodes.interrupted, "interrupted"],
];

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function exitCodeOf(error: ConsiliumError): ExitCode {
  switch (error.code) {
    case "USAGE":
      return exitCodes.usage;
    case "UNREACHABLE":
    case "PUBLISHER_UNREACHABLE":
    case "PROXY_FAILED":
    case "TLS_INTERCEPTED":
      return exitCodes.unreachable;
    case "RELEASE_CORRUPT":
    case "BACKUP_INVALID":
    case "CERTIFICATE_EPSILON":
    case "COUNTERSIGNATURE_INVALID":
    case "REVOCATIONS_INVALID":
    case "AUTHORITY_MISMATCH":
    case "LEDGER_BROKEN":
    case "LEDGER_HEAD_INVALID":
      return exitCodes.unverified;
    case "INTERRUPTED":
      return exitCodes.interrupted;
    default:
      return exitCodes.failed;
  }
}
