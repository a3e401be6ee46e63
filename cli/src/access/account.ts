import {
  type AccountRole,
  type AccountView,
  accountRoleSchema,
  type OneTimeLinkView,
} from "@consilium/core/access/views";
import { ConsiliumError } from "@consilium/core/errors";
import { type Command, Option } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { minuteText, printable, table } from "../terminal/layout.js";
import { type AccessOptions, addAccessOptions, openAccess } from "./accessTarget.js";

const roleText = "operator or viewer; at a site administrator or approver";

export function addAccount(program: Program, parent: Command): void {
  const account = parent
    .command("account")
    .summary("who may sign in to the pages")
    .description(
      "Accounts of the operator's pages, or with --site of a hospital's. Passwords are set by their persons, through " +
        "a one-time link, and nobody else learns them.",
    )
    .addHelpText("after", "\nExample:\n  $ consilium account list");
  const list = addAccessOptions(
    account
      .command("list")
      .summary("list the accounts")
      .description("Lists who may sign in, with which role, and when they last did."),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium account list\n  $ consilium account list --site st-mary --json",
  );
  program.verb<[AccessOptions]>(list, listAccounts);
  const add = addAccessOptions(
    account
      .command("add")
      .summary("add an account: prints its one-time link")
      .description(
        "Adds an account and prints the one-time link by which its person sets the password, within a day. Send it " +
          "over a channel you trust.",
      )
      .argument("<name>", "small letters, digits, and . _ @ - between them")
      .addOption(roleOption().makeOptionMandatory()),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium account add vera --role viewer\n  $ consilium account add dr.ada --role approver --site st-mary",
  );
  program.verb<[string, AccessOptions & { role: AccountRole }]>(add, addOne);
  const link = addAccessOptions(
    account
      .command("link")
      .summary("print a one-time link to sign in with")
      .description(
        "Prints a one-time link, good for a day. With a name: to set a new password for that account, which ends its " +
          "sessions. Without: to make an account of one's own choice of name.",
      )
      .argument("[name]", "the account")
      .addOption(
        roleOption("the new account's role, without a name (default: the one that may do everything)"),
      ),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium account link vera\n  $ consilium account link --site st-mary",
  );
  program.verb<[string | undefined, AccessOptions & { role?: AccountRole }]>(link, makeLink);
  const role = addAccessOptions(
    account
      .command("role")
      .summary("change an account's role")
      .description("Changes what an account may do, from its next request on.")
      .argument("<name>", "the account")
      .argument("<role>", roleText),
  ).addHelpText("after", "\nExample:\n  $ consilium account role vera operator");
  program.verb<[string, string, AccessOptions]>(role, changeRole);
  const remove = addAccessOptions(
    account
      .command("remove")
      .summary("remove an account and end its sessions")
      .description("Removes an account; whoever is signed in to it is signed out.")
      .argument("<name>", "the account"),
  ).addHelpText("after", "\nExample:\n  $ consilium account remove vera");
  program.verb<[string, AccessOptions]>(remove, removeOne);
}

export function roleOption(description = roleText): Option {
  return new Option("--role <role>", description).choices(accountRoleSchema.options);
}

async function listAccounts(session: Session, options: AccessOptions): Promise<undefined> {
  const { api, answer } = await openAccess(session, options);
  const accounts = await answer(api.GET("/api/accounts"));
  if (session.json) session.printJson(accounts);
  else if (accounts.length === 0)
    session.print("No account yet. Make a link to the first: consilium account link");
  else session.print(accountsTable(accounts, session));
  return;
}

function accountsTable(accounts: readonly AccountView[], { style }: Session): string {
  return table(
    accounts,
    [
      { title: "NAME", cell: ({ name }) => printable(name) },
      { title: "ROLE", cell: ({ role }) => printable(role) },
      { title: "SIGNS IN BY", cell: ({ method }) => methodText(method) },
      { title: "LAST SIGNED IN", cell: ({ lastSignInAt }) => minuteText(lastSignInAt) },
      { title: "SINCE", cell: ({ createdAt }) => minuteText(createdAt) },
    ],
    style,
  );
}

function methodText(method: AccountView["method"]): string {
  switch (method) {
    case "password":
      return "password";
    case "oidc":
      return "identity provider";
    case "link":
      return "nothing yet: a link is out";
    default:
      return printable(String(method));
  }
}

async function addOne(
  session: Session,
  name: string,
  options: AccessOptions & { role: AccountRole },
): Promise<undefined> {
  const { api, answer } = await openAccess(session, options);
  const link = await answer(api.POST("/api/accounts", { body: { name, role: options.role } }));
  showLink(session, link);
  return;
}

async function makeLink(
  session: Session,
  name: string | undefined,
  options: AccessOptions & { role?: AccountRole },
): Promise<undefined> {
  if (name !== undefined && options.role !== undefined) {
    throw new ConsiliumError("USAGE", "--role is for a link without a name", {
      remedy: "change an account's role with `consilium account role`",
    });
  }
  const { api, answer, all } = await openAccess(session, options);
  const link =
    name === undefined
      ? await answer(api.POST("/api/links", { body: { role: options.role ?? all } }))
      : await answer(api.POST("/api/accounts/{name}/link", { params: { path: { name } } }));
  showLink(session, link);
  return;
}

function showLink(session: Session, link: OneTimeLinkView): void {
  if (session.json) {
    session.printJson(link);
    return;
  }
  const whose =
    link.name === null ? `A link to make an account (${link.role})` : `Link for ${printable(link.name)}`;
  session.print(
    `${whose}, to be used once, until ${minuteText(link.expiresAt)} UTC:\n\n  ${printable(link.url)}`,
  );
}

async function changeRole(
  session: Session,
  name: string,
  role: string,
  options: AccessOptions,
): Promise<undefined> {
  const parsed = accountRoleSchema.safeParse(role);
  if (!parsed.success) {
    throw new ConsiliumError("USAGE", `${role} is no role`, { remedy: `use ${roleText}` });
  }
  const { api, answer } = await openAccess(session, options);
  const account = await answer(
    api.POST("/api/accounts/{name}/role", { params: { path: { name } }, body: { role: parsed.data } }),
  );
  if (session.json) session.printJson(account);
  else session.print(`${printable(account.name)} is ${printable(account.role)} now.`);
  return;
}

async function removeOne(session: Session, name: string, options: AccessOptions): Promise<undefined> {
  const { api, answer } = await openAccess(session, options);
  await answer(api.DELETE("/api/accounts/{name}", { params: { path: { name } } }));
  if (session.json) session.printJson({ removed: name });
  else session.print(`${name} is removed.`);
  return;
}
