import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import { systemCode } from "../failure.js";
import { parseJson } from "./reach.js";

/**
 * The HTTP address of the process with this state folder: from the running process's `addresses.json`, otherwise from
 * its configuration, otherwise this machine and the default port.
 */
export async function localHttpUrl(folder: string, defaultPort: number): Promise<string> {
  const running = parseJson((await readOptional(join(folder, "addresses.json"))) ?? "");
  const found = urlOf((running as { http?: unknown } | undefined)?.http);
  if (found !== undefined) return found;
  const text = await readOptional(join(folder, "config.yaml"));
  const configured = text === undefined ? undefined : urlOf(await listenedOf(text));
  return configured ?? `http://127.0.0.1:${defaultPort}`;
}

const urlOf = (listened: unknown) => (typeof listened === "string" ? dialable(listened) : undefined);

async function listenedOf(yaml: string): Promise<unknown> {
  const { isMap, parseDocument } = await import("yaml");
  const config = parseDocument(yaml);
  return isMap(config.contents) ? config.getIn(["listen", "http"]) : undefined;
}

/** The address to connect to for a listening address; undefined if unknown, as for port 0. */
export function dialable(listened: string): string | undefined {
  const scheme = /^(https?):\/\/(.+?)\/*$/.exec(listened);
  const parsed = parseAddress(scheme?.[2] ?? listened);
  if (!parsed.ok || parsed.value.port === 0) return undefined;
  const { host, port } = parsed.value;
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${scheme?.[1] ?? "http"}://${formatAddress({ host: reached, port })}`;
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (systemCode(cause) === "ENOENT" || systemCode(cause) === "ENOTDIR") return undefined;
    throw cause;
  }
}
