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
    .summary("run a part of the network: aggregator, publisher or site")
    .description(
      "Runs a part of the network in the foreground until it is told to stop (SIGTERM or Ctrl-C). Its log goes to " +
        "standard error, one JSON object per line. It ends with the process's own exit code.",
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
    .summary("combine what the sites send")
    .description(
      "Runs the aggregator that `consilium init` made. Sites dial it; the operator's verbs talk to it.",
    )
    .option("--state <folder>", "its state folder (default: <home>/aggregator)")
    .addHelpText("after", "\nExample:\n  $ consilium serve aggregator --state /srv/consilium/aggregator");
  program.verb<[ServeOptions]>(aggregator, (session, options) =>
    runServer(session, "aggregator", stateOf(session, options, session.home.aggregator)),
  );
  const publisher = serve
    .command("publisher")
    .summary("publish releases")
    .description(
      "Runs the publisher that `consilium init` made: it takes releases from the aggregator and serves them.",
    )
    .option("--state <folder>", "its state folder (default: <home>/publisher)")
    .addHelpText("after", "\nExample:\n  $ consilium serve publisher --state /srv/consilium/publisher");
  program.verb<[ServeOptions]>(publisher, (session, options) =>
    runServer(session, "publisher", stateOf(session, options, session.home.publisher)),
  );
  const site = serve
    .command("site")
    .summary("run a hospital's agent beside its data, and its console")
    .description(
      "Runs a hospital that has enrolled with `consilium site enroll`, as two processes. The agent sees the records: it " +
        "dials the aggregator and listens on nothing but a Unix socket in the state folder. The console serves the " +
        "pages and keeps their accounts: it sees neither tables nor keys, and asks the agent over that socket. When the " +
        "agent ends, so does the console; a console that ends is started again, and studies go on meanwhile.",
    )
    .option("--state <folder>", "its state folder (default: <home>/sites/<site>)")
    .option("--site <site>", "which site, where several have their state below --home")
    .option("--agent-only", "run the agent alone, as in a container of its own")
    .option("--console-only", "run the console alone; it keeps its state in the folder console below --state")
    .option(
      "--socket <path>",
      "where the console asks the agent (default: agent.sock in the state folder, which the agent always has)",
    )
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
    throw new ConsiliumError("STATE_MISSING", `there is no folder ${state}`, {
      remedy: `${remedy}; or give the state folder with --state`,
      cause,
    });
  });
  return state;
}

async function runServer(session: Session, name: "aggregator" | "publisher", state: string): Promise<number> {
  await existing(state, "make the federation first: `consilium init`");
  const child = await startExecutable(session, name, { args: ["--state", state], supervised: false });
  const stopForwarding = session.io.onSignal((signal) => {
    // Ctrl-C on a terminal goes to the whole process group: the process has it already.
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
    throw new ConsiliumError("USAGE", "--agent-only and --console-only exclude each other", {
      remedy: "leave both out to run both processes",
    });
  }
  const state = await existing(await siteState(session, options), "enrol first: `consilium site enroll`");
  return serveSite(session, state, {
    only: agentOnly === true ? "agent" : consoleOnly === true ? "console" : null,
    socket: socket === undefined ? null : session.path(socket),
  });
}
