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
  const kind = thrown instanceof Error ? thrown.constructor.name : typeof thrown;
  const frame =
    thrown instanceof Error
      ? /\bat (?:.*\()?(?:file:\/\/)?[^\s()]*?([^/\s()]+:\d+):\d+\)?$/m.exec(thrown.stack ?? "")?.[1]
      : undefined;
  return new ConsiliumError(
    "INTERNAL",
    `table ${quoted(config.name)}: unexpected ${kind} while reading${frame === undefined ? "" : ` (${frame})`}`,
  );
}
