import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { ConsiliumError } from "@consilium/core/errors";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { siteState } from "../site/siteState.js";

interface ServeOptions {
  readonly state?: string;
  readonly site?: string;
}

type Package = "aggregator" | "publisher" | "site-agent";

export function addServe(program: Program, parent: Command): void {
  const serve = parent
    .command("serve")
    .summary("run a process: aggregator, publisher or site")
    .description(
      "Runs one of the three processes in the foreground until it is told to stop (SIGTERM or Ctrl-C). Its log goes to " +
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
    runPackage(session, "aggregator", stateOf(session, options, session.home.aggregator)),
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
    runPackage(session, "publisher", stateOf(session, options, session.home.publisher)),
  );
  const site = serve
    .command("site")
    .summary("run a hospital's agent beside its data")
    .description(
      "Runs the agent of a hospital that has enrolled with `consilium site enroll`. It dials the aggregator; nothing " +
        "listens for the outside.",
    )
    .option("--state <folder>", "its state folder (default: <home>/sites/<site>)")
    .option("--site <site>", "which site, where several have their state below --home")
    .addHelpText("after", "\nExample:\n  $ consilium serve site --state /srv/consilium/st-mary");
  program.verb<[ServeOptions]>(site, async (session, options) =>
    runPackage(session, "site-agent", await siteState(session, options)),
  );
}

function stateOf(session: Session, options: ServeOptions, fallback: string): string {
  return options.state === undefined ? fallback : session.path(options.state);
}

/** The built executable of a package beside this one, from `cli/dist/serve/` as from `cli/src/serve/`. */
export function executableOf(name: Package, entry = "main"): string {
  return fileURLToPath(new URL(`../../../${name}/dist/${entry}.js`, import.meta.url));
}

async function runPackage(session: Session, name: Package, state: string): Promise<number> {
  const executable = executableOf(name);
  await access(state).catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `there is no folder ${state}`, {
      remedy:
        name === "site-agent"
          ? "enrol first: `consilium site enroll`; or give the state folder with --state"
          : "make the federation first: `consilium init`; or give the state folder with --state",
      cause,
    });
  });
  await access(executable).catch((cause: unknown) => {
    throw new ConsiliumError("CONFIG_INVALID", `the ${name} is not built: ${executable} is missing`, {
      remedy: "build it: `npm run build` in Consilium's folder",
      cause,
    });
  });
  const child = spawn(process.execPath, [executable, "--state", state], {
    stdio: "inherit",
    cwd: session.io.workingFolder,
    env: session.io.environment,
  });
  const stopForwarding = session.io.onSignal((signal) => {
    // Ctrl-C on a terminal goes to the whole process group: the process has it already.
    if (signal === "SIGINT" && session.io.stdout.isTerminal) return;
    child.kill(signal);
  });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on("error", (cause) =>
        reject(
          new ConsiliumError("CONFIG_INVALID", `the ${name} cannot be started: ${cause.message}`, { cause }),
        ),
      );
      child.on("exit", (code, signal) => {
        // As a shell reports it, so that a supervisor sees what it would have seen of the process itself.
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    stopForwarding();
  }
}
