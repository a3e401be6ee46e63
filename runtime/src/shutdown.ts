import { nameOf } from "@consilium/core/said";
import { fault } from "./fault.js";
import type { Logger } from "./log.js";

/** What is to be stopped, in its order. */
interface Shutdown {
  /** Registers a step; steps run one after the other in the reverse order, as what was started last stops first. */
  onStop(name: string, stop: () => void | Promise<void>): void;
  /** Stops now; further calls get the same promise. It never rejects: a failing step is logged, the rest continues. */
  stop(reason: string): Promise<void>;
  /** Ends the process now, with 1 and without any step: for when continuing, even to stop in order, would do harm. */
  abort(reason: string, error: unknown): void;
  /** True once stopping has begun: new work is to be refused. */
  readonly stopping: boolean;
}

/**
 * Stops the process in order on SIGTERM and SIGINT. If the steps take longer than the deadline, or a second signal
 * comes, the process ends at once with exit code 1; otherwise it ends with 0, or 1 if a step failed.
 *
 * @param options.deadlineMs - for all steps together; 10 s by default, as long as containers are given
 * @param options.signals - false leaves the signals alone
 * @param options.exit - `process.exit`; tests pass their own
 */
export function createShutdown(options: {
  log: Logger;
  deadlineMs?: number;
  signals?: boolean;
  exit?: (code: number) => void;
}): Shutdown {
  const { log } = options;
  const deadlineMs = options.deadlineMs ?? 10_000;
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const steps: { name: string; stop: () => void | Promise<void> }[] = [];
  let stopped: Promise<void> | undefined;
  let ended = false;

  const end = (code: number) => {
    if (ended) return;
    ended = true;
    log.flush();
    exit(code);
  };

  const runSteps = async (reason: string): Promise<void> => {
    log.info("stopping", { reason });
    let current = "";
    let failed = false;
    const timer = setTimeout(() => {
      log.error("shutdown timed out, exiting immediately", { step: current, deadlineMs });
      end(1);
    }, deadlineMs);
    for (const step of steps.toReversed()) {
      current = step.name;
      try {
        await step.stop();
      } catch (cause) {
        failed = true;
        log.error("a component did not stop cleanly", { step: step.name }, cause);
      }
    }
    clearTimeout(timer);
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
    log.info("stopped");
    end(failed ? 1 : 0);
  };

  const stop = (reason: string): Promise<void> => {
    stopped ??= runSteps(reason);
    return stopped;
  };

  const onSignal = (signal: string) => {
    if (stopped) {
      log.warn("second signal, exiting immediately", { signal });
      end(1);
    } else {
      void stop(signal);
    }
  };
  if (options.signals ?? true) {
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  }

  return {
    onStop(name, step) {
      if (stopped) throw fault("INTERNAL", "process.stopping", { what: nameOf(name) });
      steps.push({ name, stop: step });
    },
    stop,
    abort(reason, error) {
      log.error("exiting immediately", { reason }, error);
      end(1);
    },
    get stopping() {
      return stopped !== undefined;
    },
  };
}
