import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import { isMap, parseDocument } from "yaml";
import { systemCode } from "../failure.js";
import { parseJson } from "./reach.js";

/**
 * The HTTP address of the process with this state folder: from the running process's `addresses.json`, otherwise from
 * its configuration, otherwise this machine and the default port.
 */
export async function localHttpUrl(folder: string, defaultPort: number): Promise<string> {
  const running = parseJson((await readOptional(join(folder, "addresses.json"))) ?? "");
  const config = parseDocument((await readOptional(join(folder, "config.yaml"))) ?? "");
  const candidates: unknown[] = [
    (running as { http?: unknown } | undefined)?.http,
    isMap(config.contents) ? config.getIn(["listen", "http"]) : undefined,
  ];
  for (const candidate of candidates) {
    const url = typeof candidate === "string" ? dialable(candidate) : undefined;
    if (url !== undefined) return url;
  }
  return `http://127.0.0.1:${defaultPort}`;
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
