import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let folder: string;
let server: Server;
let url: string;
/** The bearer tokens that came, by path. */
let came: { path: string; token: string | undefined }[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-context-"));
  came = [];
  server = createServer((request, response) => {
    came.push({ path: request.url ?? "", token: request.headers.authorization });
    const releases = { total: 0, releases: [] };
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify(request.url?.startsWith("/api/releases") ? releases : []));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of ["own", "other"]) {
    await mkdir(join(folder, name, "aggregator"), { recursive: true });
    await writeFile(join(folder, name, "aggregator", "operator-token"), `of-${name}\n`);
    await writeFile(join(folder, `${name}.token`), `file-of-${name}\n`);
  }
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function run(argv: string[], environment: NodeJS.ProcessEnv = {}) {
  const io = capturedIo({ environment: { HOME: folder, ...environment }, workingFolder: folder });
  const code = await runCli(argv, io);
  return { code, out: io.out(), err: io.err() };
}

describe("a context", () => {
  it("is made, listed, used and removed, and has no token in its file", async () => {
    expect((await run(["context", "list"])).out).toContain("No contexts yet");
    await run(["context", "set", "ops", "--aggregator", url, "--token-file", "own.token"]);
    await run(["context", "set", "heart", "--publisher", `${url}/`, "--home", "own"]);
    expect((await run(["context", "list"])).out).toMatch(/\* +ops .*\n +heart/);
    await run(["context", "use", "heart"]);
    const listed = JSON.parse((await run(["context", "list", "--json"])).out);
    expect(listed).toEqual({
      current: "heart",
      contexts: {
        ops: { aggregator: url, tokenFile: join(folder, "own.token") },
        heart: { home: join(folder, "own"), publisher: url },
      },
    });
    const file = join(folder, ".config", "consilium", "contexts.json");
    expect(await readFile(file, "utf8")).not.toContain("of-own");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await run(["context", "remove", "heart"])).out).toContain("No context is in use");
  });

  it("gives the addresses and the token that options leave open", async () => {
    await run([
      "context",
      "set",
      "ops",
      "--aggregator",
      url,
      "--token-file",
      "own.token",
      "--publisher",
      url,
    ]);
    expect((await run(["study", "list"])).code).toBe(0);
    expect((await run(["release", "list"])).code).toBe(0);
    expect(came.map(({ token }) => token)).toEqual(["Bearer file-of-own", undefined]);
  });

  it("comes after the environment, and that after options", async () => {
    await run(["context", "set", "ops", "--publisher", "http://127.0.0.1:1"]);
    expect((await run(["release", "list"])).code).toBe(3);
    expect((await run(["release", "list"], { CONSILIUM_PUBLISHER: url })).code).toBe(0);
    const dead = { CONSILIUM_PUBLISHER: "http://127.0.0.1:1" };
    expect((await run(["release", "list"], dead)).code).toBe(3);
    expect((await run(["release", "list", "--publisher", url], dead)).code).toBe(0);
    await run(["context", "set", "live", "--publisher", url]);
    expect((await run(["--context", "live", "release", "list"])).code).toBe(0);
    expect((await run(["release", "list"], { CONSILIUM_CONTEXT: "live" })).code).toBe(0);
  });

  it("has a token that goes to its own aggregator alone", async () => {
    await run(["context", "set", "ops", "--aggregator", "http://127.0.0.1:1", "--token-file", "own.token"]);
    const home = { CONSILIUM_HOME: join(folder, "other") };
    await run(["study", "list", "--aggregator", url], home);
    await run(["study", "list"], { ...home, CONSILIUM_AGGREGATOR: url });
    await run(["--home", "other", "study", "list", "--aggregator", url]);
    expect(came.map(({ token }) => token)).toEqual(Array(3).fill("Bearer of-other"));
    // The context's file names the address, and another folder's token does not go there.
    await run(["context", "set", "ops", "--aggregator", url]);
    came = [];
    expect((await run(["--home", "other", "study", "list"])).code).toBe(3);
    expect(came).toEqual([]);
    await run(["study", "list"]);
    expect(came.map(({ token }) => token)).toEqual(["Bearer file-of-own"]);
  });

  it.each([
    [["--context", "none", "study", "list"], 2, 'no context "none"'],
    [["context", "use", "none"], 2, 'no context "none"'],
    [["context", "set", "../x", "--publisher", "http://p"], 2, "is not a name for a context"],
    [["context", "set", "__proto__", "--publisher", "http://p"], 2, "is not a name for a context"],
    [["context", "set", "empty"], 2, "give at least one of"],
    [["context", "set", "bad", "--publisher", "ftp://p"], 2, "--publisher"],
  ])("%j is refused", async (argv, code, fault) => {
    const done = await run(argv);
    expect([done.code, done.err]).toEqual([code, expect.stringContaining(fault)]);
  });

  it("of a file that is damaged is refused, with what to do", async () => {
    const file = join(folder, "c.json");
    for (const text of [
      "{",
      "[]",
      '{"current":"x","contexts":{}}',
      '{"current":null,"contexts":{"a":{"token":"x"}}}',
    ]) {
      await writeFile(file, text);
      const { code, err } = await run(["study", "list"], { CONSILIUM_CONFIG: file });
      expect([code, err], text).toEqual([1, expect.stringContaining("is not a list of contexts")]);
    }
  });
});
