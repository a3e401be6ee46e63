import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const token = "cns1.played";
const expiresAt = "2026-02-01T00:00:00.000Z";
let home: string;
let server: Server;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-invite-"));
  server = createServer((_request, response) => {
    response
      .writeHead(201, { "content-type": "application/json" })
      .end(JSON.stringify({ site: "st-mary", token, expiresAt }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await mkdir(join(home, "aggregator"));
  await writeFile(join(home, "aggregator", "operator-token"), "token-of-the-operator\n");
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

async function invite(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home }, workingFolder: home });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exitCode = await runCli(["invite", ...argv, "--aggregator", url], io);
  return { exitCode, out: io.out(), err: io.err() };
}

describe("invite", () => {
  it("shows the token and the hospital's two commands", async () => {
    const { exitCode, out, err } = await invite("st-mary");
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toContain(`\n${token}\n`);
    expect(out).toContain(`consilium site enroll --token ${token} --table`);
    expect(out).toContain("consilium serve site --site st-mary");
  });

  it("says the longest time that a token may be valid", async () => {
    const { exitCode, err } = await invite("st-mary", "--expires", "31d");
    expect([exitCode, err]).toEqual([2, expect.stringContaining("at most 30d")]);
    expect((await invite("st-mary", "--expires", "30d")).exitCode).toBe(0);
  });

  it("writes it to a file that only its owner can read, and does not show it", async () => {
    const { exitCode, out } = await invite("st-mary", "--to", "st-mary.token");
    const path = join(home, "st-mary.token");
    expect(exitCode).toBe(0);
    expect(out).not.toContain(token);
    expect(out).toContain("consilium site enroll --token-file st-mary.token --table");
    expect(await readFile(path, "utf8")).toBe(`${token}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const printed = await invite("st-mary", "--to", "st-mary.token", "--json");
    expect(JSON.parse(printed.out)).toEqual({ site: "st-mary", token: null, expiresAt, file: path });
  });

  it("reports a file that could not be written", async () => {
    const { exitCode, err } = await invite("st-mary", "--to", "nowhere/st-mary.token");
    expect(exitCode).toBe(1);
    expect(err).toContain(join(home, "nowhere"));
    expect(err).not.toContain(token);
  });
});
