import { setTimeout as sleep } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { ProcessLog } from "@consilium/runtime/logging/send/processLog";

/** How often the agent is asked for new lines. */
const everyMs = 1_000;

interface Forwarding {
  /** Takes what the agent still has, once. */
  stop(): Promise<void>;
}

/**
 * Sends the agent's log lines: its only connection is to the aggregator, so they wait in its memory until the console takes
 * them.
 */
export function forwardAgentLog({
  agent,
  processLog,
  pauseMs = everyMs,
}: {
  readonly agent: Pick<HospitalAgent, "logLines">;
  readonly processLog: Pick<ProcessLog, "forward" | "log">;
  readonly pauseMs?: number;
}): Forwarding {
  const log = processLog.log.child("agent-log");
  const stopping = new AbortController();
  let place: { readonly run: string | null; readonly next: number } = { run: null, next: 0 };
  const take = async () => {
    for (;;) {
      const { lines, dropped, run, next } = await agent.logLines(place);
      place = { run, next };
      processLog.forward(lines);
      if (dropped > 0) log.warn("log lines were dropped", { destination: "site-agent", dropped });
      if (lines.length === 0) return;
    }
  };
  let isFailing = false;
  const takeNow = async () => {
    try {
      await take();
      isFailing = false;
    } catch (thrown) {
      const isSilent = thrown instanceof ConsiliumError && thrown.code === "UNREACHABLE";
      if (!isSilent && !isFailing) log.warn("cannot take over the agent's log", {}, thrown);
      isFailing = true;
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await takeNow();
      await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      await takeNow();
    },
  };
}
