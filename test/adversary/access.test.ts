/**
 * Sign-in at real processes: anyone who has no role, another role, another site's page, another name for the console, a
 * link that was used, or ten thousand guesses. Beside each refusal stands somebody who is let in.
 */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestBrowser } from "@consilium/runtime/testing/http/access/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editConfig, LocalFederation, type Member } from "../../scripts/localFederation.js";
import { writeTables } from "../end-to-end/tables.js";

const password = "correct horse battery";
const site = "hospital-a";

interface Service {
  readonly member: Member;
  readonly port: number;
  /** From the role that may do everything to the one that reads. */
  readonly roles: readonly [all: string, least: string];
  readonly cliOptions: readonly string[];
  readonly link: string;
  readonly all: TestBrowser;
  readonly least: TestBrowser;
}

let folder: string;
let federation: LocalFederation;
const services = new Map<string, Service>();
const names = ["aggregator", "site"] as const;
const service = (name: string) => services.get(name)!;

const secretOf = (url: string) => url.trim().split("#")[1]!;
const setUp = (browser: TestBrowser, link: string, name: string) =>
  browser.ask("POST", "/api/setup", { body: { secret: secretOf(link), name, password } });

async function signUp(member: Member, address: string, roles: Service["roles"], cliOptions: string[]) {
  const port = Number(address.split(":").at(-1));
  const link = await readFile(join(member.state, "setup-link"), "utf8");
  const all = new TestBrowser(port);
  expect((await setUp(all, link, "ada")).status).toBe(201);
  const added = await federation.cliOrThrow(
    "account",
    "add",
    "vera",
    "--role",
    roles[1],
    "--json",
    ...cliOptions,
  );
  const least = new TestBrowser(port);
  expect((await setUp(least, JSON.parse(added.stdout).url, "vera")).status).toBe(201);
  return { member, port, roles, cliOptions, link, all, least };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-access-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const { good } = await writeTables(join(folder, "tables"));
  const agent = await federation.addSite({ id: site, tables: { visits: good }, approval: "person" });
  const { aggregator } = federation;
  const { http } = await aggregator.addresses();
  const pages = await federation.startConsole(site);
  const { console } = await pages.addresses();
  // Port 0 was for finding a free one: after a restart the same is needed.
  await editConfig(agent.state, (config) => {
    config.console = { listen: console };
  });
  services.set("aggregator", await signUp(aggregator, http!, ["operator", "viewer"], []));
  services.set(
    "site",
    await signUp(pages, console!, ["administrator", "approver"], ["--state", agent.state]),
  );
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Every route of a running service that is not for everybody, from its own document. */
async function routesOf({ all }: Service): Promise<{ method: string; path: string; role: string }[]> {
  const { json } = await all.ask("GET", "/openapi.json");
  const routes = Object.entries(json.paths as Record<string, Record<string, { "x-role": string }>>);
  return routes
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, "nothing-0123456789"),
        role: operation["x-role"],
      })),
    )
    .filter(({ role }) => role !== "public");
}

describe.each(names)("every route of the %s", (name) => {
  it("is closed to who has not signed in, whatever they send instead", async () => {
    const { port, all } = service(name);
    const routes = await routesOf(service(name));
    expect(routes.length).toBeGreaterThan(20);
    const forged = new TestBrowser(port);
    for (const cookie of all.cookies.keys()) forged.cookies.set(cookie, "A".repeat(43));
    forged.csrf = all.csrf;
    for (const { method, path } of routes) {
      for (const answer of [
        await new TestBrowser(port).ask(method, path),
        await forged.ask(method, path),
        await new TestBrowser(port).ask(method, path, {
          headers: { authorization: "Bearer consilium-api-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
        }),
        await all.ask(method, path, { headers: { authorization: "Bearer nothing" } }),
      ]) {
        expect(answer, `${method} ${path}`).toMatchObject({ status: 401, json: { code: "UNAUTHENTICATED" } });
      }
    }
  });

  it("is closed to a role that is not enough, and open to one that is", async () => {
    const { all, least, roles } = service(name);
    let closed = 0;
    for (const { method, path, role } of await routesOf(service(name))) {
      const what = `${method} ${path} ${role}`;
      expect(roles, what).toContain(role);
      if (role !== roles[1]) {
        closed++;
        expect(await least.ask(method, path), what).toMatchObject({
          status: 403,
          json: { code: "NOT_PERMITTED" },
        });
      }
      if (method !== "GET") continue;
      // Without a body: a stream of events would have no end.
      const { status } = await (role === roles[1] ? least : all).ask("HEAD", path);
      expect([200, 400, 404], `${what}: ${status}`).toContain(status);
    }
    expect(closed).toBeGreaterThan(5);
  });

  it("that changes something asks for the session's token and the page's own origin", async () => {
    const { all, least, port } = service(name);
    const changes = (await routesOf(service(name))).filter(({ method }) => method !== "GET");
    for (const { method, path } of changes) {
      const forged: Record<string, string | null>[] = [
        { "x-consilium-csrf": null },
        { "x-consilium-csrf": least.csrf },
        { origin: null },
        { origin: "http://evil.example", "sec-fetch-site": "cross-site" },
        { origin: `http://127.0.0.1:${port + 1}`, "sec-fetch-site": "same-site" },
      ];
      for (const headers of forged) {
        expect(
          await all.ask(method, path, { headers }),
          `${method} ${path} ${JSON.stringify(headers)}`,
        ).toMatchObject({
          status: 403,
          json: { code: "CROSS_SITE" },
        });
      }
    }
    expect((await all.ask("POST", "/api/links", { body: { role: service(name).roles[1] } })).status).toBe(
      200,
    );
  });
});

/** What of an OpenAPI document's operation is used here. */
interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
  };
}

/** Texts that no store can keep, as they come through JSON. */
const unstorable = ["a\0b", "\ud800", "x\udfff"];

describe.each(names)("text that no store can keep, sent to the %s,", (name) => {
  it("is refused in the body, the path and the query of every route", async () => {
    const { all } = service(name);
    const { json: document } = await all.ask("GET", "/openapi.json");
    let bodies = 0;
    for (const [path, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const [lower, operation] of Object.entries(methods)) {
        const method = lower.toUpperCase();
        const what = `${method} ${path}`;
        const refused = { status: 400, json: { code: "FIELD_INVALID" } };
        const plain = path.replace(/\{\w+\}/g, "nothing-0123456789");
        if (operation.requestBody !== undefined) {
          bodies++;
          const { schema } = Object.values(operation.requestBody.content).at(-1)!;
          const keys = Object.keys(schema.properties ?? {});
          for (const text of unstorable) {
            const body = Object.fromEntries((keys.length > 0 ? keys : ["x"]).map((key) => [key, text]));
            expect(await all.ask(method, plain, { body }), what).toMatchObject(refused);
            expect(await all.ask(method, plain, { body: { [text]: 1 } }), what).toMatchObject(refused);
          }
        }
        if (path !== plain) {
          const named = path.replace(/\{\w+\}/g, "a%00b");
          expect(await all.ask(method, named, method === "GET" ? {} : { body: {} }), what).toMatchObject(
            refused,
          );
        }
        if (method === "GET") expect(await all.ask(method, `${plain}?x=%00`), what).toMatchObject(refused);
      }
    }
    expect(bodies).toBeGreaterThan(8);
  });

  it("is refused of a stranger who signs in, and a sign-in with other text is not", async () => {
    const stranger = new TestBrowser(service(name).port);
    for (const text of unstorable) {
      for (const body of [
        { name: text, password },
        { name: "ada", password: text },
      ]) {
        expect(await stranger.ask("POST", "/api/session", { body })).toMatchObject({
          status: 400,
          json: { code: "FIELD_INVALID" },
        });
      }
    }
    expect((await stranger.ask("POST", "/api/session", { body: { name: "ada", password } })).status).toBe(
      200,
    );
  });
});

describe("the first run's link", () => {
  it.each(names)("of the %s works once, and left no trace but a file that is gone", async (name) => {
    const { port, link, member } = service(name);
    const again = await setUp(new TestBrowser(port), link, "eve");
    expect(again).toMatchObject({ status: 410, json: { code: "LINK_INVALID" } });
    await expect(stat(join(member.state, "setup-link"))).rejects.toThrow(/ENOENT/);
    const log = await member.log();
    expect(log).toContain("setup-link");
    expect(log).not.toContain(secretOf(link));
    expect(log).not.toContain(password);
  });
});

describe("a hospital", () => {
  it("lets an approver decide, and only an administrator change the policy", async () => {
    const { all, least } = service("site");
    const { json: policy } = await least.ask("GET", "/api/policy");
    const body = { text: policy.text, sha256: policy.sha256 };
    expect((await least.ask("PUT", "/api/policy", { body })).status).toBe(403);
    expect((await all.ask("PUT", "/api/policy", { body })).status).not.toBe(403);
    const decision = await least.ask("POST", "/api/studies/nothing-0123456789/approve");
    expect(decision).toMatchObject({ status: 404, json: { code: "STUDY_UNKNOWN" } });
  });

  it("does not know its console by another name, nor by another's page", async () => {
    const { port, all } = service("site");
    const evil = `evil.example:${port}`;
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/api/session"],
      ["GET", "/api/status"],
      ["GET", "/healthz"],
      ["GET", "/readyz"],
      ["GET", "/metrics"],
      ["POST", "/api/links"],
    ] as const) {
      const answer = await all.ask(method, path, { headers: { host: evil, origin: `http://${evil}` } });
      expect(answer, `${method} ${path}`).toMatchObject({ status: 421, json: { code: "HOST_UNKNOWN" } });
    }
    expect((await all.ask("GET", "/api/status", { headers: { host: `localhost:${port}` } })).status).toBe(
      200,
    );
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
      expect((await all.ask("GET", "/healthz", { headers: { host } })).status).toBe(200);
    }
  });
});

describe("an aggregator on loopback", () => {
  it("does not know its console by another name either, unless the configuration lists it", async () => {
    const { port, all, member } = service("aggregator");
    const status = async (path: string, host: string) =>
      (await all.ask("GET", path, { headers: { host } })).status;
    for (const path of ["/api/session", "/healthz", "/readyz", "/metrics"]) {
      expect(await status(path, `evil.example:${port}`), path).toBe(421);
      expect(await status(path, `localhost:${port}`), path).toBe(200);
    }
    const configure = async (hosts: string[] | undefined) => {
      await editConfig(member.state, (config) => {
        config.listen = { ...(config.listen as object), http: `127.0.0.1:${port}` };
        config.console = hosts === undefined ? {} : { hosts };
      });
      await member.stop();
      await member.start();
    };
    await configure(["console.example"]);
    expect(await status("/metrics", "console.example")).toBe(200);
    expect(await status("/metrics", `evil.example:${port}`)).toBe(421);
    await configure(undefined);
  });
});

describe("a session", () => {
  it.each(names)("at the %s outlives a restart, and nothing outlives signing out", async (name) => {
    const { all, least, member } = service(name);
    // The control: it was one.
    expect((await least.ask("GET", "/api/session")).json.account.name).toBe("vera");
    const kept = least.copy();
    await member.stop();
    await member.start();
    expect((await all.ask("GET", "/api/session")).json.account.name).toBe("ada");
    expect((await least.ask("DELETE", "/api/session")).status).toBe(204);
    expect((await kept.ask("GET", "/api/session")).json.account).toBe(null);
  });
});

describe("a reader's token", () => {
  it("is good for a session at the publisher until it is revoked", async () => {
    const { http } = await federation.publisher.addresses();
    const reader = new TestBrowser(Number(http!.split(":").at(-1)));
    const { stdout } = await federation.cliOrThrow(
      "token",
      "add",
      "--publisher",
      "--release",
      "*",
      "--label",
      "Dr Ada",
      "--json",
    );
    const { token, id } = JSON.parse(stdout);
    expect((await reader.ask("POST", "/api/session", { body: { token: `${token}x` } })).status).toBe(401);
    for (const text of unstorable) {
      const answer = await reader.ask("POST", "/api/session", { body: { token: text } });
      expect(answer).toMatchObject({ status: 400, json: { code: "FIELD_INVALID" } });
    }
    for (const path of ["/api/releases?text=%00", "/api/releases/a%00b", "/releases/a%00b/data.csv"]) {
      expect(await reader.ask("GET", path), path).toMatchObject({ status: 400 });
    }
    expect((await reader.ask("POST", "/api/session", { body: { token } })).status).toBe(200);
    expect((await reader.ask("GET", "/api/session")).json.account).toEqual({
      name: "Dr Ada",
      role: "analyst",
    });
    await federation.cliOrThrow("token", "revoke", id, "--publisher");
    expect((await reader.ask("GET", "/api/session")).json.account).toBe(null);
  });
});

describe("a flood of sign-ins", () => {
  it("from many addresses leaves the process answering, its memory bounded and its people free to go in", async () => {
    const { all, port, member } = service("aggregator");
    const memoryOf = async () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${member.pid}/status`, "utf8"))?.[1]) / 1024;
    const before = await memoryOf();
    let largest = before;
    const waits: number[] = [];
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const began = performance.now();
        expect((await new TestBrowser(port).ask("GET", "/healthz")).status).toBe(200);
        waits.push(performance.now() - began);
        largest = Math.max(largest, await memoryOf());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const guessed = 200;
    const guesses = Array.from({ length: guessed }, (_, i) =>
      new TestBrowser(port, undefined, `127.0.${1 + (i % 100)}.${1 + (i >> 3)}`).ask("POST", "/api/session", {
        body: { name: i % 2 === 0 ? "ada" : `nobody-${i}`, password: `guess number ${i}` },
      }),
    );
    // Meanwhile the owner, who signed in by this browser before.
    const owner = await all.copy().ask("POST", "/api/session", { body: { name: "ada", password } });
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    isOver = true;
    await watch;
    expect(owner.status).toBe(200);
    const of = (status: number) => statuses.filter((one) => one === status).length;
    expect(of(401) + of(429) + of(503)).toBe(guessed);
    expect(of(503)).toBeGreaterThan(guessed / 2);
    const slowest = Math.max(...waits);
    process.stdout.write(
      `${guessed} sign-ins: ${of(401)} checked, slowest /healthz ${slowest.toFixed(0)} ms, ` +
        `memory ${before.toFixed(0)} to ${largest.toFixed(0)} MiB\n`,
    );
    expect(slowest).toBeLessThan(10_000);
    // One hash takes 128 MiB.
    expect(largest - before).toBeLessThan(400);
  });
});
