import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessMigration } from "@consilium/runtime/store/accessTables";
import { type ConsoleAccessOptions, createConsoleAccess } from "../../../src/http/access/access.js";
import { operatorRoles } from "../../../src/http/access/accountRoles.js";
import type { TrailEvent } from "../../../src/http/access/gate.js";
import { setupLinkFile } from "../../../src/http/access/setupLink.js";
import { sendEvents } from "../../../src/http/events.js";
import { createHttpServer } from "../../../src/http/server.js";
import { createLogger } from "../../../src/log.js";
import { osRandom } from "../../../src/random.js";
import { openTestStore } from "../../store/store.js";
import { TestBrowser } from "./browser.js";

export const goodPassword = "correct horse battery";

/** A service with sign-in and a few routes of its own, its clock in the test's hand. For tests. */
export async function testService({
  prepare,
  ...options
}: Partial<ConsoleAccessOptions> & { readonly prepare?: (folder: string) => Promise<void> } = {}) {
  const stateFolder = await mkdtemp(join(tmpdir(), "consilium-access-"));
  await prepare?.(stateFolder);
  const store = openTestStore([accessMigration]);
  const clock = { at: Date.UTC(2026, 0, 5) };
  const trail: TrailEvent[] = [];
  const lines: string[] = [];
  const log = createLogger({ service: "test", stream: { write: (line) => void lines.push(line) } });
  const access = await createConsoleAccess({
    store,
    roles: operatorRoles,
    configuration: {},
    configPath: join(stateFolder, "config.yaml"),
    stateFolder,
    random: osRandom,
    now: () => clock.at,
    log,
    record: (event) => trail.push(event),
    // Fast: the cost itself is tested once.
    passwords: { cost: { log2N: 4, r: 8, p: 1 } },
    ...options,
  });
  const server = await createHttpServer({ log, access: access.judge, verifyAnswers: true });
  access.route(server);
  const [all, least] = options.roles ?? operatorRoles;
  server.get("/healthz", { config: { role: "public" } }, async () => ({ ok: true }));
  server.get("/api/things", { config: { role: least } }, async ({ caller }) => ({ name: caller?.name }));
  server.post("/api/things", { config: { role: all, does: "made a thing" } }, async (request) => {
    request.trail = { study: "s-1", detail: "a thing" };
    return { made: true };
  });
  server.get("/api/events", { config: { role: least } }, (request, reply) =>
    sendEvents(request, reply, { now: () => ({ n: 1 }), subscribe: () => () => {} }),
  );
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  await access.announce(`http://127.0.0.1:${port}`);
  const linkPath = join(stateFolder, setupLinkFile);
  const service = {
    server,
    access,
    store,
    clock,
    trail,
    lines,
    port,
    linkPath,
    browser: (host?: string) => new TestBrowser(port, host),
    linkSecret: async () => (await readFile(linkPath, "utf8")).trim().split("#")[1]!,
    /** The first account, signed in. */
    first: async (name = "ada") => {
      const browser = new TestBrowser(port);
      const secret = await service.linkSecret();
      const answer = await browser.ask("POST", "/api/setup", {
        body: { secret, name, password: goodPassword },
      });
      if (answer.status !== 201) throw new Error(`no first account: ${answer.text}`);
      return browser;
    },
    /** Another account, signed in. */
    another: async (by: TestBrowser, name: string, role: string) => {
      const { json } = await by.ask("POST", "/api/accounts", { body: { name, role } });
      const browser = new TestBrowser(port);
      const secret = String(json.url).split("#")[1];
      await browser.ask("POST", "/api/setup", { body: { secret, name, password: goodPassword } });
      return browser;
    },
    signIn: async (browser: TestBrowser, name = "ada", password = goodPassword) =>
      browser.ask("POST", "/api/session", { body: { name, password } }),
    close: async () => {
      await server.close();
      store.close();
      await rm(stateFolder, { recursive: true });
    },
  };
  return service;
}
