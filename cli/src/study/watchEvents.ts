import { ConsiliumError } from "@consilium/core/errors";
import type { StudyStatus, StudyView } from "@consilium/core/operator/views";
import { type OperatorClient, readStudyView } from "../federation/operatorClient.js";
import { connectionFault, parseJson } from "../http/reach.js";
import { EventStreamParser } from "./eventStream.js";

/** A watcher's events: the study's current state, or an unreachable aggregator. */
export type WatchEvent =
  | {
      readonly kind: "view";
      readonly view: StudyView;
      /** The aggregator's clock minus ours, so that countdowns are right even if this machine's clock is not. */
      readonly clockOffsetMs: number;
    }
  | { readonly kind: "lost"; readonly reason: string; readonly retryInMs: number };

export interface WatchOptions {
  /** How long the aggregator may be unreachable before the watch gives up. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** First pause before connecting again; doubles up to `longestPauseMs`. */
  readonly firstPauseMs?: number;
}

const longestPauseMs = 10_000;
/** A stream that is silent for this long is reopened: it looks the same as a dead connection. */
const silenceMs = 60_000;
/** HTTP dates have whole seconds, so smaller clock differences are meaningless. */
const clockGrainMs = 2_000;

export function hasEnded(status: StudyStatus): boolean {
  return status === "released" || status === "failed" || status === "cancelled";
}

/**
 * Follows a study until it ends, over restarts of the aggregator.
 * @throws ConsiliumError UNREACHABLE when the aggregator is unreachable for `patienceMs`, INTERRUPTED, or the
 * aggregator's error
 */
export async function* watchEvents(
  operator: OperatorClient,
  id: string,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void, undefined> {
  const firstPauseMs = options.firstPauseMs ?? 500;
  let pauseMs = firstPauseMs;
  let lastHeardAt = Date.now();
  for (;;) {
    let fault: ConsiliumError | undefined;
    try {
      for await (const event of readStream(operator, id, options.signal)) {
        lastHeardAt = Date.now();
        pauseMs = firstPauseMs;
        yield event;
        if (hasEnded(event.view.status)) return;
      }
    } catch (thrown) {
      fault = connectionFault(operator.remote, thrown, { timeoutMs: silenceMs, signal: options.signal });
      if (fault.code !== "UNREACHABLE") throw fault;
      if (Date.now() - lastHeardAt >= options.patienceMs) throw fault;
      yield { kind: "lost", reason: fault.message, retryInMs: pauseMs };
    }
    await pause(pauseMs, options.signal);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

async function* readStream(
  operator: OperatorClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Extract<WatchEvent, { kind: "view" }>, void, undefined> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await operator.events(id, AbortSignal.any([signal, silence.signal]));
    const clockOffsetMs = offsetFrom(response.headers.get("date"));
    const parser = new EventStreamParser();
    const decoder = new TextDecoder();
    if (response.body === null) return;
    for await (const chunk of response.body) {
      timer.refresh();
      for (const event of parser.push(decoder.decode(chunk, { stream: true }))) {
        const view = readStudyView(operator.remote, parseJson(event.data));
        yield { kind: "view", view, clockOffsetMs };
      }
    }
  } catch (thrown) {
    // A silent stream is not reported: it is simply reopened.
    if (silence.signal.aborted && !signal.aborted) return;
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

function offsetFrom(date: string | null): number {
  const offset = date === null ? 0 : Date.parse(date) - Date.now();
  return Number.isFinite(offset) && Math.abs(offset) > clockGrainMs ? offset : 0;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      clearTimeout(timer);
      reject(new ConsiliumError("INTERRUPTED", "interrupted while waiting for the aggregator"));
    };
    if (signal.aborted) {
      reject(new ConsiliumError("INTERRUPTED", "interrupted while waiting for the aggregator"));
      return;
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stopped);
      resolve();
    }, ms);
    signal.addEventListener("abort", stopped, { once: true });
  });
}
