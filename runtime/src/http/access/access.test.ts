import { stat } from "node:fs/promises";
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { goodPassword, testService } from "../../../testing/http/access/service.js";
import { siteRoles } from "./accountRoles.js";
import { sessionIdleMs, sessionLifetimeMs } from "./sessions.js";

type Service = Awaited<ReturnType<typeof testService>>;
const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function make(options: Parameters<typeof testService>[0] = {}): Promise<Service> {
  const service = await testService(options);
  services.push(service);
  return service;
}

describe("the first run", () => {
  it("leaves a link in a private file and says in the log only where", async () => {
    const service = await make();
    expect((await stat(service.linkPath)).mode & 0o777).toBe(0o600);
    const secret = await service.linkSecret();
    expect(secret).toMatch(/^[\w-]{43}$/);
    const log = service.lines.join("");
    expect(log).toContain(service.linkPath);
    expect(log).not.toContain(secret);
  });

  it("shows the link on a terminal, as long as nobody can sign in", async () => {
    const service = await make();
    const written: string[] = [];
    const terminal = { write: (text: string) => written.push(text) };
    const announce = () => service.access.announce("http://127.0.0.1:7080", terminal);
    await announce();
    expect(written.join("")).toContain(`#${await service.linkSecret()}`);
    await service.first();
    written.length = 0;
    await announce();
    expect(written).toEqual([]);
  });

  it("makes an account of everything by the link, once, and takes the file away", async () => {
    const service = await make();
    const before = await service.browser().ask("GET", "/api/session");
    expect(before).toMatchObject({ status: 200, json: { account: null, setup: true } });
    const secret = await service.linkSecret();
    const shown = await service.browser().ask("POST", "/api/setup/link", { body: { secret } });
    expect(shown.json).toMatchObject({ name: null, role: "operator" });
    const browser = await service.first();
    expect((await browser.ask("GET", "/api/session")).json.account).toEqual({
      name: "ada",
      role: "operator",
    });
    await expect(stat(service.linkPath)).rejects.toThrow(/ENOENT/);
    const again = await service.browser().ask("POST", "/api/setup", {
      body: { secret, name: "eve", password: goodPassword },
    });
    expect(again).toMatchObject({ status: 410, json: { code: "LINK_INVALID" } });
    expect((await service.browser().ask("GET", "/api/session")).json.setup).toBe(false);
  });

  it("lets one of two who use the link at once in", async () => {
    const service = await make();
    const secret = await service.linkSecret();
    const answers = await Promise.all(
      ["ada", "eve", "mallory"].map((name) =>
        service.browser().ask("POST", "/api/setup", { body: { secret, name, password: goodPassword } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410, 410]);
    const browser = service.browser();
    const winner = ["ada", "eve", "mallory"][answers.findIndex(({ status }) => status === 201)]!;
    await service.signIn(browser, winner);
    expect((await browser.ask("GET", "/api/accounts")).json).toHaveLength(1);
  });

  it("refuses the link a day later, and makes another at the next start", async () => {
    const service = await make();
    const secret = await service.linkSecret();
    await service.access.announce("http://127.0.0.1:1");
    expect(await service.linkSecret()).toBe(secret);
    service.clock.at += 24 * 3_600_000;
    const late = await service.browser().ask("POST", "/api/setup", {
      body: { secret, name: "ada", password: goodPassword },
    });
    expect(late.json.code).toBe("LINK_INVALID");
    await service.access.announce("http://127.0.0.1:1");
    expect(await service.linkSecret()).not.toBe(secret);
    await service.first();
  });

  it("refuses a short password and keeps the link", async () => {
    const service = await make();
    const secret = await service.linkSecret();
    const short = await service.browser().ask("POST", "/api/setup", {
      body: { secret, name: "ada", password: "elevenchars" },
    });
    expect(short).toMatchObject({ status: 400, json: { code: "FIELD_INVALID" } });
    expect(short.text).not.toContain("elevenchars");
    await service.first();
  });
});

describe("a session", () => {
  it("is a cookie that no script and no other site gets, and a hash in the store", async () => {
    const service = await make();
    const browser = service.browser();
    await service.first();
    const answer = await service.signIn(browser);
    expect(answer.status).toBe(200);
    const cookie = answer.headers["set-cookie"]!.find((text) => text.startsWith("consilium-session"))!;
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    const secret = /=([\w-]{43});/.exec(cookie)![1]!;
    const stored = JSON.stringify(service.store.all("SELECT * FROM sessions"));
    expect(stored).not.toContain(secret);
    expect(answer.text).not.toContain(secret);
    expect(service.lines.join("")).not.toContain(secret);
  });

  it("is for its host and TLS alone where pages are reached by https", async () => {
    const service = await make({ configuration: { publicUrl: "https://console.example.org" } });
    const browser = service.browser("console.example.org");
    const secret = await service.linkSecret();
    const answer = await browser.ask("POST", "/api/setup", {
      body: { secret, name: "ada", password: goodPassword },
      headers: { origin: "https://console.example.org" },
    });
    expect(answer.status).toBe(201);
    for (const cookie of answer.headers["set-cookie"]!) {
      expect(cookie).toMatch(/^__Host-consilium-/);
      expect(cookie).toMatch(/; Secure/);
      expect(cookie).toMatch(/; Path=\/;/);
    }
    expect((await browser.ask("GET", "/api/things")).status).toBe(200);
  });

  it("is for TLS alone where the server itself speaks it, and takes its own origin only with https", async () => {
    const service = await make({ configuration: { hosts: ["console.st-mary.example"], tls: {} } });
    const host = `console.st-mary.example:${service.port}`;
    const browser = service.browser(host);
    const body = { secret: await service.linkSecret(), name: "ada", password: goodPassword };
    const setup = (origin: string) => browser.ask("POST", "/api/setup", { body, headers: { origin } });
    expect((await setup(`http://${host}`)).json.code).toBe("CROSS_SITE");
    const answer = await setup(`https://${host}`);
    expect(answer.status).toBe(201);
    for (const cookie of answer.headers["set-cookie"]!)
      expect(cookie).toMatch(new RegExp(`^__Host-consilium-(?:session|device)-${service.port}=.*; Secure`));
  });

  it("cannot be fixed: signing in gives a new one and ends the one there was", async () => {
    const service = await make();
    const victim = await service.first();
    const former = victim.copy();
    const planted = service.browser();
    planted.cookies.set(`consilium-session-${service.port}`, "A".repeat(43));
    await service.signIn(planted);
    expect([...planted.cookies.values()]).not.toContain("A".repeat(43));
    await service.signIn(victim);
    expect((await victim.ask("GET", "/api/things")).status).toBe(200);
    expect((await former.ask("GET", "/api/things")).status).toBe(401);
  });

  it("is nothing after signing out, even to who kept the cookie", async () => {
    const service = await make();
    const browser = await service.first();
    const kept = browser.copy();
    expect((await kept.ask("GET", "/api/things")).status).toBe(200);
    expect((await browser.ask("DELETE", "/api/session")).status).toBe(204);
    expect(browser.cookies.has(`consilium-session-${service.port}`)).toBe(false);
    expect((await kept.ask("GET", "/api/things")).status).toBe(401);
    expect((await kept.ask("POST", "/api/things")).status).toBe(401);
  });

  it("ends when it was not used for eight hours, and after a week in any case", async () => {
    const service = await make();
    const idle = await service.first();
    service.clock.at += sessionIdleMs - 1;
    expect((await idle.ask("GET", "/api/things")).status).toBe(200);
    service.clock.at += sessionIdleMs;
    expect((await idle.ask("GET", "/api/things")).status).toBe(401);
    const busy = service.browser();
    await service.signIn(busy);
    for (let passed = 0; passed < sessionLifetimeMs - sessionIdleMs; passed += sessionIdleMs / 2) {
      service.clock.at += sessionIdleMs / 2;
      expect((await busy.ask("GET", "/api/things")).status).toBe(200);
    }
    service.clock.at += sessionIdleMs - 1;
    expect((await busy.ask("GET", "/api/things")).status).toBe(200);
    service.clock.at += sessionIdleMs - 1;
    expect((await busy.ask("GET", "/api/things")).status).toBe(401);
  });

  it("ends with a change of the password, but for the one that changed it", async () => {
    const service = await make();
    const here = await service.first();
    const elsewhere = service.browser();
    await service.signIn(elsewhere);
    const kept = here.copy();
    const wrong = await here.ask("POST", "/api/session/password", {
      body: { current: "not the password", password: "another good one" },
    });
    expect(wrong.status).toBe(401);
    expect((await elsewhere.ask("GET", "/api/things")).status).toBe(200);
    const changed = await here.ask("POST", "/api/session/password", {
      body: { current: goodPassword, password: "another good one" },
    });
    expect(changed.status).toBe(200);
    expect((await here.ask("GET", "/api/things")).status).toBe(200);
    expect((await elsewhere.ask("GET", "/api/things")).status).toBe(401);
    expect((await kept.ask("GET", "/api/things")).status).toBe(401);
    expect((await service.signIn(service.browser())).status).toBe(401);
    expect((await service.signIn(service.browser(), "ada", "another good one")).status).toBe(200);
  });

  it("ends the streams that it opened", async () => {
    const service = await make();
    const browser = await service.first();
    const watcher = browser.copy();
    const cookie = [...watcher.cookies].map((pair) => pair.join("=")).join("; ");
    const ended = new Promise<void>((resolve, reject) => {
      const stream = request(
        { host: "127.0.0.1", port: service.port, path: "/api/events", headers: { cookie }, agent: false },
        (incoming) => {
          incoming.once("data", () => void browser.ask("DELETE", "/api/session"));
          incoming.on("close", resolve);
          incoming.on("error", () => {});
        },
      );
      stream.on("error", reject);
      stream.end();
    });
    await ended;
  });
});

describe("a request that changes something with a cookie", () => {
  it("needs the session's own token and the page's own origin", async () => {
    const service = await make();
    const browser = await service.first();
    const other = service.browser();
    await service.signIn(other);
    const post = (headers: Record<string, string | null>) => browser.ask("POST", "/api/things", { headers });
    expect((await post({})).status).toBe(200);
    const forged: Record<string, string | null>[] = [
      { "x-consilium-csrf": null },
      { "x-consilium-csrf": "" },
      { "x-consilium-csrf": other.csrf },
      { origin: null },
      { origin: "null" },
      { origin: "http://evil.example" },
      { origin: `http://127.0.0.1:${service.port + 1}` },
      { origin: `https://127.0.0.1:${service.port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of forged) {
      const answer = await post(headers);
      expect(answer, JSON.stringify(headers)).toMatchObject({ status: 403, json: { code: "CROSS_SITE" } });
    }
    expect(service.trail.filter(({ kind }) => kind === "made a thing")).toHaveLength(1);
  });

  it("cannot sign out or sign in somebody from another site's page", async () => {
    const service = await make();
    const browser = await service.first();
    const evil = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
    expect((await browser.ask("DELETE", "/api/session", { headers: evil })).status).toBe(403);
    expect(
      (await browser.ask("DELETE", "/api/session", { headers: { "x-consilium-csrf": null } })).status,
    ).toBe(403);
    const signIn = await browser.ask("POST", "/api/session", {
      body: { name: "ada", password: goodPassword },
      headers: evil,
    });
    expect(signIn.status).toBe(403);
    expect((await browser.ask("GET", "/api/things")).status).toBe(200);
  });

  it("is in the audit log with who did it", async () => {
    const service = await make();
    const browser = await service.first();
    await browser.ask("POST", "/api/things");
    expect(service.trail).toContainEqual({
      actor: "ada",
      kind: "made a thing",
      study: "s-1",
      detail: "a thing",
    });
    expect(service.trail.map(({ kind }) => kind)).toEqual([
      "account made by one-time link",
      "signed in",
      "made a thing",
    ]);
  });
});

describe("a host by another name", () => {
  it("is refused where names are listed, in any request", async () => {
    const service = await make({
      configuration: { hosts: ["console.st-mary.example", "st-mary.local:9000"] },
    });
    await service.first();
    const status = async (host: string, path = "/api/session") =>
      (await service.browser(host).ask("GET", path)).status;
    for (const host of [
      `127.0.0.1:${service.port}`,
      `localhost:${service.port}`,
      `LOCALHOST:${service.port}`,
      `[::1]:${service.port}`,
      "console.st-mary.example",
      `console.st-mary.example:${service.port}`,
      "st-mary.local:9000",
    ]) {
      expect(await status(host), host).toBe(200);
    }
    for (const host of [
      "evil.example",
      `evil.example:${service.port}`,
      `127.0.0.1:${service.port + 1}`,
      "localhost",
      "127.0.0.1.evil.example",
      "st-mary.local:9001",
    ]) {
      const answer = await service.browser(host).ask("GET", "/api/session");
      expect(answer, host).toMatchObject({ status: 421, json: { code: "HOST_UNKNOWN" } });
      expect((await service.browser(host).ask("GET", "/")).status).toBe(421);
    }
    expect(await status("console.st-mary.example", "/healthz")).toBe(200);
    expect(await status(`127.0.0.1:${service.port}`, "/healthz")).toBe(200);
    for (const host of ["evil.example", `evil.example:${service.port}`, `10.0.0.1:${service.port}`]) {
      expect(await status(host, "/healthz"), host).toBe(421);
    }
  });

  it("is refused to a page that was led here by its name, with the person's own cookies", async () => {
    const service = await make({ configuration: { hosts: [] }, roles: siteRoles });
    const browser = await service.first();
    const evil = `evil.example:${service.port}`;
    const rebound = await browser.ask("POST", "/api/things", {
      headers: { host: evil, origin: `http://${evil}` },
    });
    expect(rebound.status).toBe(421);
    expect((await browser.ask("POST", "/api/things")).status).toBe(200);
  });
});

describe("roles", () => {
  it("let a viewer read and nothing else", async () => {
    const service = await make();
    const operator = await service.first();
    const viewer = await service.another(operator, "vera", "viewer");
    expect((await viewer.ask("GET", "/api/things")).status).toBe(200);
    for (const [method, path] of [
      ["POST", "/api/things"],
      ["GET", "/api/accounts"],
      ["POST", "/api/accounts"],
      ["POST", "/api/accounts/vera/role"],
      ["POST", "/api/accounts/ada/link"],
      ["DELETE", "/api/accounts/ada"],
      ["POST", "/api/links"],
      ["GET", "/api/tokens"],
      ["POST", "/api/tokens"],
      ["DELETE", "/api/tokens/x"],
    ] as const) {
      const body = method === "POST" ? { name: "eve", role: "operator", label: "x" } : undefined;
      const answer = await viewer.ask(method, path, { body });
      expect(answer, `${method} ${path}`).toMatchObject({ status: 403, json: { code: "NOT_PERMITTED" } });
    }
    const before = viewer.csrf;
    await operator.ask("POST", "/api/accounts/vera/role", { body: { role: "operator" } });
    expect(viewer.csrf).toBe(before);
    expect((await viewer.ask("POST", "/api/things")).status).toBe(200);
    await viewer.ask("POST", "/api/accounts/ada/role", { body: { role: "viewer" } });
    expect((await operator.ask("POST", "/api/things")).status).toBe(403);
  });

  it("of another kind of service are none", async () => {
    const service = await make();
    const operator = await service.first();
    const answer = await operator.ask("POST", "/api/accounts", {
      body: { name: "eve", role: "administrator" },
    });
    expect(answer).toMatchObject({ status: 400, json: { code: "FIELD_INVALID" } });
  });

  it("leave at least one account that may do everything", async () => {
    const service = await make();
    const operator = await service.first();
    await operator.ask("POST", "/api/accounts", { body: { name: "pending", role: "operator" } });
    for (const answer of [
      await operator.ask("DELETE", "/api/accounts/ada"),
      await operator.ask("POST", "/api/accounts/ada/role", { body: { role: "viewer" } }),
    ]) {
      expect(answer).toMatchObject({ status: 409, json: { code: "ACCOUNT_LAST" } });
    }
    await service.another(operator, "grace", "operator");
    expect((await operator.ask("DELETE", "/api/accounts/ada")).status).toBe(204);
    expect((await operator.ask("GET", "/api/things")).status).toBe(401);
    expect((await service.signIn(service.browser())).status).toBe(401);
  });

  it("keep to the account that a link is for", async () => {
    const service = await make();
    const operator = await service.first();
    const { json } = await operator.ask("POST", "/api/accounts", { body: { name: "vera", role: "viewer" } });
    const secret = String(json.url).split("#")[1]!;
    const set = (name: string) =>
      service.browser().ask("POST", "/api/setup", { body: { secret, name, password: goodPassword } });
    expect((await set("ada")).status).toBe(400);
    expect((await set("vera")).status).toBe(201);
    expect((await set("vera")).status).toBe(410);
    const link = await operator.ask("POST", "/api/links", { body: { role: "viewer" } });
    const open = String(link.json.url).split("#")[1]!;
    const taken = await service
      .browser()
      .ask("POST", "/api/setup", { body: { secret: open, name: "ada", password: goodPassword } });
    expect(taken).toMatchObject({ status: 409, json: { code: "ACCOUNT_EXISTS" } });
  });

  it("are not handed on by a link whose account's role has changed", async () => {
    const service = await make();
    const operator = await service.first();
    await service.another(operator, "grace", "operator");
    const { json } = await operator.ask("POST", "/api/accounts/grace/link");
    await operator.ask("POST", "/api/accounts/grace/role", { body: { role: "viewer" } });
    const secret = String(json.url).split("#")[1]!;
    const late = await service
      .browser()
      .ask("POST", "/api/setup", { body: { secret, name: "grace", password: goodPassword } });
    expect(late.status).toBe(410);
  });
});

describe("a token of a program", () => {
  it("has its role until it expires or is revoked, and only a hash is kept", async () => {
    const service = await make();
    const operator = await service.first();
    const made = await operator.ask("POST", "/api/tokens", {
      body: { role: "viewer", label: "dashboard", expiresInMs: 3_600_000 },
    });
    expect(made.status).toBe(201);
    const { token, id } = made.json;
    const program = service.browser();
    const plain = { origin: null, "sec-fetch-site": null };
    const ask = (method: string, path: string, given = token) =>
      program.ask(method, path, { headers: { ...plain, authorization: `Bearer ${given}` } });
    expect((await ask("GET", "/api/things")).json.name).toBe(`token:${id} (dashboard)`);
    expect((await ask("POST", "/api/things")).status).toBe(403);
    expect((await ask("GET", "/api/things", `${token}x`)).status).toBe(401);
    expect(JSON.stringify(service.store.all("SELECT * FROM api_tokens"))).not.toContain(token);
    const listed = (await operator.ask("GET", "/api/tokens")).json;
    expect(listed[0]).toMatchObject({ id, lastUsedAt: new Date(service.clock.at).toISOString() });
    expect(JSON.stringify(listed)).not.toContain(token);
    service.clock.at += 3_600_000;
    expect((await ask("GET", "/api/things")).status).toBe(401);

    const lasting = await operator.ask("POST", "/api/tokens", { body: { role: "operator", label: "ci" } });
    expect((await ask("POST", "/api/things", lasting.json.token)).status).toBe(200);
    expect((await operator.ask("DELETE", `/api/tokens/${lasting.json.id}`)).status).toBe(204);
    expect((await ask("GET", "/api/things", lasting.json.token)).status).toBe(401);
    expect((await operator.ask("DELETE", `/api/tokens/${lasting.json.id}`)).status).toBe(404);
  });

  it("is the only thing that counts where it is sent beside a cookie", async () => {
    const service = await make();
    const operator = await service.first();
    const status = async (authorization: string) =>
      (await operator.ask("GET", "/api/things", { headers: { authorization } })).status;
    expect(await status("Bearer nothing")).toBe(401);
    // Of a proxy that asks for a name and password of its own.
    expect(await status("Basic YTpi")).toBe(200);
  });

  it("of the operator's file may do everything, and is named in the audit log", async () => {
    const token = "t".repeat(40);
    const service = await make({ rootToken: { token, name: "operator-token" } });
    const answer = await service.browser().ask("POST", "/api/things", {
      headers: { authorization: `Bearer ${token}`, origin: null },
    });
    expect(answer.status).toBe(200);
    expect(service.trail).toMatchObject([{ actor: "operator-token", kind: "made a thing" }]);
  });
});

describe("guessing", () => {
  it("is slowed for its address, while the account's owner goes in and out", async () => {
    const service = await make();
    const owner = await service.first();
    const stranger = service.browser();
    const statuses = [];
    for (let i = 0; i < 12; i++) {
      statuses.push((await service.signIn(stranger, "ada", `guess number ${i}`)).status);
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.slice(5)).toEqual(Array(7).fill(429));
    // The same address, as behind one proxy, but a browser that has signed in before.
    expect((await service.signIn(owner)).status).toBe(200);
    expect((await service.signIn(stranger)).status).toBe(429);
    service.clock.at += 600_000;
    expect((await service.signIn(stranger)).status).toBe(200);
  });

  it("learns nothing from the answer about which accounts there are", async () => {
    const service = await make();
    await service.first();
    const known = await service.signIn(service.browser(), "ada", "wrong password here");
    const unknown = await service.signIn(service.browser(), "nobody", "wrong password here");
    expect(known.text).toBe(unknown.text);
    expect(known.status).toBe(unknown.status);
  });

  it("of one that is away at an account that has no password yet comes to nothing", async () => {
    const service = await make();
    const operator = await service.first();
    await operator.ask("POST", "/api/accounts", { body: { name: "pending", role: "operator" } });
    for (const password of ["", "null", goodPassword]) {
      expect((await service.signIn(service.browser(), "pending", password)).status).toBe(401);
    }
  });
});
