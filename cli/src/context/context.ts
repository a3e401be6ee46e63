import { ConsiliumError } from "@consilium/core/errors";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { parseHttpUrl } from "../http/reach.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable, table } from "../terminal/layout.js";
import { type Context, type Contexts, readContexts, unknownContext, writeContexts } from "./contexts.js";

interface SetOptions {
  readonly aggregator?: string;
  readonly tokenFile?: string;
  readonly publisher?: string;
  readonly readerTokenFile?: string;
}

export function addContext(program: Program, parent: Command): void {
  const context = parent
    .command("context")
    .summary("keep the addresses of federations under names")
    .description(
      "A context is a name for the folder and addresses that commands use, so that they need not be given each time. An option " +
        "comes before the environment (CONSILIUM_HOME, CONSILIUM_AGGREGATOR, CONSILIUM_PUBLISHER), and that before the " +
        "context. Contexts are kept in $CONSILIUM_CONFIG, otherwise ~/.config/consilium/contexts.json; tokens stay in " +
        "their own files.",
    )
    .addHelpText(
      "after",
      `
Typical use:
  $ consilium context set heart --publisher https://releases.heart.example.org
  $ consilium context use heart
  $ consilium release list
  $ consilium --context lung release list`,
    );
  const list = context
    .command("list")
    .summary("list the contexts")
    .description("Lists the contexts; the one in use is marked.")
    .addHelpText("after", "\nExample:\n  $ consilium context list");
  program.list<[]>(list, async (session) => {
    const { current, contexts } = await readContexts(session.io);
    const all = Object.entries(contexts).map(([name, one]) => ({ name, current: name === current, ...one }));
    const none = "No contexts yet. Make one: consilium context set <name>";
    session.printList(all, {
      name: ({ name }) => name,
      text: () => (all.length === 0 ? none : contextTable(all, session)),
      value: { current, contexts },
    });
    return exitCodes.ok;
  });
  const set = context
    .command("set")
    .summary("make a context, or change one")
    .description(
      "Sets what the options give and keeps the rest. The first context is used at once; --home is part of it.",
    )
    .argument("<name>", "the context's name")
    .option("--aggregator <url>", "the aggregator's HTTP address")
    .option("--token-file <file>", "the operator's token")
    .option("--publisher <url>", "the publisher's address")
    .option("--reader-token-file <file>", "a reader token of the publisher")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium context set heart --publisher https://releases.heart.example.org
  $ consilium context set ops --aggregator https://consilium.example.org --token-file ops.token
  $ consilium context set test --home /srv/consilium-test`,
    );
  program.verb<[string, SetOptions]>(set, async (session, name, options) => {
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
      throw new ConsiliumError("USAGE", `${JSON.stringify(name)} is not a name for a context`, {
        remedy: "use letters, digits, dots, hyphens and underscores",
      });
    const { current, contexts } = await readContexts(session.io);
    const changed = { ...contexts[name], ...given(session, options) };
    if (Object.keys(changed).length === 0)
      throw new ConsiliumError(
        "USAGE",
        "give at least one of --home, --aggregator, --token-file, --publisher and --reader-token-file",
      );
    return saved(session, { current: current ?? name, contexts: { ...contexts, [name]: changed } });
  });
  const use = context
    .command("use")
    .summary("use a context from now on")
    .description(
      "Commands use this context from now on. `--context <name>` chooses one for a single command.",
    )
    .argument("<name>", "the context's name")
    .addHelpText("after", "\nExample:\n  $ consilium context use heart");
  program.verb<[string]>(use, async (session, name) => {
    const { contexts } = await readContexts(session.io);
    if (!Object.hasOwn(contexts, name)) throw unknownContext(contexts, name);
    return saved(session, { current: name, contexts });
  });
  const remove = context
    .command("remove")
    .summary("remove a context")
    .description("Removes a context; nothing that it names is touched.")
    .argument("<name>", "the context's name")
    .addHelpText("after", "\nExample:\n  $ consilium context remove heart");
  program.verb<[string]>(remove, async (session, name) => {
    const { current, contexts } = await readContexts(session.io);
    if (!Object.hasOwn(contexts, name)) throw unknownContext(contexts, name);
    const { [name]: _, ...rest } = contexts;
    return saved(session, { current: current === name ? null : current, contexts: rest });
  });
}

/** Absolute paths and checked addresses: a context is used from any folder. */
function given(session: Session, { aggregator, publisher, tokenFile, readerTokenFile }: SetOptions): Context {
  return {
    ...(session.givenHome !== null && { home: session.givenHome }),
    ...(aggregator !== undefined && { aggregator: parseHttpUrl(aggregator, "--aggregator") }),
    ...(tokenFile !== undefined && { tokenFile: session.path(tokenFile) }),
    ...(publisher !== undefined && { publisher: parseHttpUrl(publisher, "--publisher") }),
    ...(readerTokenFile !== undefined && { readerTokenFile: session.path(readerTokenFile) }),
  };
}

async function saved(session: Session, contexts: Contexts): Promise<number> {
  const file = await writeContexts(session.io, contexts);
  if (session.json) session.printJson({ file, ...contexts });
  else
    session.print(
      contexts.current === null
        ? "No context is in use."
        : `Context in use: ${session.style.strong(contexts.current)}`,
    );
  return exitCodes.ok;
}

function contextTable(
  all: readonly (Context & { name: string; current: boolean })[],
  session: Session,
): string {
  const cell = (value: string | undefined) => printable(value ?? "-");
  return table(
    all,
    [
      { title: "", cell: ({ current }) => (current ? "*" : " ") },
      { title: "CONTEXT", cell: ({ name }) => printable(name) },
      { title: "HOME", cell: ({ home }) => cell(home) },
      { title: "AGGREGATOR", cell: ({ aggregator }) => cell(aggregator) },
      { title: "PUBLISHER", cell: ({ publisher }) => cell(publisher) },
    ],
    session.style,
  );
}
