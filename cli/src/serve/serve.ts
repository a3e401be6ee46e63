import { access } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { siteState } from "../site/siteState.js";
import { exitOf, startExecutable } from "./executables.js";
import { serveSite } from "./serveSite.js";

interface ServeOptions {
  readonly state?: string;
  readonly site?: string;
}

interface ServeSiteFlags extends ServeOptions {
  readonly agentOnly?: boolean;
  readonly consoleOnly?: boolean;
  readonly socket?: string;
}

export function addServe(program: Program, parent: Command): void {
  const serve = parent
    .command("serve")
    .summary("run the aggregator, the publisher or a site")
    .description(
      "Runs one component in the foreground until it is stopped (SIGTERM or Ctrl-C). Its log goes to " +
        "standard error, one JSON object per line. The exit code is the process's own.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ consilium serve aggregator
  $ consilium serve publisher --state /srv/consilium/publisher
  $ consilium serve site --site st-mary`,
    );
  const aggregator = serve
    .command("aggregator")
    .summary("run the aggregator")
    .description(
      "Runs the aggregator created by `consilium init`. Sites and the operator's commands connect to it.",
    )
    .option("--state <folder>", "its state folder (default: <home>/aggregator)")
    .addHelpText("after", "\nExample:\n  $ consilium serve aggregator --state /srv/consilium/aggregator");
  program.verb<[ServeOptions]>(aggregator, (session, options) =>
    runServer(session, "aggregator", stateOf(session, options, session.home.aggregator)),
  );
  const publisher = serve
    .command("publisher")
    .summary("run the publisher")
    .description(
      "Runs the publisher created by `consilium init`: it receives releases from the aggregator and serves them.",
    )
    .option("--state <folder>", "its state folder (default: <home>/publisher)")
    .addHelpText("after", "\nExample:\n  $ consilium serve publisher --state /srv/consilium/publisher");
  program.verb<[ServeOptions]>(publisher, (session, options) =>
    runServer(session, "publisher", stateOf(session, options, session.home.publisher)),
  );
  const site = serve
    .command("site")
    .summary("run a hospital's agent and console")
    .description(
      "Runs a hospital enrolled with `consilium site enroll`. The agent connects to the aggregator and only listens on a Unix " +
        "socket in the state folder; a process beside it reads the tables. The console serves the pages and manages " +
        "their accounts: it has no access to tables or keys, and uses the agent's socket. When the agent ends, so " +
        "does the console; if the console ends, it is restarted while studies continue.",
    )
    .option("--state <folder>", "its state folder (default: <home>/sites/<site>)")
    .option("--site <site>", "the site, if --home has several")
    .option("--agent-only", "run only the agent, as in its own container")
    .option("--console-only", "run only the console; its state is in the folder `console` below --state")
    .option("--socket <path>", "the agent's socket for the console (default: agent.sock in the state folder)")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium serve site --state /srv/consilium/st-mary
  $ consilium serve site --state /state --agent-only --socket /run/consilium/agent.sock`,
    );
  program.verb<[ServeSiteFlags]>(site, runSite);
}

function stateOf(session: Session, options: ServeOptions, fallback: string): string {
  return options.state === undefined ? fallback : session.path(options.state);
}

async function existing(state: string, remedy: string): Promise<string> {
  await access(state).catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `folder not found: ${state}`, {
      remedy: `${remedy}; or give the state folder with --state`,
      cause,
    });
  });
  return state;
}

async function runServer(session: Session, name: "aggregator" | "publisher", state: string): Promise<number> {
  await existing(state, "create the federation first: `consilium init`");
  const child = await startExecutable(session, name, { args: ["--state", state], supervised: false });
  const stopForwarding = session.io.onSignal((signal) => {
    // Ctrl-C on a terminal goes to the whole process group: the process has already received it.
    if (signal === "SIGINT" && session.io.stdout.isTerminal) return;
    child.kill(signal);
  });
  try {
    return await exitOf(child);
  } finally {
    stopForwarding();
  }
}

async function runSite(session: Session, options: ServeSiteFlags): Promise<number> {
  const { agentOnly, consoleOnly, socket } = options;
  if (agentOnly === true && consoleOnly === true) {
    throw new ConsiliumError("USAGE", "--agent-only and --console-only are mutually exclusive", {
      remedy: "omit both to run both processes",
    });
  }
  const state = await existing(await siteState(session, options), "enrol first: `consilium site enroll`");
  return serveSite(session, state, {
    only: agentOnly === true ? "agent" : consoleOnly === true ? "console" : null,
    socket: socket === undefined ? null : session.path(socket),
  });
}
