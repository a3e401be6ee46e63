import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { nameOf, pathOf } from "@consilium/core/said";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { fault } from "../fault.js";
import { readSecretFile, resolveBeside } from "../secretFile.js";
import type { Address } from "../tls/address.js";
import { type ProxyConfig, proxyVariables } from "./proxyConfig.js";

/** A proxy that opens tunnels with HTTP's CONNECT (RFC 9110, 9.3.6). */
export interface WebProxy extends Address {
  /** TLS to the proxy itself. */
  readonly isTls: boolean;
  /** What the proxy's own certificate must come from; null for the authorities that Node knows. */
  readonly caPem: string | null;
  /** The password is read anew for each connection, so that it may be changed while a process runs. */
  readonly credentials: { readonly username: string; readonly password: () => Promise<SecretBytes> } | null;
  /** Where it was set, for messages: `config.yaml` or the name of a variable. */
  readonly source: string;
}

const noProxyVariables = ["no_grpc_proxy", "no_proxy", "NO_PROXY"] as const;
/** Beside a proxy from the environment: a file with its password, and one with its certificate authority. */
const passwordFileVariable = "CONSILIUM_PROXY_PASSWORD_FILE";
const caFileVariable = "CONSILIUM_PROXY_CA";

/**
 * The proxy for an address, or null for a direct connection.
 * @param options.configPath - of the configuration file, for the paths in it
 * @throws ConsiliumError CONFIG_INVALID naming the key or the variable
 */
export function proxyFor(
  address: Address,
  options: {
    readonly config: ProxyConfig;
    readonly configPath: string;
    readonly environment: NodeJS.ProcessEnv;
  },
): WebProxy | null {
  const { config, environment } = options;
  if (config === "none") return null;
  if (config === "environment") return proxyFromEnvironment(address, environment);
  if (isExempt(address, config.noProxy)) return null;
  const file = pathOf(options.configPath);
  const url = parseProxyUrl(config.url);
  if (url === null) throw fault("CONFIG_INVALID", "proxy.url", { file });
  if (url.password !== "") throw fault("CONFIG_INVALID", "proxy.password-in-url", { file });
  const username = config.username ?? url.username;
  if (config.passwordFile !== undefined && username === "")
    throw fault("CONFIG_INVALID", "proxy.no-username", { file });
  const path = (written: string) => resolveBeside(options.configPath, written);
  const { passwordFile } = config;
  return {
    ...url.address,
    isTls: url.isTls,
    caPem: config.ca === undefined ? null : readCa(path(config.ca), "proxy.ca"),
    credentials:
      username === ""
        ? null
        : {
            username,
            password: async () =>
              passwordFile === undefined
                ? new SecretBytes(new Uint8Array())
                : readSecretFile(path(passwordFile), "proxy.passwordFile"),
          },
    source: "config.yaml",
  };
}

/** As `proxyFor`, by the environment alone. */
export function proxyFromEnvironment(address: Address, environment: NodeJS.ProcessEnv): WebProxy | null {
  const variable = proxyVariables.find((name) => environment[name]);
  if (variable === undefined) return null;
  const exempt = environment[noProxyVariables.find((name) => environment[name]) ?? ""] ?? "";
  if (isExempt(address, exempt.split(/[\s,]+/))) return null;
  const url = parseProxyUrl(environment[variable]!);
  if (url === null) {
    throw fault("CONFIG_INVALID", "proxy.variable", { variable: nameOf(variable) }, "proxy.correct-variable");
  }
  const passwordFile = environment[passwordFileVariable];
  const caFile = environment[caFileVariable];
  const inUrl = new SecretBytes(Buffer.from(url.password, "utf8"));
  return {
    ...url.address,
    isTls: url.isTls,
    caPem: caFile ? readCa(caFile, caFileVariable) : null,
    credentials:
      url.username === ""
        ? null
        : {
            username: url.username,
            password: async () => (passwordFile ? readSecretFile(passwordFile, passwordFileVariable) : inUrl),
          },
    source: variable,
  };
}

function readCa(path: string, key: string): string {
  try {
    const pem = readFileSync(path, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unreadable";
    throw fault(
      "CONFIG_INVALID",
      "file.unreadable",
      { key: nameOf(key), file: pathOf(path), code: nameOf(code) },
      { remedy: "file.check", cause },
    );
  }
  throw fault(
    "CONFIG_INVALID",
    "proxy.no-certificate",
    { key: nameOf(key), file: pathOf(path) },
    "proxy.ask-certificate",
  );
}

interface ProxyUrl {
  readonly address: Address;
  readonly isTls: boolean;
  readonly username: string;
  readonly password: string;
}

/** `[http[s]://][user[:password]@]host[:port]`; without a port, 80 or 443, as curl and grpc-js have it. */
export function parseProxyUrl(written: string): ProxyUrl | null {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  let url: URL;
  let username: string;
  let password: string;
  try {
    url = new URL(text);
    username = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
  } catch {
    return null;
  }
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") return null;
  if (url.pathname.replace(/\/$/, "") !== "" || url.search !== "" || username.includes(":")) return null;
  const isTls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
  return { address: { host, port }, isTls, username, password };
}

/**
 * Whether an address bypasses the proxy: by `*`, a host or domain (with or without a leading dot; it means
 * its subdomains too), an IP address, a network such as 10.0.0.0/8, each of the names also with `:port`.
 */
export function isExempt(address: Address, entries: readonly string[]): boolean {
  const host = address.host.toLowerCase().replace(/\.$/, "");
  return entries.some((written) => {
    const entry = written.trim().toLowerCase();
    if (entry === "") return false;
    if (entry === "*") return true;
    const withPort = /^(.+):(\d{1,5})$/.exec(entry);
    const hasPort = withPort !== null && isIP(entry) === 0;
    if (hasPort && Number(withPort[2]) !== address.port) return false;
    const name = (hasPort ? withPort[1]! : entry).replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0) return isIP(name) !== 0 ? inNetwork(host, name) : inNetwork(host, entry);
    const domain = name.replace(/^\*?\./, "");
    return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
  });
}

/** @param network - an address, or one with the length of its prefix */
function inNetwork(host: string, network: string): boolean {
  const [base = "", length, more] = network.split("/");
  const version = isIP(base);
  if (version === 0 || version !== isIP(host) || more !== undefined) return false;
  const family = version === 6 ? "ipv6" : "ipv4";
  const prefix = length === undefined ? (version === 6 ? 128 : 32) : Number(length);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > (version === 6 ? 128 : 32) || length === "")
    return false;
  const list = new BlockList();
  list.addSubnet(base, prefix, family);
  return list.check(host, family);
}
