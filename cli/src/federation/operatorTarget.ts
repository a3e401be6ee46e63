import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { defaultPorts } from "@consilium/runtime/home";
import type { Command } from "commander";
import { fileFault } from "../failure.js";
import { localHttpUrl } from "../http/localAddress.js";
import { isLoopback, parseHttpUrl } from "../http/reach.js";
import type { Session } from "../session.js";
import { type OperatorClient, operatorClient } from "./operatorClient.js";

/** The aggregator's address and token: options of every operator verb. */
export interface OperatorOptions {
  readonly aggregator?: string;
  readonly tokenFile?: string;
}

export function addOperatorOptions(command: Command): Command {
  return command
    .option(
      "--aggregator <url>",
      "the aggregator's HTTP address (default: $CONSILIUM_AGGREGATOR, the context's, or the one below --home)",
    )
    .option("--token-file <file>", "the operator's token (default: <home>/aggregator/operator-token)");
}

export async function openOperator(session: Session, options: OperatorOptions): Promise<OperatorClient> {
  const [address, origin] = addressOf(session, options);
  const url =
    address === undefined
      ? await localHttpUrl(session.home.aggregator, defaultPorts.aggregatorHttp)
      : parseHttpUrl(address, origin);
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    session.note(
      `The operator's token is sent to ${url} unencrypted: use https or a tunnel outside a trusted network.`,
    );
  }
  return operatorClient({
    url,
    token: await readToken(session, options, origin),
    interrupted: session.interrupted,
  });
}

const contextOrigin = "the context's aggregator";

/** The aggregator's address, and where it is from; undefined for the one that runs below --home. */
function addressOf(
  { io, context }: Session,
  options: OperatorOptions,
): readonly [address: string | undefined, origin: string] {
  if (options.aggregator !== undefined) return [options.aggregator, "--aggregator"];
  const { CONSILIUM_AGGREGATOR: variable } = io.environment;
  if (variable) return [variable, "CONSILIUM_AGGREGATOR"];
  return [context.aggregator, contextOrigin];
}

/** Whether the command line, the environment or the context names an aggregator, or one is below --home. */
export function namesOperator(session: Session, options: OperatorOptions): boolean {
  const [address] = addressOf(session, options);
  return (
    address !== undefined ||
    options.tokenFile !== undefined ||
    existsSync(join(session.home.aggregator, tokenName))
  );
}

const tokenName = "operator-token";

async function readToken(session: Session, options: OperatorOptions, origin: string): Promise<string> {
  // A context's token is for that context's aggregator, and goes to no other.
  const ofContext = origin === contextOrigin ? session.context.tokenFile : undefined;
  const given = options.tokenFile ?? ofContext;
  const path = given === undefined ? join(session.home.aggregator, tokenName) : session.path(given);
  let token: string;
  try {
    token = (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new ConsiliumError("STATE_MISSING", `operator token ${path}: ${fileFault(cause)}`, {
      remedy: "give the file with --token-file, or the federation's folder with --home",
      cause,
    });
  }
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) {
    throw new ConsiliumError("CONFIG_INVALID", `no operator token in ${path}`, {
      remedy: "give the file that `consilium init` wrote, with --token-file",
    });
  }
  return token;
}
