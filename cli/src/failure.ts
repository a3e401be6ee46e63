import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { printable } from "./terminal/layout.js";
import type { Style } from "./terminal/style.js";

/** A failure as `--json` prints it. `details` adds structured data, such as a study's errors. */
export function failureJson(error: ConsiliumError): unknown {
  const details = error instanceof DetailedError ? error.details : {};
  return { error: { code: error.code, message: error.message, remedy: error.remedy, ...details } };
}

/** `[CODE] what. Remedy.`, the code coloured. */
export function failureText(error: ConsiliumError, style: Style): string {
  const text = printable(error.describe());
  const code = `[${error.code}]`;
  const listing = error instanceof DetailedError ? error.listing : "";
  return (listing === "" ? "" : `${listing}\n`) + style.bad(code) + text.slice(code.length);
}

/** An error with a listing beside its sentence. */
export class DetailedError extends ConsiliumError {
  /** Printed above the error for people. */
  readonly listing: string;
  /** Added to the error's JSON. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ConsiliumError["code"],
    message: string,
    options: { remedy?: string; listing: string; details: Readonly<Record<string, unknown>> },
  ) {
    super(code, message, options.remedy === undefined ? {} : { remedy: options.remedy });
    this.listing = options.listing;
    this.details = options.details;
  }
}

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "it already exists",
  ENOSPC: "disk full",
  EROFS: "read-only disk",
};

/** The operating system's error about a file, in words. */
export function fileFault(cause: unknown): string {
  const code = systemCode(cause);
  return (code !== undefined && fileFaults[code]) || code || "unusable";
}

/** The `code` of a system error, such as ENOENT. */
export function systemCode(cause: unknown): string | undefined {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return undefined;
}

/**
 * Turns anything that a verb threw into an error to show. File system errors keep their path, because it is on the
 * user's own machine; other unknown errors keep their text, because a command has no log.
 */
export function toFailure(thrown: unknown): ConsiliumError {
  if (thrown instanceof ConsiliumError) {
    if (thrown.code !== "INTERNAL") return thrown;
    return new ConsiliumError("INTERNAL", withCause(thrown), { cause: thrown.cause });
  }
  if (systemCode(thrown) !== undefined && thrown instanceof Error && "path" in thrown) {
    return new ConsiliumError("CONFIG_INVALID", `${String(thrown.path)}: ${fileFault(thrown)}`, {
      remedy: "check the path and its permissions",
      cause: thrown,
    });
  }
  return new ConsiliumError("INTERNAL", withCause(toConsiliumError(thrown)), {
    remedy: "report it together with the command line",
    cause: thrown,
  });
}

function withCause(error: ConsiliumError): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
