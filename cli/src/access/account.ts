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

const roleText = "operator or viewer; at a site: administrator or approver";

export function addAccount(program: Program, parent: Command): void {
  const account = parent
    .command("account")
    .summary("manage accounts of the web pages")
    .description(
      "Accounts of the operator's pages, or with --site of a hospital's. People set their own passwords through " +
        "a one-time link; no one else learns them.",
    )
    .addHelpText("after", "\nExample:\n  $ consilium account list");
  const list = addAccessOptions(
    account
      .command("list")
      .summary("list the accounts")
      .description("Lists the accounts with their roles and last sign-ins."),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium account list\n  $ consilium account list --site st-mary --json",
  );
  program.list<[AccessOptions]>(list, listAccounts);
  const add = addAccessOptions(
    account
      .command("add")
      .summary("add an account: prints its one-time link")
      .description(
        "Adds an account and prints a one-time link to set its password, valid for a day. Send it " +
          "over a trusted channel.",
      )
      .argument("<name>", "lowercase letters and digits, with . _ @ - between them")
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
        "Prints a one-time link, valid for a day. With a name, it sets a new password for that account, which ends its " +
          "sessions. Without a name, it creates an account whose name its user chooses.",
      )
      .argument("[name]", "the account")
      .addOption(roleOption("the new account's role, without a name (default: the one with full access)")),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium account link vera\n  $ consilium account link --site st-mary",
  );
  program.verb<[string | undefined, AccessOptions & { role?: AccountRole }]>(link, makeLink);
  const role = addAccessOptions(
    account
      .command("role")
      .summary("change an account's role")
      .description("Changes an account's role, effective from its next request.")
      .argument("<name>", "the account")
      .argument("<role>", roleText),
  ).addHelpText("after", "\nExample:\n  $ consilium account role vera operator");
  program.verb<[string, string, AccessOptions]>(role, changeRole);
  const remove = addAccessOptions(
    account
      .command("remove")
      .summary("remove an account and end its sessions")
      .description("Removes an account and signs it out everywhere.")
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
  const none = "No accounts yet. Create a link for the first one: consilium account link";
  session.printList(accounts, {
    name: ({ name }) => name,
    text: () => (accounts.length === 0 ? none : accountsTable(accounts, session)),
  });
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
      return "none yet: link not used";
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
    link.name === null ? `Link to create an account (${link.role})` : `Link for ${printable(link.name)}`;
  session.print(`${whose}, valid once, until ${minuteText(link.expiresAt)} UTC:\n\n  ${printable(link.url)}`);
}

async function changeRole(
  session: Session,
  name: string,
  role: string,
  options: AccessOptions,
): Promise<undefined> {
  const parsed = accountRoleSchema.safeParse(role);
  if (!parsed.success) {
    throw new ConsiliumError("USAGE", `unknown role ${role}`, { remedy: `use ${roleText}` });
  }
  const { api, answer } = await openAccess(session, options);
  const account = await answer(
    api.POST("/api/accounts/{name}/role", { params: { path: { name } }, body: { role: parsed.data } }),
  );
  if (session.json) session.printJson(account);
  else session.print(`Role of ${printable(account.name)}: ${printable(account.role)}.`);
  return;
}

async function removeOne(session: Session, name: string, options: AccessOptions): Promise<undefined> {
  const { api, answer } = await openAccess(session, options);
  await answer(api.DELETE("/api/accounts/{name}", { params: { path: { name } } }));
  if (session.json) session.printJson({ removed: name });
  else session.print(`Removed ${name}.`);
  return;
}
