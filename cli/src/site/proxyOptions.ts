import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { parseProxyUrl, proxyFor, type WebProxy } from "@consilium/runtime/network/proxy";
import { proxyConfigSchema } from "@consilium/runtime/network/proxyConfig";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import type { Command } from "commander";
import { isMap, parseDocument } from "yaml";
import type { Session } from "../session.js";

/** The proxy options of `site enroll`; `proxy` is false for `--no-proxy`. */
export interface ProxyOptions {
  readonly proxy?: string | boolean;
  readonly proxyUser?: string;
  readonly proxyPasswordFile?: string;
  readonly proxyCa?: string;
}

/** Adds the proxy options to a verb. */
export function addProxyOptions(command: Command): Command {
  return command
    .option(
      "--proxy <url>",
      "go through a web proxy: http://proxy:3128, https:// for TLS to it (default: $HTTPS_PROXY)",
    )
    .option("--no-proxy", "connect directly, ignoring the environment")
    .option("--proxy-user <name>", "the user name for the proxy")
    .option("--proxy-password-file <file>", "a file with that user's password; read when needed, not copied")
    .option("--proxy-ca <file>", "the CA of the proxy's certificate, PEM");
}

/**
 * `proxy:` of the site's config.yaml, paths absolute; null to use the environment.
 * @throws ConsiliumError USAGE
 */
export function proxyOption(session: Session, options: ProxyOptions): "none" | Record<string, string> | null {
  const { proxy, proxyUser, proxyPasswordFile, proxyCa } = options;
  const rest = proxyUser ?? proxyPasswordFile ?? proxyCa;
  if (typeof proxy !== "string") {
    if (rest !== undefined)
      throw new ConsiliumError("USAGE", "--proxy is missing; the other proxy options require it");
    return proxy === false ? "none" : null;
  }
  const url = parseProxyUrl(proxy);
  if (url === null) {
    throw new ConsiliumError("USAGE", "--proxy is not an address such as http://proxy.example.org:3128");
  }
  if (url.password !== "") {
    throw new ConsiliumError("USAGE", "--proxy holds a password, which other users of this machine may see", {
      remedy: "put it into a file, and give that with --proxy-password-file",
    });
  }
  return {
    url: `${url.isTls ? "https" : "http"}://${formatAddress(url.address)}`,
    ...(proxyUser === undefined && url.username === "" ? {} : { username: proxyUser ?? url.username }),
    ...(proxyPasswordFile === undefined ? {} : { passwordFile: session.path(proxyPasswordFile) }),
    ...(proxyCa === undefined ? {} : { ca: session.path(proxyCa) }),
  };
}

/** The proxy between a site and the aggregator, from its config.yaml and the environment. */
export async function siteProxy(
  session: Session,
  state: string,
  aggregator: string,
): Promise<WebProxy | null> {
  const configPath = join(state, "config.yaml");
  const document = parseDocument(await readFile(configPath, "utf8"));
  const written: unknown = isMap(document.contents)
    ? (document.toJS() as { proxy?: unknown }).proxy
    : undefined;
  const config = proxyConfigSchema.safeParse(written ?? "environment");
  if (!config.success) {
    throw new ConsiliumError("CONFIG_INVALID", `${configPath}: proxy: ${config.error.issues[0]!.message}`);
  }
  return proxyFor(unwrap(parseAddress(aggregator)), {
    config: config.data,
    configPath,
    environment: session.io.environment,
  });
}

/** One line about the proxy, if the connection is not direct. */
export function proxyText(proxy: WebProxy | null): string {
  if (proxy === null) return "";
  const kept =
    proxy.source === "config.yaml"
      ? "it is in the config"
      : `by ${proxy.source}: the agent needs that variable too, or \`proxy:\` in the config`;
  return `  proxy         ${formatAddress(proxy)}; ${kept}\n`;
}
