import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { quoted } from "@consilium/core/text";
import type { TableConfig } from "./tableConfig.js";

/**
 * The edge of the data layer: an error leaves it only as a ConsiliumError made here or below. Whatever else was
 * thrown may quote a record in its message, so of it only its class and the place in our code are passed on.
 * An aborted call is no result: it throws the signal's reason.
 */
export async function attempt<T>(
  config: TableConfig,
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<Result<T, ConsiliumError>> {
  try {
    return ok(await act());
  } catch (thrown) {
    signal?.throwIfAborted();
    return err(safeError(thrown, config));
  }
}

export function safeError(thrown: unknown, config: TableConfig): ConsiliumError {
  if (thrown instanceof ConsiliumError) return thrown;
  if (isAway(thrown))
    return new ConsiliumError(
      "TABLE_AWAY",
      `table ${quoted(config.name)}: ${Reflect.get(thrown as Error, "code")}`,
    );
  return new ConsiliumError(
    "INTERNAL",
    `table ${quoted(config.name)}: while it was read: unexpected ${placeInProgram(thrown)}`,
  );
}

/** The class of what was thrown, and where in our code: its message may quote a record. */
export function placeInProgram(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const frame = /\bat (?:.*\()?(?:file:\/\/)?[^\s()]*?([^/\s()]+:\d+):\d+\)?$/m.exec(thrown.stack ?? "")?.[1];
  return `${thrown.constructor.name}${frame === undefined ? "" : ` (${frame})`}`;
}

/**
 * Whether the system refused a file: no such file, no permission, too many open, a failing disk or share. No record brings these
 * about; that memory runs out, one may.
 */
export function isAway(thrown: unknown): boolean {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
  return typeof code === "string" && systemFaults.has(code);
}

const systemFaults: ReadonlySet<string> = new Set(
  "ENOENT ENOTDIR ELOOP EACCES EPERM EMFILE ENFILE EBUSY EIO ENXIO ENODEV ESTALE ENOTCONN EHOSTDOWN EHOSTUNREACH ETIMEDOUT".split(
    " ",
  ),
);
