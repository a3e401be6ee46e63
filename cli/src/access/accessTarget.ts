import type { paths } from "@consilium/runtime/http/openapi/generated/operator";
import type { Command } from "commander";
import type { Client } from "openapi-fetch";
import {
  addOperatorOptions,
  namesOperator,
  type OperatorOptions,
  openOperator,
} from "../federation/operatorTarget.js";
import { type Answered, answerOf } from "../http/apiClient.js";
import type { Session } from "../session.js";
import { consoleOf } from "../site/consoleSocket.js";
import { siteState, sitesBelow } from "../site/siteState.js";

/** Selects the accounts: the aggregator's, or a site's if one is given. */
export interface AccessOptions extends OperatorOptions {
  readonly state?: string;
  readonly site?: string;
}

export function addAccessOptions(command: Command): Command {
  return addOperatorOptions(command)
    .option(
      "--site <site>",
      "use a hospital's accounts, through its running console (default: the only site below --home, where no aggregator is)",
    )
    .option("--state <folder>", "use a hospital's accounts, by the site's state folder");
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
  /** The role with full access. */
  readonly all: "operator" | "administrator";
  /** The result of a call of `api`; throws the error in an error response. */
  answer<T>(call: Promise<Answered<T>>): Promise<T>;
}

/**
 * The process that manages the accounts: the aggregator, with the operator's token, or a site, by its console's socket.
 */
export async function openAccess(session: Session, options: AccessOptions): Promise<AccessClient> {
  const namesSite = options.site !== undefined || options.state !== undefined;
  if (!namesSite && (namesOperator(session, options) || (await sitesBelow(session)).length === 0)) {
    const { api, remote } = await openOperator(session, options);
    return { api, all: "operator", answer: (call) => answerOf(remote, call) };
  }
  const console = consoleOf(session, await siteState(session, options), answerTimeoutMs);
  // Both have the same routes (runtime/src/http/access), with the same documentation.
  const api = console.api as unknown as Client<AccessPaths>;
  return { api, all: "administrator", answer: (call) => console.answer(call) };
}

const answerTimeoutMs = 30_000;
