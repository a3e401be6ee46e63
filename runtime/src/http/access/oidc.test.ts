import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JWTPayload } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../testing/http/access/browser.js";
import { type Misbehaviour, TestProvider } from "../../../testing/http/access/provider.js";
import { testService } from "../../../testing/http/access/service.js";
import { operatorRoles } from "./accountRoles.js";
import { consoleAccessFields } from "./config.js";

let provider: TestProvider;
let service: Awaited<ReturnType<typeof testService>>;
beforeAll(async () => {
  provider = await TestProvider.start();
});
afterAll(() => provider.close());
beforeEach(async () => {
  provider.misbehaviour = {};
  provider.person = { sub: "subject-1", preferred_username: "Ada", groups: ["staff"] };
  const oidc = consoleAccessFields(operatorRoles).oidc.parse({
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecretFile: "oidc-secret",
    label: "Sign in at St Mary",
    roles: { operator: ["consilium-operators"], viewer: ["staff", "students"] },
  });
  service = await testService({
    configuration: { oidc },
    prepare: (folder) => writeFile(join(folder, "oidc-secret"), `${provider.clientSecret}\n`),
  });
});
afterEach(() => service.close());

/** What the provider is asked, and what the browser brings back. */
async function go(browser: TestBrowser): Promise<{ url: string; back: URL }> {
  const login = await browser.ask("GET", "/api/oidc/login", { headers: { "sec-fetch-site": null } });
  expect(login.status).toBe(302);
  const url = login.headers.location!;
  return { url, back: provider.authorize(url) };
}

const comeBack = (browser: TestBrowser, back: URL) =>
  browser.ask("GET", `${back.pathname}${back.search}`, { headers: { "sec-fetch-site": "cross-site" } });

async function signIn(browser = service.browser()) {
  const { back } = await go(browser);
  const answer = await comeBack(browser, back);
  return { browser, location: answer.headers.location, session: await browser.ask("GET", "/api/session") };
}

describe("an identity provider", () => {
  it("lets in whom it knows, with the role of their groups", async () => {
    const before = await service.browser().ask("GET", "/api/session");
    expect(before.json.methods).toEqual({
      password: true,
      token: false,
      oidc: { label: "Sign in at St Mary" },
    });
    const { browser, location, session } = await signIn();
    expect(location).toBe(`http://127.0.0.1:${service.port}/`);
    expect(session.json).toMatchObject({ account: { name: "ada", role: "viewer" }, hasPassword: false });
    expect((await browser.ask("GET", "/api/things")).json.name).toBe("ada");
    expect((await browser.ask("POST", "/api/things")).status).toBe(403);
    expect([...browser.cookies.keys()]).toEqual([`consilium-session-${service.port}`]);

    provider.person = { ...provider.person, groups: ["staff", "consilium-operators"] };
    expect((await signIn()).session.json.account).toEqual({ name: "ada", role: "operator" });
    expect((await browser.ask("POST", "/api/things")).status).toBe(200);
    expect(service.trail.map(({ kind }) => kind)).toContain("role changed");
  });

  it("is asked with PKCE, state and nonce, each new, and nothing that it is asked tells them to another", async () => {
    const one = new URL((await go(service.browser())).url).searchParams;
    const two = new URL((await go(service.browser())).url).searchParams;
    expect(one.get("response_type")).toBe("code");
    expect(one.get("code_challenge_method")).toBe("S256");
    expect(one.get("redirect_uri")).toBe(`http://127.0.0.1:${service.port}/api/oidc/callback`);
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(one.get(name)!.length, name).toBeGreaterThanOrEqual(43);
      expect(one.get(name), name).not.toBe(two.get(name));
    }
  });

  it("lets in nobody without a group that has a role, and says so", async () => {
    provider.person = { sub: "subject-9", preferred_username: "eve", groups: ["visitors"] };
    const { location, session } = await signIn();
    expect(location).toBe(`http://127.0.0.1:${service.port}/?failure=NOT_PERMITTED`);
    expect(session.json.account).toBe(null);
    provider.person = { sub: "subject-9", preferred_username: "eve" };
    expect((await signIn()).session.json.account).toBe(null);
  });

  it("gives no one another's account by the same name", async () => {
    const local = await service.first("ada");
    const { session } = await signIn();
    expect(session.json.account).toEqual({ name: "ada-2", role: "viewer" });
    expect((await local.ask("POST", "/api/things")).status).toBe(200);
    expect((await signIn()).session.json.account.name).toBe("ada-2");
    provider.person = { ...provider.person, sub: "subject-2" };
    expect((await signIn()).session.json.account.name).toBe("ada-3");
    const link = await local.ask("POST", "/api/accounts/ada-2/link");
    expect(link).toMatchObject({ status: 400, json: { code: "FIELD_INVALID" } });
  });
});

describe("an answer that is not the provider's to this browser", () => {
  const refused = async (browser: TestBrowser, back: URL) => {
    const answer = await comeBack(browser, back);
    expect(answer.headers.location).toBe(`http://127.0.0.1:${service.port}/?failure=OIDC_FAILED`);
    expect((await browser.ask("GET", "/api/session")).json.account).toBe(null);
    expect(browser.cookies.has(`consilium-session-${service.port}`)).toBe(false);
  };
  afterEach(async () => {
    // The control: put right, the same service lets the same person in.
    provider.misbehaviour = {};
    expect((await signIn()).session.json.account.name).toMatch(/^ada/);
  });

  it("has another state", async () => {
    const browser = service.browser();
    const { back } = await go(browser);
    back.searchParams.set("state", "A".repeat(43));
    await refused(browser, back);
  });

  it("comes to a browser that began nothing, with a code that is another's", async () => {
    const attacker = service.browser();
    const { back } = await go(attacker);
    await refused(service.browser(), back);
    const other = service.browser();
    await go(other);
    await refused(other, back);
    expect(provider.redeemed).not.toContain(back.searchParams.get("code"));
  });

  it("comes twice, even if the provider took the code twice", async () => {
    const browser = service.browser();
    const { url, back } = await go(browser);
    const kept = browser.copy();
    expect((await comeBack(browser, back)).headers.location).toBe(`http://127.0.0.1:${service.port}/`);
    provider.forget(back.searchParams.get("code")!, { url });
    await refused(kept, back);
  });

  it("comes too late, or says that the provider refused", async () => {
    const browser = service.browser();
    const { back } = await go(browser);
    service.clock.at += 10 * 60_000;
    await refused(browser, back);
    const { back: denied } = await go(browser);
    denied.searchParams.delete("code");
    denied.searchParams.set("error", "access_denied");
    await refused(browser, denied);
  });

  it("brings a code that was spent, or one that never was", async () => {
    const before = service.browser();
    const first = await go(before);
    await comeBack(before, first.back);
    const browser = service.browser();
    const { back } = await go(browser);
    back.searchParams.set("code", first.back.searchParams.get("code")!);
    await refused(browser, back);
    const { back: made } = await go(browser);
    made.searchParams.set("code", "0".repeat(32));
    await refused(browser, made);
  });

  const nowS = Math.floor(Date.now() / 1000);
  const wrong: [string, Misbehaviour][] = [
    ["another nonce", { claims: { nonce: "A".repeat(43) } }],
    ["no nonce", { claims: { nonce: undefined } as unknown as JWTPayload }],
    ["another issuer", { claims: { iss: "https://evil.example" } }],
    ["another audience", { claims: { aud: "another-client" } }],
    ["several audiences and another party", { claims: { aud: ["consilium", "x"], azp: "x" } }],
    ["an expired token", { claims: { iat: nowS - 7_200, exp: nowS - 3_600 } }],
    ["a key that is not the provider's", { otherKey: true }],
    ["no signature (alg none)", { unsigned: true }],
    ["no ID token", { noIdToken: true }],
    ["no subject", { claims: { sub: undefined } as unknown as JWTPayload }],
  ];
  it.each(wrong)("has an ID token with %s", async (_, misbehaviour) => {
    provider.misbehaviour = misbehaviour;
    const browser = service.browser();
    const { back } = await go(browser);
    await refused(browser, back);
    expect(service.lines.join("")).toContain("the identity provider rejected the sign-in");
  });
});

it("a provider that does not answer stops nobody from signing in by password", async () => {
  const gone = await TestProvider.start();
  const { issuer } = gone;
  await gone.close();
  const oidc = consoleAccessFields(operatorRoles).oidc.parse({ issuer, clientId: "x", roles: {} });
  const other = await testService({ configuration: { oidc } });
  const browser = await other.first();
  const login = await browser.ask("GET", "/api/oidc/login");
  expect(login.headers.location).toBe(`http://127.0.0.1:${other.port}/?failure=OIDC_FAILED`);
  expect((await other.signIn(browser)).status).toBe(200);
  await other.close();
});

it("a provider is reached by https, unless it is on this machine", () => {
  const schema = consoleAccessFields(operatorRoles).oidc;
  const given = { clientId: "x", roles: { viewer: ["staff"] } };
  expect(schema.safeParse({ ...given, issuer: "https://login.example.org" }).success).toBe(true);
  expect(schema.safeParse({ ...given, issuer: "http://login.example.org" }).success).toBe(false);
  expect(schema.safeParse({ ...given, issuer: "https://x.example", roles: { king: ["x"] } }).success).toBe(
    false,
  );
});
