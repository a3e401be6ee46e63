import type { ConsiliumError } from "@consilium/core/errors";

/** What the command's exit code says. Scripts rely on these: they never change their meaning. */
export const exitCodes = {
  ok: 0,
  /** It ran, and the answer is no: refused, failed, not valid. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** A process that the command needs does not answer. */
  unreachable: 3,
  /** A release, certificate, ledger, backup or list is not what its signature says. */
  unverified: 4,
  interrupted: 130,
} as const;

/** For help and documents, in their order. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, "it is done"],
  [exitCodes.failed, "it failed, or was refused"],
  [exitCodes.usage, "the command line is not understood"],
  [exitCodes.unreachable, "a process that is needed does not answer"],
  [exitCodes.unverified, "what was to be verified does not verify"],
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
