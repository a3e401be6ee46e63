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
    .option("--aggregator <url>", "the aggregator's HTTP address (default: the one running below --home)")
    .option("--token-file <file>", "the operator's token (default: <home>/aggregator/operator-token)");
}

export async function openOperator(session: Session, options: OperatorOptions): Promise<OperatorClient> {
  const url =
    options.aggregator === undefined
      ? await localHttpUrl(session.home.aggregator, defaultPorts.aggregatorHttp)
      : parseHttpUrl(options.aggregator, "--aggregator");
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    session.note(
      `The operator's token is sent to ${url} unencrypted: use https or a tunnel outside a trusted network.`,
    );
  }
  return operatorClient({ url, token: await readToken(session, options), interrupted: session.interrupted });
}

async function readToken(session: Session, options: OperatorOptions): Promise<string> {
  const path =
    options.tokenFile === undefined
      ? join(session.home.aggregator, "operator-token")
      : session.path(options.tokenFile);
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
