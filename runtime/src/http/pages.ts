import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ConsiliumError } from "@consilium/core/errors";
import { pathOf } from "@consilium/core/said";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fault } from "../fault.js";
import type { HttpServer } from "./server.js";

type PageEntry = "operator" | "hospital" | "catalogue";

/** What every page of ours may do: run and load what this server serves, and nothing inline. */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};
const compressible = new Set([".html", ".js", ".css", ".json", ".webmanifest", ".svg", ".txt", ".wasm"]);
/** Below this many bytes a compressed answer is hardly smaller. */
const compressFromBytes = 1_024;
/** Files below it carry their hash in their name. */
const hashedFolder = "/assets/";
const brotliQuality = 6;

type Encoding = "br" | "gzip" | "identity";

/** A file of the built pages, in memory, with its compressed forms once they were asked for. */
class Asset {
  readonly type: string;
  readonly #plain: Buffer;
  readonly #hash: string;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  readonly #encodings: readonly Encoding[];

  constructor(name: string, bytes: Buffer) {
    const extension = extname(name);
    this.type = contentTypes[extension] ?? "application/octet-stream";
    this.#plain = bytes;
    this.#hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    const worthwhile = compressible.has(extension) && bytes.length >= compressFromBytes;
    this.#encodings = worthwhile ? ["br", "gzip", "identity"] : ["identity"];
  }

  get text(): string {
    return this.#plain.toString("utf8");
  }

  async send(request: FastifyRequest, reply: FastifyReply, cacheControl: string): Promise<FastifyReply> {
    const accepted = String(request.headers["accept-encoding"] ?? "");
    const encoding =
      this.#encodings.find((one) => one === "identity" || accepts(accepted, one)) ?? "identity";
    const etag = `"${this.#hash}-${encoding}"`;
    reply.headers({ etag, "cache-control": cacheControl, vary: "Accept, Accept-Encoding" });
    const known = String(request.headers["if-none-match"] ?? "");
    if (known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))
      return reply.code(304).send();
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    const body = await this.#in(encoding);
    return reply.headers({ "content-type": this.type, "content-length": body.length }).send(body);
  }

  #in(encoding: Encoding): Promise<Buffer> {
    const made = this.#compressed.get(encoding) ?? compress(this.#plain, encoding);
    this.#compressed.set(encoding, made);
    return made;
  }
}

async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case "br":
      return promisify(brotliCompress)(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      });
    case "gzip":
      return promisify(gzip)(bytes);
    case "identity":
      return bytes;
  }
}

/** Whether an Accept-Encoding field takes an encoding: RFC 9110 section 12.5.3, with the weights only as yes and no. */
function accepts(field: string, encoding: Encoding): boolean {
  const members = field
    .split(",")
    .map((member) => member.split(";").map((part) => part.trim().toLowerCase()));
  const found = members.find(([name]) => name === encoding) ?? members.find(([name]) => name === "*");
  return found !== undefined && !found.slice(1).some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

/** Sends the entry's page from a route of the caller's own. */
export interface Pages {
  /** The entry's page, for a route that puts something of its own into it. */
  readonly html: string;
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/**
 * Serves the built pages of `@consilium/web`: the entry's HTML for every address that a person opens and that no route
 * has, assets by their exact names. Everything is in memory, so no request leads to a path.
 * @param options.folder - of the build; that of the package by default
 * @throws ConsiliumError STATE_MISSING where there is no build
 */
export async function servePages(
  server: HttpServer,
  options: { readonly entry: PageEntry; readonly folder?: string },
): Promise<Pages> {
  const folder = options.folder ?? builtFolder();
  const assets = await readAssets(folder);
  const html = assets.get(`/${options.entry}.html`);
  if (html === undefined) throw notBuilt(folder);
  const send = (request: FastifyRequest, reply: FastifyReply) =>
    html.send(request, reply.header("content-security-policy", pageSecurityPolicy), "no-cache");
  // The other entries' pages are not this server's.
  for (const name of assets.keys()) if (name.endsWith(".html")) assets.delete(name);
  const config = { role: "public" } as const;
  server.get("/*", { config, schema: { hide: true } }, async (request, reply) => {
    const path = request.url.replace(/[?#].*$/s, "");
    const asset = assets.get(path);
    if (asset !== undefined) {
      const isHashed = path.startsWith(hashedFolder);
      return asset.send(request, reply, isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    }
    const isApi = /^\/(?:api|assets)(?:\/|$)/.test(path);
    const isForPeople = /\btext\/html\b/i.test(String(request.headers.accept ?? ""));
    if (isApi || !isForPeople) return reply.callNotFound();
    return send(request, reply);
  });
  return { html: html.text, send };
}

/** Where the build of `@consilium/web` lies; STATE_MISSING where there is no such package. */
export function builtFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@consilium/web/package.json")), "dist");
  } catch {
    throw notBuilt("the package @consilium/web");
  }
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const assets = new Map<string, Asset>();
  for (const entry of entries) {
    if (!entry.isFile() || contentTypes[extname(entry.name)] === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(folder, path).split(sep).join("/")}`;
    assets.set(name, new Asset(name, await readFile(path)));
  }
  return assets;
}

function notBuilt(where: string): ConsiliumError {
  return fault("STATE_MISSING", "http.no-pages", { folder: pathOf(where) }, "http.build");
}
