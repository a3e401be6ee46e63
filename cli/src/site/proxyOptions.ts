import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { parseProxyUrl, proxyConfigSchema, proxyFor, type WebProxy } from "@consilium/runtime/network/proxy";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import type { Command } from "commander";
import { isMap, parseDocument } from "yaml";
import type { Session } from "../session.js";

/** How `site enroll` is told of a proxy; `proxy` is false for `--no-proxy`. */
export interface ProxyOptions {
  readonly proxy?: string | boolean;
  readonly proxyUser?: string;
  readonly proxyPasswordFile?: string;
  readonly proxyCa?: string;
}

/** The options by which a verb is told of a proxy. */
export function addProxyOptions(command: Command): Command {
  return command
    .option(
      "--proxy <url>",
      "go through a web proxy: http://proxy:3128, https:// for TLS to it (default: $HTTPS_PROXY)",
    )
    .option("--no-proxy", "go directly, whatever the environment says")
    .option("--proxy-user <name>", "whom the proxy shall take this hospital for")
    .option("--proxy-password-file <file>", "a file with that user's password; it is read, not copied")
    .option("--proxy-ca <file>", "the authority of the proxy's own certificate, PEM");
}

/**
 * `proxy:` of the site's config.yaml, paths absolute; null to leave it to the environment.
 * @throws ConsiliumError USAGE
 */
export function proxyOption(session: Session, options: ProxyOptions): "none" | Record<string, string> | null {
  const { proxy, proxyUser, proxyPasswordFile, proxyCa } = options;
  const rest = proxyUser ?? proxyPasswordFile ?? proxyCa;
  if (typeof proxy !== "string") {
    if (rest !== undefined)
      throw new ConsiliumError("USAGE", "--proxy is missing, to which the other options belong");
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

/** The proxy on a site's way to the aggregator, by its config.yaml and the environment. */
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

/** One line on the way that was taken, if it is not the direct one. */
export function proxyText(proxy: WebProxy | null): string {
  if (proxy === null) return "";
  const kept =
    proxy.source === "config.yaml"
      ? "it is in the config"
      : `by ${proxy.source}: the agent needs that variable too, or \`proxy:\` in the config`;
  return `  proxy         ${formatAddress(proxy)}; ${kept}\n`;
}
