import { access } from "node:fs/promises";
import type { AccountRole, ApiTokenView } from "@consilium/core/access/views";
import { ConsiliumError } from "@consilium/core/errors";
import {
  addReaderToken,
  listReaderTokens,
  type ReaderTokenView,
  revokeReaderToken,
} from "@consilium/runtime/release/readerTokens";
import { type Command, Option } from "commander";
import { durationOption } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { minuteText, printable, table } from "../terminal/layout.js";
import { type AccessOptions, addAccessOptions, openAccess } from "./accessTarget.js";
import { roleOption } from "./account.js";

interface TokenOptions extends AccessOptions {
  readonly publisher?: boolean;
}

interface AddOptions extends TokenOptions {
  readonly role?: AccountRole;
  readonly release?: string;
  readonly label: string;
  readonly expires?: number;
}

export function addToken(program: Program, parent: Command): void {
  const token = parent
    .command("token")
    .summary("manage tokens of programs and of release readers")
    .description(
      "Tokens for programs: of the operator's API, or with --site of a hospital's. With " +
        "--publisher: tokens for readers of releases that are not open.",
    )
    .addHelpText("after", "\nExample:\n  $ consilium token list");
  const add = addTokenOptions(
    token
      .command("add")
      .summary("create a token; it is shown only once")
      .description(
        "Creates a token and prints it; only its hash is stored. A token for --publisher gives access to one release, or " +
          "with `*` to all; its reader sends it with requests, or signs in to the catalogue with it.",
      )
      .addOption(roleOption())
      .option("--release <id>", "with --publisher: the release that it gives access to, or * for all")
      .requiredOption("--label <text>", "its purpose or owner, shown in the list")
      .addOption(
        new Option("--expires <duration>", "its lifetime (default: until revoked)").argParser(durationOption),
      ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium token add --role viewer --label dashboard --expires 90d
  $ consilium token add --publisher --release vitals-0123456789 --label "Dr Ada"
  $ consilium token add --role viewer --label ci --json | jq -r .token > ci.token`,
  );
  program.verb<[AddOptions]>(add, addOne);
  const list = addTokenOptions(
    token
      .command("list")
      .summary("list the tokens")
      .description("Lists the tokens with their last use, without the tokens themselves."),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium token list\n  $ consilium token list --publisher --json",
  );
  program.list<[TokenOptions]>(list, listTokens);
  const revoke = addTokenOptions(
    token
      .command("revoke")
      .summary("revoke a token")
      .description("Revokes a token immediately, and closes its open connections.")
      .argument("<id>", "its id in the list"),
  ).addHelpText("after", "\nExample:\n  $ consilium token revoke 3f9a1c20b7de");
  program.verb<[string, TokenOptions]>(revoke, revokeOne);
}

function addTokenOptions(command: Command): Command {
  return addAccessOptions(command).option(
    "--publisher",
    "reader tokens of the publisher on this machine (its folder: --state, or <home>/publisher)",
  );
}

async function publisherState(session: Session, options: TokenOptions): Promise<string> {
  const state = options.state === undefined ? session.home.publisher : session.path(options.state);
  await access(state).catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `folder not found: ${state}`, {
      remedy: "run this where the publisher runs, and give its state folder with --state",
      cause,
    });
  });
  return state;
}

async function addOne(session: Session, options: AddOptions): Promise<undefined> {
  const made =
    options.publisher === true ? await addForReader(session, options) : await addForProgram(session, options);
  if (session.json) {
    session.printJson(made);
    return;
  }
  const until = made.expiresAt === null ? "it is revoked" : `${minuteText(made.expiresAt)} UTC`;
  session.print(
    `Token ${made.id} for ${printable(made.label)}, until ${until}. It is shown only once:\n\n${made.token}`,
  );
  return;
}

async function addForReader(session: Session, options: AddOptions) {
  const { release, label, expires, role } = options;
  if (release === undefined || role !== undefined) {
    throw new ConsiliumError("USAGE", "a reader token needs a release and no role", {
      remedy: "give --release <id>, or --release * for every one",
    });
  }
  const now = Date.now();
  const expiresAtMs = expires === undefined ? undefined : now + expires;
  return addReaderToken(await publisherState(session, options), { release, label, now, expiresAtMs });
}

async function addForProgram(session: Session, options: AddOptions) {
  const { release, label, expires, role } = options;
  if (role === undefined || release !== undefined) {
    throw new ConsiliumError("USAGE", "a program's token needs a role and no release", {
      remedy: "give --role, or --publisher and --release for a reader token",
    });
  }
  const { api, answer } = await openAccess(session, options);
  const body = { role, label, ...(expires === undefined ? {} : { expiresInMs: expires }) };
  return answer(api.POST("/api/tokens", { body }));
}

async function listTokens(session: Session, options: TokenOptions): Promise<undefined> {
  if (options.publisher === true) {
    const tokens = await listReaderTokens(await publisherState(session, options));
    show(session, tokens, readersTable);
    return;
  }
  const { api, answer } = await openAccess(session, options);
  show(session, await answer(api.GET("/api/tokens")), programsTable);
  return;
}

function show<T extends { readonly id: string }>(
  session: Session,
  tokens: readonly T[],
  text: (tokens: readonly T[], session: Session) => string,
): void {
  session.printList(tokens, {
    name: ({ id }) => id,
    text: () => (tokens.length === 0 ? "No token." : text(tokens, session)),
  });
}

function programsTable(tokens: readonly ApiTokenView[], { style }: Session): string {
  return table(
    tokens,
    [
      { title: "ID", cell: ({ id }) => printable(id) },
      { title: "ROLE", cell: ({ role }) => printable(role) },
      { title: "LABEL", cell: ({ label }) => printable(label) },
      { title: "LAST USED", cell: ({ lastUsedAt }) => minuteText(lastUsedAt) },
      { title: "UNTIL", cell: ({ expiresAt }) => minuteText(expiresAt) },
      { title: "MADE BY", cell: ({ createdBy }) => printable(createdBy) },
    ],
    style,
  );
}

function readersTable(tokens: readonly ReaderTokenView[], { style }: Session): string {
  return table(
    tokens,
    [
      { title: "ID", cell: ({ id }) => id },
      { title: "RELEASE", cell: ({ release }) => printable(release) },
      { title: "LABEL", cell: ({ label }) => printable(label) },
      { title: "MADE", cell: ({ createdAt }) => minuteText(createdAt) },
      { title: "UNTIL", cell: ({ expiresAt }) => minuteText(expiresAt) },
    ],
    style,
  );
}

async function revokeOne(session: Session, id: string, options: TokenOptions): Promise<undefined> {
  if (options.publisher === true) await revokeReaderToken(await publisherState(session, options), id);
  else {
    const { api, answer } = await openAccess(session, options);
    await answer(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }));
  }
  if (session.json) session.printJson({ revoked: id });
  else session.print(`Revoked token ${id}.`);
  return;
}
