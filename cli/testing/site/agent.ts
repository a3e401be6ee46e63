import { mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

/** What an agent was asked: the request's name and its body. */
export type Asked = readonly [name: string, asked: unknown];

/** Answers by the request's name, each with its HTTP status; a test may change them. */
export type Answers = Record<string, readonly [status: number, answer: unknown]>;

/** A socket that answers as an agent does, in a site's state folder. */
export async function serveAgent(state: string, answers: Answers) {
  const asked: Asked[] = [];
  await mkdir(state, { recursive: true });
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const name = /^\/v1\/(\w+)$/.exec(request.url ?? "")?.[1] ?? `${request.method} ${request.url}`;
      asked.push([name, JSON.parse(body)]);
      const [status, answer] = answers[name] ?? [404, {}];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(join(state, "agent.sock"), resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { asked, close };
}
