import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseSiteId } from "@consilium/core/ids";
import { assertNever, unwrap } from "@consilium/core/result";
import type { Command, Option } from "commander";
import { openOperator } from "../federation/operatorTarget.js";
import { commandPath } from "../program.js";
import { openPublisher } from "../release/publisherClient.js";
import { openSession, type Session } from "../session.js";
import { agentOf } from "../site/agentSocket.js";
import { siteState } from "../site/siteState.js";
import type { CliIo } from "../terminal/io.js";

/** Completion values that a shell requests from this program: ids known only to a running process or a folder. */
const valueKinds = ["studies", "sites", "own-sites", "offered", "releases"] as const;
export type ValueKind = (typeof valueKinds)[number];

/** The timeout of a completion request. */
const patienceMs = 1_500;

/** Ids of studies offered at once: the newest. */
const shownMost = 200;

/** The arguments that are ids, by their commands. */
const argumentKinds: Readonly<Record<string, ValueKind>> = {
  "study show": "studies",
  "study watch": "studies",
  "study cancel": "studies",
  "study resume": "studies",
  "study accept": "studies",
  "study proceed": "studies",
  "study extend": "studies",
  "study logs": "studies",
  "study questions": "studies",
  "study answer": "studies",
  "study clone": "studies",
  "study diff": "studies",
  expel: "sites",
  sites: "sites",
  "invitation withdraw": "sites",
  "site show": "offered",
  "site ask": "offered",
  "site approve": "offered",
  "site refuse": "offered",
  "site record": "offered",
  "release get": "releases",
  "release show": "releases",
  "release withdraw": "studies",
  "release supersede": "studies",
};

/** The kind of id that a command's argument takes, if any. */
export function argumentKind(command: Command): ValueKind | null {
  return argumentKinds[commandPath(command)] ?? null;
}

/** The kind of id that an option's value takes, if any. */
export function optionKind(option: Option): ValueKind | null {
  return option.long === "--site" && option.required ? "own-sites" : null;
}

/**
 * Answers one request, `__complete <kind> <words typed so far>`: prints one id per line, and nothing on failure,
 * because errors would clutter the command line.
 */
export async function printValues(io: CliIo, argv: readonly string[]): Promise<void> {
  const kind = valueKinds.find((known) => known === argv[0]);
  if (kind === undefined) return;
  const given = optionsIn(argv.slice(1));
  const quiet: CliIo = { ...io, stderr: { ...io.stderr, write: () => undefined } };
  const { home, context } = given;
  const options = {
    color: false,
    ...(home !== undefined && { home }),
    ...(context !== undefined && { context }),
  };
  const found = await openSession(quiet, options, AbortSignal.timeout(patienceMs))
    .then((session) => idsOf(kind, session, given))
    .catch(() => []);
  for (const id of found) if (/^[\w.-]+$/.test(id)) io.stdout.write(`${id}\n`);
}

interface Given {
  readonly home?: string;
  readonly context?: string;
  readonly state?: string;
  readonly site?: string;
  readonly aggregator?: string;
  readonly publisher?: string;
  readonly tokenFile?: string;
}

const understood = ["home", "context", "state", "site", "aggregator", "publisher", "token-file"];

/** The options on the line that select the process: `--home x` and `--home=x`. */
function optionsIn(words: readonly string[]): Given {
  const found: Record<string, string> = {};
  words.forEach((word, index) => {
    const [, name = "", inline] = /^--([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    const value = inline ?? words[index + 1];
    if (understood.includes(name) && value !== undefined && value !== "") {
      found[name === "token-file" ? "tokenFile" : name] = value;
    }
  });
  return found;
}

async function idsOf(kind: ValueKind, session: Session, given: Given): Promise<string[]> {
  switch (kind) {
    case "studies":
      return (await (await openOperator(session, given)).studies({}, shownMost)).studies.map(({ id }) => id);
    case "sites":
      return (await (await openOperator(session, given)).sites()).map(({ id }) => id);
    case "own-sites": {
      const folder = dirname(session.home.site(unwrap(parseSiteId("any"))));
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    }
    case "offered": {
      const agent = agentOf(session, await siteState(session, given), patienceMs);
      return (await agent.studies({})).map(({ id }) => id);
    }
    case "releases":
      return (await (await openPublisher(session, given)).releases()).map(({ id }) => id);
    default:
      return assertNever(kind);
  }
}
