import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const view = {
  failedStudiesMs: 30 * 86_400_000,
  studyRecordsMs: null,
  due: [{ study: "pca-0123", what: "working data" }],
};
let home: string;
let server: Server;
let answer: unknown;
const asked: string[] = [];
beforeEach(async () => {
  answer = view;
  asked.splice(0);
  home = await mkdtemp(join(tmpdir(), "consilium-retention-"));
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
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

async function retention(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home }, workingFolder: home });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exitCode = await runCli(["retention", ...argv, "--aggregator", url], io);
  return { exitCode, out: io.out(), err: io.err() };
}

describe("retention", () => {
  it("shows the periods and what is due", async () => {
    const { exitCode, out } = await retention("show");
    expect(exitCode).toBe(0);
    expect(out).toContain("30d");
    expect(out).toContain("Details of ended studies are kept  permanently");
    expect(out).toMatch(/pca-0123 +working data/);
    expect(asked).toEqual(["GET /api/retention"]);
  });

  it("removes only without --dry-run", async () => {
    const dry = await retention("run", "--dry-run");
    expect(dry.out).toContain("Would be removed:");
    expect(asked).toEqual(["GET /api/retention"]);
    const done = await retention("run", "--json");
    expect(JSON.parse(done.out)).toEqual({ dryRun: false, ...view });
    expect(asked.at(-1)).toBe("POST /api/retention/run");
  });

  it("says that nothing is due, and refuses another service's answer", async () => {
    answer = { ...view, due: [] };
    expect((await retention("run")).out).toContain("Nothing is due.");
    answer = {};
    expect((await retention("show")).exitCode).not.toBe(0);
  });
});
