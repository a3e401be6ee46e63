import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { consoleFolderName } from "@consilium/runtime/home";
import type { Session } from "../session.js";
import { type ExecutableName, exitOf, startExecutable } from "./executables.js";

export interface ServeSiteOptions {
  /** Runs only one of the two processes, as containers do. */
  readonly only: "agent" | "console" | null;
  /** The agent's socket, if not in the state folder. */
  readonly socket: string | null;
}

/** The pause before the console is restarted; it doubles each time and resets after a minute of running. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const steadyMs = 60_000;

/**
 * Runs a hospital's two processes: the agent, which sees the records, and the console, which serves the pages. When the
 * agent ends, so does the console; when only the console ends, studies continue and it is restarted.
 * @param state - the site's state folder
 * @returns the exit code of the process that ended first
 */
export async function serveSite(
  session: Session,
  state: string,
  { only, socket }: ServeSiteOptions,
): Promise<number> {
  const agentArguments = ["--state", state, ...(socket === null ? [] : ["--socket", socket])];
  const consoleArguments = [
    "--state",
    join(state, consoleFolderName),
    "--agent",
    socket ?? join(state, agentSocketName),
  ];
  const site = new Supervised(session);
  try {
    if (only === "console") return await exitOf(await site.start("site-console", consoleArguments));
    const agent = await site.start("site-agent", agentArguments);
    const agentEnded = exitOf(agent);
    if (only === "agent") return await agentEnded;
    const isReady = await Promise.race([ready(agent), agentEnded.then(() => false)]);
    if (!isReady) return await agentEnded;
    const console = keepConsole(site, consoleArguments);
    const first = await Promise.race([
      agentEnded.then((code) => ({ who: "agent" as const, code })),
      // It only ends if it cannot run, or when everything stops.
      console.then((code) => ({ who: "console" as const, code })),
    ]);
    if (!site.stopping) {
      const other = first.who === "agent" ? "console" : "agent";
      session.note(`The site's ${first.who} exited with code ${first.code}; stopping its ${other}.`);
    }
    const wasStopping = site.stopping;
    // A second signal would interrupt an orderly shutdown.
    if (!wasStopping) site.stop("SIGTERM");
    const agentCode = await agentEnded;
    await console;
    return wasStopping ? agentCode : first.code;
  } finally {
    site.close();
  }
}

/** The running processes that signals are forwarded to. */
class Supervised {
  readonly #session: Session;
  readonly #children = new Set<ChildProcess>();
  readonly #stopForwarding: () => void;
  readonly #stopped = new AbortController();

  constructor(session: Session) {
    this.#session = session;
    this.#stopForwarding = session.io.onSignal((signal) => {
      this.#stopped.abort();
      // Ctrl-C on a terminal goes to the whole process group: the processes have already received it.
      if (signal === "SIGINT" && session.io.stdout.isTerminal) return;
      for (const child of this.#children) child.kill(signal);
    });
  }

  get session(): Session {
    return this.#session;
  }

  get stopping(): boolean {
    return this.#stopped.signal.aborted;
  }

  async start(name: ExecutableName, args: readonly string[]): Promise<ChildProcess> {
    const child = await startExecutable(this.#session, name, { args, supervised: true });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    // The signal arrived during the start.
    if (this.stopping) child.kill("SIGTERM");
    return child;
  }

  stop(signal: NodeJS.Signals): void {
    this.#stopped.abort();
    for (const child of this.#children) child.kill(signal);
  }

  /** Waits for this time, or until everything stops. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#stopped.signal.addEventListener("abort", done, { once: true });
      if (this.stopping) done();
    });
  }

  close(): void {
    this.#stopForwarding();
  }
}

/** Resolves to the console's exit code if it never became ready, or when everything stops. */
async function keepConsole(site: Supervised, args: readonly string[]): Promise<number> {
  let wasReady = false;
  let pauseMs = firstPauseMs;
  for (;;) {
    const startedAt = performance.now();
    const child = await site.start("site-console", args);
    void ready(child).then(() => {
      wasReady = true;
    });
    const code = await exitOf(child);
    if (site.stopping || !wasReady) return code;
    if (performance.now() - startedAt > steadyMs) pauseMs = firstPauseMs;
    site.session.note(
      `The site's console exited with code ${code}; restarting it in ${pauseMs / 1_000} s. The agent keeps running.`,
    );
    await site.pause(pauseMs);
    if (site.stopping) return code;
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
  }
}

/** Resolves once a process reports readiness; otherwise never. */
function ready(child: ChildProcess): Promise<true> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      if (message === "ready") resolve(true);
    });
  });
}
