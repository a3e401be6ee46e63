import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSha256, parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { osRandom } from "@consilium/runtime/random";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCli } from "../run.js";
import { openSession } from "../session.js";
import { capturedIo } from "../terminal/testIo.js";
import { tableOption, writeSiteConfig } from "./siteConfig.js";

let home: string;
const servers: Server[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-site-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await rm(home, { recursive: true, force: true });
});

async function run(argv: string[], input = "") {
  const io = capturedIo({ workingFolder: home, environment: { CONSILIUM_HOME: home }, input });
  return { exitCode: await runCli(["site", ...argv], io), out: io.out(), err: io.err() };
}

/** An agent's socket with the answers given by path. */
async function serveAgent(site: string, answers: Record<string, [number, unknown]>): Promise<string[]> {
  const bodies: string[] = [];
  await mkdir(join(home, "sites", site), { recursive: true });
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      const [status, answer] = answers[`${request.method} ${request.url}`] ?? [404, {}];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(join(home, "sites", site, "agent.sock"), resolve));
  servers.push(server);
  return bodies;
}

const status = {
  site: "st-mary",
  federation: "north-sea",
  connected: false,
  connectedSince: null,
  lastFault: { code: "UNREACHABLE", message: "nothing listens" },
  certificateExpiresAt: "2026-02-01T00:00:00.000Z",
  tables: ["patients"],
  studies: [
    {
      id: "vitals-0123456789",
      status: "refused",
      code: "ROWS_TOO_FEW",
      reason: "1 row is usable, 2 are needed",
    },
  ],
};

describe("consilium site status", () => {
  it("shows connection, certificate and studies with the reason that stays at the site", async () => {
    await serveAgent("st-mary", { "GET /status": [200, status] });
    const { exitCode, out } = await run(["status"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("not connected, it keeps trying: [UNREACHABLE] nothing listens");
    expect(out).toContain("vitals-0123456789  refused  [ROWS_TOO_FEW] 1 row is usable, 2 are needed");
    expect(JSON.parse((await run(["status", "--json"])).out)).toEqual(status);
  });

  it("is 3 where no agent runs, 1 where there is no site, 2 where several are", async () => {
    expect((await run(["status"])).exitCode).toBe(1);
    await mkdir(join(home, "sites", "st-mary"), { recursive: true });
    const silent = await run(["status"]);
    expect(silent.exitCode).toBe(3);
    expect(silent.err).toContain(
      "no agent runs with this state folder. Start it with `consilium serve site`",
    );
    // A socket whose agent was killed is left behind.
    await serveAgent("st-john", {});
    expect((await run(["status"])).err).toContain("several sites have their state");
    expect((await run(["status", "--site", "st-mary"])).exitCode).toBe(3);
    expect((await run(["status", "--state", "sites/st-mary"])).exitCode).toBe(3);
    expect((await run(["status", "--site", "../etc"])).exitCode).toBe(2);
  });
});

describe("consilium site profile", () => {
  it("sends the study and prints what the agent says", async () => {
    const study = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const answer = { report: { rows: 10 }, text: "Rows  10\nAge\u001b[2J  0 to 120\n" };
    const bodies = await serveAgent("st-mary", { "POST /profile": [200, answer] });
    const { exitCode, out } = await run(["profile", study]);
    expect(exitCode).toBe(0);
    expect(out).toBe("Rows  10\nAge [2J  0 to 120\n");
    expect(parse(JSON.parse(bodies[0]!).study).name).toBe("vital-signs");
    expect(JSON.parse((await run(["profile", study, "--json"])).out)).toEqual({ rows: 10 });
  });

  it("passes the agent's own refusal on", async () => {
    const study = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const refusal = { code: "TABLE_UNKNOWN", message: "no table patients", remedy: "name it" };
    await serveAgent("st-mary", { "POST /profile": [400, refusal] });
    expect(await run(["profile", study])).toMatchObject({
      exitCode: 1,
      err: "[TABLE_UNKNOWN] no table patients. Name it.\n",
    });
  });
});

describe("consilium site enroll", () => {
  const token = (expiresAt: number, address = "127.0.0.1:9") =>
    createInvitation({
      address,
      rootFingerprint: unwrap(parseSha256("0".repeat(64))),
      siteId: unwrap(parseSiteId("st-mary")),
      expiresAt,
      random: osRandom,
    }).token;

  it("looks at everything before the token is used", async () => {
    const good = token(Date.now() + 60_000);
    expect((await run(["enroll"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", good, "--token-file", "x"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", "nonsense"])).err).toMatch(/^\[TOKEN_INVALID\]/);
    expect((await run(["enroll", "--token", token(1)])).err).toMatch(/^\[TOKEN_EXPIRED\]/);
    expect((await run(["enroll", "--token", good, "--table", "patients"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", good, "--table", "patients=none.csv"])).err).toMatch(
      /^\[TABLE_UNREADABLE\] --table patients: .*none\.csv: there is no such file/,
    );
  });

  it("says 3 where the aggregator of the token does not answer, and never repeats the token", async () => {
    const secret = token(Date.now() + 60_000);
    const { exitCode, out, err } = await run(["enroll", "--token-file", "-"], `${secret}\n`);
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^\[UNREACHABLE\]/);
    expect(out + err).not.toContain(secret.slice(5, 40));
  });
});

describe("a site's configuration", () => {
  const config = {
    aggregator: "a.example.org:7443",
    tables: [],
    allowPaperVariants: false,
    allowNoPrivacy: false,
  };
  const session = () =>
    openSession(capturedIo({ workingFolder: home }), { color: false }, new AbortController().signal);

  it("names tables by absolute paths, SQLite ones with their table", async () => {
    await writeFile(join(home, "p.csv"), "age\n");
    await writeFile(join(home, "l.sqlite"), "");
    const tables = [
      await tableOption(session(), "p=p.csv"),
      await tableOption(session(), "labs=l.sqlite#results"),
    ];
    const path = await writeSiteConfig(home, { ...config, tables });
    expect(parse(await readFile(path, "utf8"))).toEqual({
      aggregator: "a.example.org:7443",
      tables: { p: { path: join(home, "p.csv") }, labs: { path: join(home, "l.sqlite"), table: "results" } },
      allowPaperVariants: false,
      allowNoPrivacy: false,
      console: { listen: "127.0.0.1:7082" },
      logLevel: "info",
    });
  });

  it("keeps what the hospital wrote when it enrols again", async () => {
    await writeFile(
      join(home, "config.yaml"),
      "# ours\naggregator: old:1\ntables:\n  a: { path: /a.csv } # keep\nallowPaperVariants: true\nlogLevel: debug\n",
    );
    const tables = [{ name: "b", path: "/b.csv", table: null }];
    const text = await readFile(await writeSiteConfig(home, { ...config, tables }), "utf8");
    expect(text).toContain("# ours");
    expect(text).toContain("# keep");
    expect(parse(text)).toEqual({
      aggregator: "a.example.org:7443",
      tables: { a: { path: "/a.csv" }, b: { path: "/b.csv" } },
      allowPaperVariants: true,
      logLevel: "debug",
    });
  });

  it("is left alone where it cannot be read", async () => {
    await writeFile(join(home, "config.yaml"), "tables: [\n");
    await expect(writeSiteConfig(home, config)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await readFile(join(home, "config.yaml"), "utf8")).toBe("tables: [\n");
  });
});
