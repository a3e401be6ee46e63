import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLineCaller } from "@consilium/runtime/http/access/access";
import { siteRoles } from "@consilium/runtime/http/access/accountRoles";
import { createHttpServer } from "@consilium/runtime/http/server";
import { createLogger } from "@consilium/runtime/log";
import { goodPassword, testService } from "@consilium/runtime/testing/http/access/service";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const token = "operator-token-of-this-test-0123456789";
let home: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-account-"));
  closing.push(() => rm(home, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function run(...argv: string[]) {
  const io = capturedIo({ workingFolder: home, environment: { CONSILIUM_HOME: home } });
  return { exitCode: await runCli(argv, io), out: io.out(), err: io.err() };
}

async function aggregator() {
  const service = await testService({ rootToken: { token, name: "operator-token" } });
  closing.push(service.close);
  await mkdir(join(home, "aggregator"));
  await writeFile(join(home, "aggregator", "operator-token"), `${token}\n`);
  await writeFile(
    join(home, "aggregator", "addresses.json"),
    JSON.stringify({ http: `127.0.0.1:${service.port}` }),
  );
  return service;
}

const secretOf = (text: string) => /\/setup#([\w-]{43})/.exec(text)![1]!;

describe("consilium account", () => {
  it("adds accounts by link, lists, changes and removes them", async () => {
    const service = await aggregator();
    expect((await run("account", "list")).out).toContain("consilium account link");
    const first = await run("account", "link", "--json");
    const link = JSON.parse(first.out);
    expect(link).toMatchObject({ name: null, role: "operator" });
    const browser = service.browser();
    const setUp = (secret: string, name: string) =>
      service.browser().ask("POST", "/api/setup", { body: { secret, name, password: goodPassword } });
    expect((await setUp(secretOf(link.url), "ada")).status).toBe(201);

    const added = await run("account", "add", "vera", "--role", "viewer");
    expect(added).toMatchObject({ exitCode: 0, err: "" });
    expect(added.out).toMatch(/^Link for vera, valid once, until /);
    expect((await setUp(secretOf(added.out), "vera")).status).toBe(201);
    expect((await service.signIn(browser, "vera")).status).toBe(200);
    expect((await run("account", "role", "vera", "operator")).out).toBe("Role of vera: operator.\n");
    const listed = await run("account", "list");
    expect(listed.out).toMatch(/^NAME +ROLE +SIGNS IN BY +LAST SIGNED IN +SINCE\nada +operator +password/);
    expect(JSON.parse((await run("account", "list", "--json")).out)).toMatchObject([
      { name: "ada", role: "operator" },
      { name: "vera", role: "operator" },
    ]);
    expect((await run("account", "remove", "vera")).out).toBe("Removed vera.\n");
    expect((await browser.ask("GET", "/api/things")).status).toBe(401);
    expect(service.trail.filter(({ actor }) => actor === "operator-token").map(({ kind }) => kind)).toEqual([
      "one-time link made",
      "account added",
      "role changed",
      "account removed",
    ]);
  });

  it("reports errors with the usual exit codes", async () => {
    await aggregator();
    expect(await run("account", "remove", "nobody")).toMatchObject({
      exitCode: 1,
      err: "[ACCOUNT_UNKNOWN] unknown account. List them: `consilium account list`.\n",
    });
    expect((await run("account", "add", "Not A Name", "--role", "viewer")).exitCode).toBe(1);
    expect((await run("account", "add", "vera", "--role", "king")).exitCode).toBe(2);
    expect((await run("account", "add", "vera")).exitCode).toBe(2);
    expect((await run("account", "role", "vera", "king")).exitCode).toBe(2);
    expect((await run("account", "link", "vera", "--role", "viewer")).exitCode).toBe(2);
    expect((await run("account", "list", "--aggregator", "127.0.0.1:9")).exitCode).toBe(3);
    await writeFile(join(home, "aggregator", "operator-token"), "another-token-of-some-length-0123456789");
    expect((await run("account", "list")).err).toMatch(/^\[UNAUTHENTICATED\]/);
  });

  it("of a site uses its console's socket, as the user who runs it", async () => {
    const service = await testService({ roles: siteRoles });
    closing.push(service.close);
    const state = join(home, "sites", "st-mary");
    await mkdir(join(state, "console"), { recursive: true });
    const socket = await createHttpServer({
      log: createLogger({ service: "test", level: "silent" }),
      access: () => commandLineCaller("administrator"),
    });
    service.access.routeForOwner(socket);
    await socket.listen({ path: join(state, "console", "console.sock") });
    closing.push(() => socket.close());
    const link = JSON.parse((await run("account", "link", "--site", "st-mary", "--json")).out);
    expect(link.role).toBe("administrator");
    const added = await run("account", "add", "grace", "--role", "approver", "--state", state, "--json");
    expect(JSON.parse(added.out)).toMatchObject({ name: "grace", role: "approver" });
    expect(service.trail.at(-1)).toMatchObject({ kind: "account added", detail: "grace, approver" });
    expect(service.trail.at(-1)?.actor).toMatch(/^command line \(.+\)$/);
    const made = await run(
      "token",
      "add",
      "--site",
      "st-mary",
      "--role",
      "approver",
      "--label",
      "x",
      "--json",
    );
    expect(JSON.parse(made.out)).toMatchObject({ role: "approver", expiresAt: null });
    // The only site of a home without an aggregator need not be named; one of two must be.
    expect((await run("token", "list")).out).toContain("approver");
    await mkdir(join(home, "sites", "st-john"));
    expect(await run("token", "list")).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("several sites below"),
    });
    expect((await run("token", "list", "--aggregator", "127.0.0.1:9")).err).toMatch(
      /^\[STATE_MISSING\] operator token/,
    );
  });
});

describe("consilium token", () => {
  it("creates, lists and revokes tokens of programs", async () => {
    const service = await aggregator();
    const made = await run("token", "add", "--role", "viewer", "--label", "wall display", "--expires", "90d");
    expect(made).toMatchObject({ exitCode: 0, err: "" });
    const [, id, secret] =
      /^Token (\w+) for wall display, until [^:]+:\d\d UTC[^\n]*:\n\n(consilium-api-\S+)\n$/.exec(made.out)!;
    const ask = () =>
      service.browser().ask("GET", "/api/things", { headers: { authorization: `Bearer ${secret}` } });
    expect((await ask()).status).toBe(200);
    const listed = await run("token", "list");
    expect(listed.out).toContain("wall display");
    expect(listed.out).not.toContain(secret);
    expect((await run("token", "revoke", id!)).out).toBe(`Revoked token ${id}.\n`);
    expect((await ask()).status).toBe(401);
    expect((await run("token", "revoke", id!)).err).toMatch(/^\[API_TOKEN_UNKNOWN\]/);
    expect((await run("token", "list")).out).toBe("No token.\n");
  });

  it("of readers is stored in the publisher's folder", async () => {
    const args = ["--publisher", "--release", "*", "--label", "Dr Ada"];
    expect((await run("token", "add", ...args)).err).toMatch(/^\[STATE_MISSING\]/);
    await mkdir(join(home, "publisher"));
    const made = JSON.parse((await run("token", "add", ...args, "--json")).out);
    expect(made).toMatchObject({ release: "*", label: "Dr Ada", expiresAt: null });
    expect(await readFile(join(home, "publisher", "tokens.json"), "utf8")).not.toContain(made.token);
    expect((await run("token", "list", "--publisher")).out).toMatch(/\n\w{12} +\* +Dr Ada/);
    expect((await run("token", "revoke", made.id, "--publisher")).exitCode).toBe(0);
    expect(JSON.parse((await run("token", "list", "--publisher", "--json")).out)).toEqual([]);
    expect((await run("token", "add", "--publisher", "--label", "x")).exitCode).toBe(2);
    expect((await run("token", "add", "--label", "x")).exitCode).toBe(2);
    const bad = await run("token", "add", "--publisher", "--release", "../x", "--label", "x");
    expect(bad.err).toMatch(/^\[CONFIG_INVALID\]/);
  });
});
