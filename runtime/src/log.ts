import { ConsiliumError, type ErrorFamily } from "@consilium/core/errors";
import type { EventMessage, EventService, FieldsOf } from "@consilium/core/logging/events";
import { type DestinationStream, destination, type Logger as Pino, pino } from "pino";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

type Write = <M extends EventMessage>(message: M, fields?: FieldsOf<M>, error?: unknown) => void;

/**
 * A process's log. Messages and their fields are those of the catalogue, `core/src/logging/events.ts`. An error is
 * passed as such and written by `errorFields`, which leaves out whatever might quote data.
 */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** The same log with `component` in every line, such as `rounds` or `ledger`. */
  child(component: string): Logger;
  /** Writes what is buffered; at the end of a process. */
  flush(): void;
}

/** What is written of an error. */
interface ErrorFields {
  readonly code: string;
  readonly family: ErrorFamily;
  /** Only of a ConsiliumError: its messages hold no values by the project's rule; other libraries' may. */
  readonly message?: string;
  readonly causes?: readonly CauseFields[];
}

interface CauseFields {
  readonly name: string;
  /** A system error's code, such as ENOSPC. */
  readonly code?: string;
  /** File and line of each call, without the message that a stack begins with. */
  readonly frames: readonly string[];
}

const causesMax = 5;
const framesMax = 12;

/**
 * An error for the log: code, family and message for our errors; for others, and for causes, only the kind, a system
 * code and source locations. A parser's message may quote a patient's row, and an error's own properties (a query, a
 * row) may hold one, so neither is written.
 */
export function errorFields(error: unknown): ErrorFields {
  const ours = error instanceof ConsiliumError;
  const causes: CauseFields[] = [];
  let cause: unknown = ours ? error.cause : error;
  while (cause !== undefined && causes.length < causesMax) {
    causes.push(causeFields(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  const base = ours
    ? { code: error.code, family: error.family, message: error.message }
    : { code: "INTERNAL", family: "internal" as const };
  return causes.length > 0 ? { ...base, causes } : base;
}

function causeFields(cause: unknown): CauseFields {
  if (!(cause instanceof Error)) return { name: typeof cause, frames: [] };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  // The stack begins with the message, which may have lines that look like calls.
  const frames = (cause.stack ?? "")
    .replace(cause.message, () => "")
    .split("\n")
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim());
  const name = cause instanceof ConsiliumError ? cause.code : cause.constructor.name;
  return { name, ...(code !== undefined && /^[A-Z][A-Z0-9_]{1,59}$/.test(code) && { code }), frames };
}

/**
 * Makes a process's log: one JSON object per line on standard error, written at once, so that the last line before
 * a crash is there.
 * @param options.stream - what takes the lines in place of standard error
 */
export function createLogger(options: {
  service: EventService | "test";
  level?: LogLevel;
  stream?: DestinationStream | undefined;
}): Logger {
  const stream = options.stream ?? destination({ dest: 2, sync: true });
  return loggerOf(
    pino(
      {
        level: options.level ?? "info",
        base: { service: options.service },
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (level) => ({ level }) },
      },
      stream,
    ),
  );
}

function loggerOf(inner: Pino): Logger {
  const write =
    (level: "debug" | "info" | "warn" | "error"): Write =>
    (message, fields, error) =>
      inner[level]({ ...fields, ...(error !== undefined && { error: errorFields(error) }) }, message);
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (component) => loggerOf(inner.child({ component })),
    flush: () => inner.flush(),
  };
}
