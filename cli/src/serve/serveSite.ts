import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { consoleFolderName } from "@consilium/runtime/home";
import type { Session } from "../session.js";
import { type ExecutableName, exitOf, startExecutable } from "./executables.js";

export interface ServeSiteOptions {
  /** One of the two processes alone, as containers run them. */
  readonly only: "agent" | "console" | null;
  /** Where the console asks the agent, if not in the state folder. */
  readonly socket: string | null;
}

/** The console is started again after so long, twice as long each time, and at first again once it ran for a minute. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const steadyMs = 60_000;

/**
 * Runs a hospital's two processes: the agent, which sees the records, and the console, which serves the pages. When the
 * agent ends, so does the console; when the console ends by itself, studies go on and it is started again.
 * @param state - the site's state folder
 * @returns the exit code of what ended first
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
      // It only ends where it cannot be run, or when everything stops.
      console.then((code) => ({ who: "console" as const, code })),
    ]);
    if (!site.stopping) {
      const other = first.who === "agent" ? "console" : "agent";
      session.note(`The site's ${first.who} ended with exit code ${first.code}; its ${other} is stopped.`);
    }
    const wasStopping = site.stopping;
    // A second signal would end at once what is stopping in order.
    if (!wasStopping) site.stop("SIGTERM");
    const agentCode = await agentEnded;
    await console;
    return wasStopping ? agentCode : first.code;
  } finally {
    site.close();
  }
}

/** The processes that run, to which signals are passed on. */
class Supervised {
  readonly #session: Session;
  readonly #children = new Set<ChildProcess>();
  readonly #stopForwarding: () => void;
  readonly #stopped = new AbortController();

  constructor(session: Session) {
    this.#session = session;
    this.#stopForwarding = session.io.onSignal((signal) => {
      this.#stopped.abort();
      // Ctrl-C on a terminal goes to the whole process group: the processes have it already.
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
    // The signal came while it was being started.
    if (this.stopping) child.kill("SIGTERM");
    return child;
  }

  stop(signal: NodeJS.Signals): void {
    this.#stopped.abort();
    for (const child of this.#children) child.kill(signal);
  }

  /** Waits so long, or until everything stops. */
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

/** Ends with the console's exit code when it could not become ready at first, or when everything stops. */
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
      `The site's console ended with exit code ${code}; it is started again in ${pauseMs / 1_000} s. The agent keeps running.`,
    );
    await site.pause(pauseMs);
    if (site.stopping) return code;
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
  }
}

/** Resolves once a process says that it is ready; never if it does not. */
function ready(child: ChildProcess): Promise<true> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      if (message === "ready") resolve(true);
    });
  });
}
