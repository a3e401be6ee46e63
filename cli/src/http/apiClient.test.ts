import { createServer, type RequestListener, type Server } from "node:http";
import { ConsiliumError } from "@consilium/core/errors";
import type { paths } from "@consilium/runtime/http/openapi/generated/operator";
import { afterEach, describe, expect, it } from "vitest";
import { answerOf, apiClient } from "./apiClient.js";
import type { Remote } from "./reach.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}`;
}

const stop = new AbortController();

async function client(
  handler: RequestListener,
  more: { timeoutMs?: number; interrupted?: AbortSignal } = {},
) {
  const url = await listen(handler);
  const remote: Remote = { name: `the aggregator at ${url}`, unreachable: "UNREACHABLE" };
  const api = apiClient<paths>({
    remote,
    url,
    headers: { authorization: "Bearer secret" },
    timeoutMs: 5_000,
    interrupted: stop.signal,
    ...more,
  });
  return { sites: () => answerOf(remote, api.GET("/api/sites")), api, remote };
}

async function faultOf(call: Promise<unknown>): Promise<ConsiliumError> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof ConsiliumError) return thrown;
  throw new Error(`no ConsiliumError: ${thrown}`);
}

describe("a client of an API", () => {
  it("builds requests from the document's paths and the caller's parameters", async () => {
    const asked: string[] = [];
    const { sites, api, remote } = await client((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.setHeader("content-type", "application/json").end("[]");
    });
    expect(await sites()).toEqual([]);
    await answerOf(remote, api.POST("/api/studies/{id}/cancel", { params: { path: { id: "../a b" } } }));
    expect(asked).toEqual([
      "GET /api/sites Bearer secret",
      "POST /api/studies/..%2Fa%20b/cancel Bearer secret",
    ]);
  });

  it("throws the error in the response, and rejects foreign responses", async () => {
    const failure = { code: "STUDY_STATE", message: "it has ended", remedy: "start it again" };
    const refused = await client((_, response) => response.writeHead(409).end(JSON.stringify(failure)));
    expect(await faultOf(refused.sites())).toMatchObject(failure);
    for (const [status, body] of [
      [502, "<html>Bad gateway</html>"],
      [200, "<html>Sign in to the network</html>"],
      [500, "{}"],
    ] as const) {
      const other = await client((_, response) => response.writeHead(status).end(body));
      expect((await faultOf(other.sites())).code, body).toBe("UNREACHABLE");
    }
  });

  it("returns nothing for a response without a body", async () => {
    const { api, remote } = await client((_, response) => response.writeHead(204).end());
    const call = api.POST("/api/revocations", { body: { list: "" } });
    expect(await answerOf(remote, call)).toBeUndefined();
  });

  it("never sends its token to another host", async () => {
    let visited = 0;
    const elsewhere = await listen((_, response) => {
      visited++;
      response.end("[]");
    });
    const { sites } = await client((_, response) =>
      response.writeHead(307, { location: `${elsewhere}/api/sites` }).end(),
    );
    expect((await faultOf(sites())).code).toBe("UNREACHABLE");
    expect(visited).toBe(0);
  });

  it("respects its timeout and the user's interruption", async () => {
    const silent = await client(() => undefined, { timeoutMs: 100 });
    expect((await faultOf(silent.sites())).message).toContain("no answer within");
    const slow = await client((_, response) => void response.writeHead(200).write("["), { timeoutMs: 100 });
    expect((await faultOf(slow.sites())).message).toContain("no answer within");
    const interrupted = await client(() => undefined, { interrupted: AbortSignal.timeout(50) });
    expect((await faultOf(interrupted.sites())).code).toBe("INTERRUPTED");
  });

  it("stops reading an oversized response", async () => {
    let sent = 0;
    const { sites } = await client((_, response) => {
      const more = () => {
        while (sent < 200 && response.write("x".repeat(1 << 20))) sent++;
        if (sent < 200) response.once("drain", () => ++sent && more());
      };
      more();
    });
    expect((await faultOf(sites())).code).toBe("MESSAGE_TOO_LARGE");
    expect(sent).toBeLessThan(150);
  });
});
