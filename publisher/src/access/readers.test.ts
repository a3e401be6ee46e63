import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readersOidcSchema } from "@consilium/runtime/http/access/config";
import { sessionIdleMs } from "@consilium/runtime/http/access/sessions";
import { createHttpServer } from "@consilium/runtime/http/server";
import { createLogger } from "@consilium/runtime/log";
import { addReaderToken, revokeReaderToken } from "@consilium/runtime/release/readerTokens";
import { TestBrowser } from "@consilium/runtime/testing/http/access/browser";
import { TestProvider } from "@consilium/runtime/testing/http/access/provider";
import { afterEach, expect, it } from "vitest";
import { testReaders } from "../../testing/access/readers.js";
import { routeReaders } from "./readerRoutes.js";
import type { ReadersOptions } from "./readers.js";

const [one, two] = ["one-0123456789", "two-0123456789"];
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function service(options: Partial<ReadersOptions> = {}, prepare?: (state: string) => Promise<void>) {
  const state = await mkdtemp(join(tmpdir(), "consilium-readers-"));
  closing.push(() => rm(state, { recursive: true }));
  await prepare?.(state);
  const clock = { at: Date.UTC(2026, 0, 5) };
  let port = 0;
  const readers = await testReaders(state, {
    now: () => clock.at,
    pagesUrl: () => `http://127.0.0.1:${port}`,
    ...options,
  });
  const server = await createHttpServer({
    log: createLogger({ service: "test", level: "silent" }),
    access: () => {
      throw new RangeError("no route here asks for a role");
    },
    verifyAnswers: true,
  });
  routeReaders(server, readers);
  server.get("/api/opened", { config: { role: "public" } }, async (request) => {
    const opens = await readers.opens(request);
    return [one, two].filter(opens);
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  closing.push(() => server.close());
  ({ port } = server.server.address() as AddressInfo);
  return { state, clock, port, browser: () => new TestBrowser(port) };
}

const opened = async (browser: TestBrowser, headers = {}) =>
  (await browser.ask("GET", "/api/opened", { headers })).json;

it("a token can be exchanged for a session, which opens what the token opens", async () => {
  const { state, clock, browser, port } = await service();
  const { token } = await addReaderToken(state, { release: one, label: "Dr Ada", now: clock.at });
  const reader = browser();
  expect((await reader.ask("GET", "/api/session")).json).toMatchObject({
    setup: false,
    methods: { password: false, token: true, oidc: null },
  });
  const answer = await reader.ask("POST", "/api/session", { body: { token } });
  expect(answer.json.account).toEqual({ name: "Dr Ada", role: "analyst" });
  const [cookie] = answer.headers["set-cookie"]!;
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(token);
  expect(await opened(reader)).toEqual([one]);
  expect(await opened(browser())).toEqual([]);
  expect(await opened(browser(), { authorization: `Bearer ${token}` })).toEqual([one]);
  // A token that is sent is all that counts; another site's page gets what anybody gets.
  expect(await opened(reader, { authorization: "Bearer nothing" })).toEqual([]);
  expect(await opened(reader, { "sec-fetch-site": "cross-site" })).toEqual([]);
  expect(await opened(reader, { "sec-fetch-site": "same-site" })).toEqual([]);
  const wrong = await browser().ask("POST", "/api/session", { body: { token: `${token}x` } });
  expect(wrong).toMatchObject({ status: 401, json: { code: "SIGN_IN_FAILED" } });
  const evil = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  expect((await browser().ask("POST", "/api/session", { body: { token }, headers: evil })).status).toBe(403);
  expect((await reader.ask("DELETE", "/api/session", { headers: { "x-consilium-csrf": null } })).status).toBe(
    403,
  );
  const kept = reader.copy();
  expect((await reader.ask("DELETE", "/api/session")).status).toBe(204);
  expect(reader.cookies.has(`consilium-session-${port}`)).toBe(false);
  expect(await opened(kept)).toEqual([]);
});

it("a session ends with its token, revoked or expired, and when it is not used", async () => {
  const { state, clock, browser } = await service();
  const signIn = async (expiresAtMs?: number) => {
    const made = await addReaderToken(state, { release: "*", label: "", now: clock.at, expiresAtMs });
    const reader = browser();
    await reader.ask("POST", "/api/session", { body: { token: made.token } });
    expect(await opened(reader)).toEqual([one, two]);
    return { reader, id: made.id };
  };
  const revoked = await signIn();
  await revokeReaderToken(state, revoked.id);
  expect(await opened(revoked.reader)).toEqual([]);
  const expired = await signIn(clock.at + 60_000);
  clock.at += 60_000;
  expect(await opened(expired.reader)).toEqual([]);
  const idle = await signIn();
  clock.at += sessionIdleMs;
  expect((await idle.reader.ask("GET", "/api/session")).json.account).toBe(null);
});

it("groups of the identity provider open the releases that the configuration says", async () => {
  const provider = await TestProvider.start();
  closing.push(() => provider.close());
  const oidc = readersOidcSchema.parse({
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecretFile: "secret",
    releases: [
      { group: "staff", releases: [one] },
      { group: "board", releases: ["*"] },
    ],
  });
  const { browser, port } = await service({ oidc }, (state) =>
    writeFile(join(state, "secret"), provider.clientSecret),
  );
  const signIn = async (groups: string[]) => {
    provider.person = { sub: "s", preferred_username: "Ada", groups };
    const reader = browser();
    const login = await reader.ask("GET", "/api/oidc/login");
    const back = provider.authorize(login.headers.location!);
    const { headers } = await reader.ask("GET", `${back.pathname}${back.search}`);
    return { reader, location: headers.location };
  };
  const { reader, location } = await signIn(["staff", "others"]);
  expect(location).toBe(`http://127.0.0.1:${port}/?reader`);
  expect((await reader.ask("GET", "/api/session")).json.account).toEqual({ name: "Ada", role: "analyst" });
  expect(await opened(reader)).toEqual([one]);
  expect(await opened((await signIn(["board"])).reader)).toEqual([one, two]);
  const nobody = await signIn(["others"]);
  expect(nobody.location).toBe(`http://127.0.0.1:${port}/?failure=NOT_PERMITTED`);
  expect(await opened(nobody.reader)).toEqual([]);
});
