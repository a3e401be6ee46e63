import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import type { Name } from "@consilium/words/said";
import type { EngineSays } from "@consilium/words/says/engines";
import type { QuerySays } from "@consilium/words/says/queries";
import type { SourceSays } from "@consilium/words/says/sources";
import { tablePlace } from "./place.js";
import type { TableConfig } from "./tableConfig.js";

export type DataSays = SourceSays & QuerySays & EngineSays;

export const fault = faults<DataSays>();

/** Options of `fault`: what is better to do than what its code says. */
export const remedied = <R extends keyof DataSays>(code: R, params: DataSays[R]) => ({
  remedy: { code, params },
});

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
  const place = tablePlace(config.name);
  const code = codeOf(thrown);
  if (code !== null && isAway(thrown)) return fault("TABLE_AWAY", "source.system-code", { place, code });
  return fault("INTERNAL", "source.unexpected", { place, what: placeInProgram(thrown) });
}

/** The class of what was thrown, and where in our code: its message may quote a record. */
export function placeInProgram(thrown: unknown): Name {
  if (!(thrown instanceof Error)) return nameOf(typeof thrown);
  const frame = /\bat (?:.*\()?(?:file:\/\/)?[^\s()]*?([^/\s()]+:\d+):\d+\)?$/m.exec(thrown.stack ?? "")?.[1];
  return nameOf(`${thrown.constructor.name}${frame === undefined ? "" : ` (${frame})`}`);
}

/** The system's code for what was thrown. */
export function codeOf(thrown: unknown): Name | null {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
  return typeof code === "string" ? nameOf(code) : null;
}

/**
 * Whether the system refused a file: no such file, no permission, too many open, a failing disk or share. No record brings these
 * about; that memory runs out, one may.
 */
export function isAway(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== null && systemFaults.has(code);
}

const systemFaults: ReadonlySet<string> = new Set(
  "ENOENT ENOTDIR ELOOP EACCES EPERM EMFILE ENFILE EBUSY EIO ENXIO ENODEV ESTALE ENOTCONN EHOSTDOWN EHOSTUNREACH ETIMEDOUT".split(
    " ",
  ),
);
