import type { paths } from "@consilium/runtime/http/openapi/generated/operator";
import type { Command } from "commander";
import type { Client } from "openapi-fetch";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { type Answered, answerOf } from "../http/apiClient.js";
import type { Session } from "../session.js";
import { consoleOf } from "../site/consoleSocket.js";
import { siteState } from "../site/siteState.js";

/** Whose accounts are meant: the aggregator's, or a site's where one is named. */
export interface AccessOptions extends OperatorOptions {
  readonly state?: string;
  readonly site?: string;
}

export function addAccessOptions(command: Command): Command {
  return addOperatorOptions(command)
    .option(
      "--site <site>",
      "a hospital's own accounts, through its running console, instead of the aggregator's",
    )
    .option("--state <folder>", "the same, by the site's state folder");
}

type AccessPaths = Pick<
  paths,
  | "/api/accounts"
  | "/api/accounts/{name}"
  | "/api/accounts/{name}/link"
  | "/api/accounts/{name}/role"
  | "/api/links"
  | "/api/tokens"
  | "/api/tokens/{id}"
>;

interface AccessClient {
  readonly api: Client<AccessPaths>;
  /** The role that may do everything there. */
  readonly all: "operator" | "administrator";
  /** What a call of `api` answered; throws the error that was answered with. */
  answer<T>(call: Promise<Answered<T>>): Promise<T>;
}

/** The process that keeps the accounts: the aggregator by the operator's token, a site by its console's socket. */
export async function openAccess(session: Session, options: AccessOptions): Promise<AccessClient> {
  if (options.site === undefined && options.state === undefined) {
    const { api, remote } = await openOperator(session, options);
    return { api, all: "operator", answer: (call) => answerOf(remote, call) };
  }
  const console = consoleOf(session, await siteState(session, options), answerTimeoutMs);
  // The same routes on both sides (runtime/src/http/access), documented alike.
  const api = console.api as unknown as Client<AccessPaths>;
  return { api, all: "administrator", answer: (call) => console.answer(call) };
}

const answerTimeoutMs = 30_000;
