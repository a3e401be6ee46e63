import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../log.js";
import { pageSecurityPolicy, servePages } from "./pages.js";
import { createHttpServer, type HttpServer } from "./server.js";

const secret = "not for anybody";
const html = `<!doctype html><title>Operator</title>${"<p>text</p>".repeat(200)}`;
const script = `console.log(${JSON.stringify("words ".repeat(500))})`;
let folder: string;
let server: HttpServer;

async function make(options: Parameters<typeof servePages>[1]): Promise<HttpServer> {
  const made = await createHttpServer({
    log: createLogger({ service: "test", level: "error" }),
    access: () => ({ name: "x", role: "operator" }),
  });
  made.get("/api/sites", { config: { role: "viewer" } }, async () => []);
  await servePages(made, options);
  return made;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-pages-"));
  await mkdir(join(folder, "dist", "assets"), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("secret.txt", secret);
  await write("dist/operator.html", html);
  await write("dist/hospital.html", "<title>Hospital</title>");
  await write("dist/favicon.svg", "<svg/>");
  await write("dist/assets/operator-abc123.js", script);
  await write("dist/assets/operator-abc123.js.map", secret);
  server = await make({ entry: "operator", folder: join(folder, "dist") });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const page = { accept: "text/html,*/*;q=0.8" };

describe("a page", () => {
  it("is the entry's at every address that a person opens, under our policy", async () => {
    for (const url of [
      "/",
      "/studies",
      "/studies/a-1/results?x=1",
      "/index.html",
      "/..;/x",
      "/operator.html",
    ]) {
      const answer = await server.inject({ url, headers: page });
      expect([answer.statusCode, answer.body], url).toEqual([200, html]);
      expect(answer.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy": pageSecurityPolicy,
      });
    }
  });

  it("is not what the API, an asset or another entry that is not there answers", async () => {
    for (const url of ["/api/nothing", "/api", "/assets/none.js", "/assets", "/assets/"]) {
      expect((await server.inject({ url, headers: page })).statusCode, url).toBe(404);
    }
    expect(
      (await server.inject({ url: "/studies", headers: { accept: "application/json" } })).json().code,
    ).toBe("ADDRESS_UNKNOWN");
    expect((await server.inject({ url: "/hospital.html", headers: page })).body).toBe(html);
    expect((await server.inject({ method: "POST", url: "/studies", headers: page })).statusCode).toBe(404);
  });

  it("answers HEAD without a body, and knows what the reader has", async () => {
    const head = await server.inject({ method: "HEAD", url: "/", headers: page });
    expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([
      200,
      "",
      String(html.length),
    ]);
    const { etag } = head.headers;
    const again = await server.inject({ url: "/", headers: { ...page, "if-none-match": `"x", W/${etag}` } });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });
});

describe("an asset", () => {
  const url = "/assets/operator-abc123.js";

  it("comes compressed as the reader takes it, each form with its own tag, permanently", async () => {
    const get = (accepted: string | undefined) =>
      server.inject({ url, headers: accepted === undefined ? {} : { "accept-encoding": accepted } });
    const [brotli, zipped, plain] = await Promise.all([
      get("gzip, br"),
      get("gzip;q=0.5, br;q=0"),
      get(undefined),
    ]);
    expect(brotliDecompressSync(brotli!.rawPayload).toString()).toBe(script);
    expect(gunzipSync(zipped!.rawPayload).toString()).toBe(script);
    expect(plain!.body).toBe(script);
    expect(brotli!.rawPayload.length).toBeLessThan(script.length / 10);
    expect(new Set([brotli, zipped, plain].map((answer) => answer!.headers.etag)).size).toBe(3);
    for (const answer of [brotli, zipped, plain]) {
      expect(answer!.headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        "x-content-type-options": "nosniff",
      });
      expect(answer!.headers.vary).toContain("Accept-Encoding");
    }
    expect((await server.inject({ url: "/favicon.svg" })).headers["cache-control"]).toBe("no-cache");
  });

  it("is never another file, however its address is written", async () => {
    await server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.server.address() as { port: number };
    // Written as they are: clients of HTTP would tidy them.
    const raw = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () =>
          socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n`),
        );
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk;
        });
        socket.on("close", () => resolve(text));
        socket.on("error", reject);
      });
    for (const path of [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/assets/%2e%2e/%2e%2e/secret.txt",
      "/assets/..\\..\\secret.txt",
      "//secret.txt",
      `/${folder}/secret.txt`,
      "/assets/operator-abc123.js.map",
      "/assets/operator-abc123.js%00.map",
      "http://x/../secret.txt",
      "/constructor",
      "/__proto__",
    ]) {
      const answer = await raw(path);
      expect(answer, path).toMatch(/^HTTP\/1\.1 (?:200|400|404) /);
      expect(answer, path).not.toContain(secret);
    }
  });

  it("names what the hash of its content is", async () => {
    const hash = createHash("sha256").update(script).digest("hex").slice(0, 32);
    expect((await server.inject({ url })).headers.etag).toBe(`"${hash}-identity"`);
  });
});

it("says at start what to do where nothing was built", async () => {
  await expect(inEnglish(make({ entry: "operator", folder: join(folder, "none") }))).rejects.toMatchObject({
    code: "STATE_MISSING",
    remedy: "build them with `npm run build`",
  });
  await expect(inEnglish(make({ entry: "catalogue", folder: join(folder, "dist") }))).rejects.toThrow(
    "no built pages",
  );
});
