import { connect } from "node:net";
import { ConsiliumError, type ErrorCode, errorTable } from "@consilium/core/errors";
import { failureSchema } from "@consilium/core/failure";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createLogger } from "../log.js";
import { roleTable } from "./openapi.js";
import { createHttpServer, type HttpOptions, type HttpServer } from "./server.js";

const canary = "CANARY-7f3a";
const lines: string[] = [];
const log = createLogger({ service: "test", stream: { write: (line) => void lines.push(line) } });
const servers: HttpServer[] = [];
afterEach(async () => {
  lines.length = 0;
  for (const server of servers.splice(0)) await server.close();
});

async function make(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await createHttpServer({
    log,
    access: ({ headers }, role) => {
      const name = headers.authorization;
      if (name === undefined) throw new ConsiliumError("UNAUTHENTICATED", "nobody is signed in");
      if (name !== "Bearer operator" && role === "operator") {
        throw new ConsiliumError("NOT_PERMITTED", "a viewer may not do this");
      }
      return { name, role };
    },
    bodyMaxBytes: 1_000,
    verifyAnswers: true,
    ...options,
  });
  servers.push(server);
  server.get("/api/open", { config: { role: "public" } }, async () => ({ ok: true }));
  server.get("/api/own", { config: { role: "viewer" } }, async ({ caller }) => ({ name: caller?.name }));
  server.post(
    "/api/things/:id",
    {
      config: { role: "operator" },
      schema: {
        params: z.object({ id: z.string().max(40) }),
        querystring: z.object({ limit: z.coerce.number().int().max(5).default(2) }),
        body: z.strictObject({ site: z.string(), labels: z.record(z.string(), z.int()).optional() }),
        response: { 201: z.object({ id: z.string(), limit: z.int(), site: z.string() }) },
      },
    },
    async ({ params, query, body }, reply) =>
      reply.code(201).send({ id: params.id, limit: query.limit, site: body.site }),
  );
  server.get("/api/fails/:code", { config: { role: "public" } }, async ({ params }) => {
    const { code } = params as { code: string };
    if (code === "plain") throw new Error(canary);
    throw new ConsiliumError(code as ErrorCode, `what ${canary} is`);
  });
  return server;
}

const operator = { authorization: "Bearer operator" };

describe("text that no store can keep", () => {
  const post = async (url: string, payload: object) => {
    const server = servers.at(-1) ?? (await make());
    const answer = await server.inject({ method: "POST", url, payload, headers: operator });
    return [answer.statusCode, answer.json().code, answer.json().message];
  };
  const part = (name: string) => [
    400,
    "FIELD_INVALID",
    expect.stringContaining(`the request's ${name} contains`),
  ];

  it.each(["a\0", "\ud83c", "\udfe5\ud83c"])(
    "is refused wherever %j stands, before the route's schema",
    async (text) => {
      expect(await post("/api/things/x", { site: text })).toEqual(part("body"));
      expect(await post("/api/things/x", { site: "a", labels: { [text]: 1 } })).toEqual(part("body"));
      expect(await post("/api/things/x", [[[{ deep: [text] }]]])).toEqual(part("body"));
    },
  );

  it("is refused in the path and the query", async () => {
    expect(await post("/api/things/a%00b", { site: "a" })).toEqual(part("path"));
    expect(await post("/api/things/x?other=%00", { site: "a" })).toEqual(part("query"));
    expect(await post("/api/things/x?%00=1", { site: "a" })).toEqual(part("query"));
    expect((await post("/api/nothing%00", { site: "a" }))[0]).toBe(404);
  });

  it("is not text of another kind, nor a body that is nested a hundred thousand times", async () => {
    await make({ bodyMaxBytes: 1_000_000 });
    expect((await post("/api/things/x", { site: "Zürich \u{1f3e5}\u0001\ufffe" }))[0]).toBe(201);
    const answer = await servers.at(-1)!.inject({
      method: "POST",
      url: "/api/things/x",
      payload: `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      headers: { ...operator, "content-type": "application/json" },
    });
    expect(answer.statusCode).toBe(400);
  });
});

describe("a route", () => {
  it("without a role is refused, with the reason", async () => {
    const server = await make();
    expect(() => server.get("/api/forgotten", async () => 1)).toThrow("GET /api/forgotten");
    expect(() => server.post("/x", { config: { role: "root" as "operator" } }, async () => 1)).toThrow(
      "POST /x",
    );
    expect(roleTable(server)).toEqual([
      "GET /api/fails/:code public",
      "GET /api/open public",
      "GET /api/own viewer",
      "POST /api/things/:id operator",
    ]);
  });

  it("is judged by its role before the body is read, by every method", async () => {
    const server = await make();
    const large = "x".repeat(5_000);
    for (const method of ["GET", "HEAD"] as const) {
      expect((await server.inject({ method, url: "/api/own" })).statusCode).toBe(401);
      expect((await server.inject({ method, url: "/api/own", headers: operator })).statusCode).toBe(200);
      expect((await server.inject({ method, url: "/api/open" })).statusCode).toBe(200);
    }
    const stranger = await server.inject({ method: "POST", url: "/api/things/a", payload: { site: large } });
    expect([stranger.statusCode, stranger.headers["www-authenticate"]]).toEqual([
      401,
      'Bearer realm="consilium"',
    ]);
    const viewer = await server.inject({
      method: "POST",
      url: "/api/things/a",
      headers: { authorization: "Bearer viewer" },
      payload: { site: large },
    });
    expect([viewer.statusCode, viewer.json().code]).toEqual([403, "NOT_PERMITTED"]);
  });

  it("gets what its schemas say, and nothing else", async () => {
    const server = await make();
    const post = (url: string, payload: unknown) =>
      server.inject({ method: "POST", url, headers: operator, payload: payload as object });
    const good = await post("/api/things/a%2Fb?limit=4&other=1", { site: "x" });
    expect([good.statusCode, good.json()]).toEqual([201, { id: "a/b", limit: 4, site: "x" }]);
    const faults: readonly (readonly [string, unknown, string])[] = [
      ["/api/things/a?limit=9", { site: "x" }, "query.limit: "],
      [`/api/things/${"x".repeat(41)}`, { site: "x" }, "params.id: "],
      ["/api/things/a", { site: 1 }, "body.site: "],
      ["/api/things/a", { site: "x", labels: { [`${canary} <script>`]: "y" } }, "body.labels.…: "],
      ["/api/things/a", { site: "x", admin: true }, "body: unknown keys admin"],
      ["/api/things/a", { site: "x", [`${canary}\r\nset-cookie: a=b`]: true }, "body: unknown keys …"],
      ["/api/things/a", [], "body: "],
    ];
    for (const [url, body, message] of faults) {
      const answer = await post(url, body);
      expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, "FIELD_INVALID"]);
      expect(answer.json().message).toContain(message);
      expect(answer.body).not.toContain(canary);
    }
  });

  it("that answers otherwise than it says fails, where answers are verified", async () => {
    const server = await make();
    const schema = { response: { 200: z.object({ n: z.int() }) } };
    server.get("/api/wrong", { config: { role: "public" }, schema }, async () => ({ n: 0.5 }));
    expect((await server.inject({ url: "/api/wrong" })).statusCode).toBe(500);
    expect(lines.join("")).toContain('"route":"/api/wrong"');
  });
});

describe("a failure", () => {
  it("has the status of its code, and a body of the one shape, for every code there is", async () => {
    const server = await make();
    for (const code of Object.keys(errorTable)) {
      const answer = await server.inject({ url: `/api/fails/${code}` });
      const view = failureSchema.parse(answer.json());
      expect(answer.headers["cache-control"]).toBe("no-store");
      if (answer.statusCode < 500) expect(view).toMatchObject({ code, message: `what ${canary} is` });
      // A stranger does not learn where the state lies.
      else if (code === "DISK_FULL")
        expect(view).toMatchObject({
          code,
          message: "disk full; the process's log has the folder",
        });
      // Of an internal error a stranger learns nothing.
      else expect(view).toMatchObject({ code: "INTERNAL", message: "internal error" });
    }
    const status = async (code: string) => (await server.inject({ url: `/api/fails/${code}` })).statusCode;
    expect(await status("STUDY_UNKNOWN")).toBe(404);
    expect(await status("STUDY_STATE")).toBe(409);
    expect(await status("BUDGET_EXHAUSTED")).toBe(409);
    expect(await status("STUDY_INVALID")).toBe(400);
    expect(await status("CONFIG_INVALID")).toBe(500);
    expect(await status("plain")).toBe(500);
  });

  it("of the framework quotes nothing of the request", async () => {
    const server = await make();
    const post = (payload: string, type: string) =>
      server.inject({
        method: "POST",
        url: "/api/things/a",
        headers: { ...operator, "content-type": type },
        payload,
      });
    const answers = [
      [400, await post(`{"${canary}": `, "application/json")],
      [400, await post("", "application/json")],
      [400, await post(`{"__proto__": {"${canary}": 1}}`, "application/json")],
      [400, await post(`{"constructor": {"prototype": {"${canary}": 1}}}`, "application/json")],
      [413, await post(`"${canary.repeat(500)}"`, "application/json")],
      [415, await post(canary, `text/${canary}`)],
      [415, await post(canary, canary)],
      [404, await server.inject({ url: `/api/${canary}`, headers: operator })],
      [404, await server.inject({ method: "DELETE", url: `/api/own?${canary}`, headers: operator })],
      [404, await server.inject({ method: "OPTIONS", url: "/api/own", headers: operator })],
      [404, await server.inject({ method: "POST", url: `/api/things/${canary.repeat(30)}` })],
      [400, await server.inject({ url: `/api/%zz${canary}`, headers: operator })],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.statusCode, answer.body).toBe(status);
      expect(failureSchema.parse(answer.json()).remedy).not.toBe("");
      expect(answer.body + JSON.stringify(answer.headers)).not.toContain(canary);
    }
  });

  it("answers any address with one shape, and never an internal error", async () => {
    const server = await make();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary-ascii", maxLength: 60 }), async (text) => {
        const address = `/${text.replace(/[\0-\x20\x7f]/g, "")}`;
        const answer = await server.inject({ method: "GET", url: { pathname: address } as never });
        if (answer.statusCode === 200) return;
        expect([400, 404]).toContain(answer.statusCode);
        failureSchema.parse(answer.json());
      }),
    );
  });
});

describe("every answer", () => {
  it("says that nothing may run, be framed, guessed or referred from", async () => {
    const server = await make();
    for (const url of ["/api/open", "/api/nothing", "/api/fails/plain"]) {
      const { headers } = await server.inject({ url });
      expect(headers["content-security-policy"]).toBe("default-src 'none';frame-ancestors 'none';sandbox");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["x-frame-options"]).toBe("SAMEORIGIN");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
      expect(headers["x-powered-by"]).toBeUndefined();
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("is limited by address, but not to whom the caller exempts", async () => {
    const server = await make({
      rateLimit: { perMinute: 2, exempt: ({ headers }) => headers.authorization === "Bearer operator" },
    });
    const ask = async (headers: Record<string, string>) => {
      const answers = [];
      for (let count = 0; count < 4; count++) answers.push(await server.inject({ url: "/api/own", headers }));
      return answers;
    };
    expect((await ask(operator)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const strangers = await ask({});
    expect(strangers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 429, 429]);
    expect(strangers[3]!.json().code).toBe("RATE_LIMITED");
    // A header that anybody can write makes nobody another address.
    const forged = await server.inject({ url: "/api/own", headers: { "x-forwarded-for": "10.1.1.1" } });
    expect(forged.statusCode).toBe(429);
  });
});

describe("a connection", () => {
  /** Everything that comes back until the server closes. */
  async function speak(server: HttpServer, text: string): Promise<string> {
    if (!server.server.listening) await server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.server.address() as { port: number };
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("close", () => resolve(answer));
      socket.on("error", reject);
    });
  }

  it.each([
    ["nonsense", `${canary}\r\n\r\n`, "400 Bad Request"],
    ["a header with a bare line feed", `GET / HTTP/1.1\r\nHost: x\r\nA: ${canary}\nB\x01\r\n\r\n`, "400"],
    [
      "two lengths",
      "POST /api/open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "400",
    ],
    [
      "a length and chunks",
      "POST /api/open HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400",
    ],
    ["no host", `GET /api/open HTTP/1.1\r\n\r\n`, "400"],
    ["large headers", `GET / HTTP/1.1\r\nHost: x\r\nA: ${canary.repeat(4_000)}\r\n\r\n`, "431"],
  ])("with %s is answered in our shape and closed", async (_, text, status) => {
    const server = await make();
    const answer = await speak(server, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    expect(answer).not.toContain(canary);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it("gets no header and no second answer out of line breaks in what it sends", async () => {
    const server = await make();
    const broken = "%0d%0aX-Injected:%20yes%0d%0a%0d%0aHTTP/1.1%20200%20OK";
    const lines = [
      `GET /api/${broken} HTTP/1.1`,
      `GET /api/open?q=${broken} HTTP/1.1`,
      `GET /api/fails/${broken} HTTP/1.1`,
      `POST /api/things/${broken}?limit=${broken} HTTP/1.1\r\nAuthorization: Bearer operator`,
      `GET /api/own HTTP/1.1\r\nAuthorization: Bearer ${broken}`,
      `OPTIONS /api/own HTTP/1.1\r\nOrigin: https://x.example${broken}`,
    ];
    for (const line of lines) {
      const answer = await speak(server, `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, line).toMatch(/^HTTP\/1\.1 [245]\d\d /);
      expect(answer.match(/^HTTP\/1\.1 /gm), line).toHaveLength(1);
      expect(answer.split("\r\n\r\n")[0], line).not.toMatch(/x-injected|x\.example/i);
    }
  });

  it("brings no more than a route takes, whatever it says of its length", async () => {
    const server = await make();
    const head =
      "POST /api/things/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer operator\r\nConnection: close\r\n";
    const chunk = `${(550).toString(16)}\r\n${canary.repeat(50)}\r\n`;
    const json = "Content-Type: application/json\r\n";
    const chunked = await speak(
      server,
      `${head}${json}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
    );
    const long = await speak(server, `${head}${json}Content-Length: 5000000000\r\n\r\n{`);
    for (const answer of [chunked, long]) {
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain("MESSAGE_TOO_LARGE");
    }
  });

  it("on which nothing moves is closed", async () => {
    const server = await make({ idleTimeoutMs: 200 });
    server.get("/api/never", { config: { role: "public" } }, () => new Promise(() => undefined));
    const begun = performance.now();
    expect(await speak(server, "GET /api/never HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    expect(performance.now() - begun).toBeLessThan(25_000);
  });

  it("that brings its headers or its body by drops is closed in time", async () => {
    const server = await make();
    const { headersTimeout, requestTimeout } = server.server;
    expect([headersTimeout, requestTimeout, server.initialConfig.connectionTimeout]).toEqual([
      15_000, 60_000, 120_000,
    ]);
    server.server.headersTimeout = 150;
    server.server.requestTimeout = 300;
    const begun = performance.now();
    const answers = await Promise.all([
      speak(server, "GET /api/open HTTP/1.1\r\nHost: x\r\nA: "),
      speak(
        server,
        "POST /api/things/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer operator\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
      ),
    ]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - begun).toBeLessThan(25_000);
  });
});
