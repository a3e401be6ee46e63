import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let home: string;
let server: Server;
const asked: string[] = [];
const markdown = "# Data protection record of st-mary\n\nText of the site.\u001b[2J\n";
const document = { madeFrom: "running agent", studies: [{}, {}], gaps: ["one"], officer: [{}] };

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-dpo-"));
  const state = join(home, "sites", "st-mary");
  await mkdir(join(state, "console"), { recursive: true });
  server = createServer((request, response) => {
    const known = request.url!.split("?")[0] === "/api/data-protection";
    asked.push(request.url!);
    response.writeHead(known ? 200 : 404).end(known ? JSON.stringify({ document, markdown }) : "{}");
  });
  await new Promise<void>((resolve) => server.listen(join(state, "console", "console.sock"), resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

async function run(...argv: string[]) {
  const io = capturedIo({ workingFolder: home, environment: { CONSILIUM_HOME: home } });
  return { exitCode: await runCli(["site", "data-protection", ...argv], io), out: io.out(), err: io.err() };
}

it("prints the console's document, escaped for a terminal", async () => {
  expect(await run()).toEqual({
    exitCode: 0,
    out: "# Data protection record of st-mary\n\nText of the site. [2J\n",
    err: "",
  });
});

it("prints the JSON form", async () => {
  const { exitCode, out } = await run("--json");
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual(document);
});

it("asks for one study, or for those since a day", async () => {
  asked.length = 0;
  expect((await run("--study", "wdbc-1f", "--since", "2026-01-31")).exitCode).toBe(0);
  expect(asked).toEqual(["/api/data-protection?study=wdbc-1f&since=2026-01-31"]);
  const wrong = await run("--since", "31.1.2026");
  expect(wrong).toMatchObject({ exitCode: 2, err: expect.stringContaining("such as 2026-01-01") });
});

it("writes a file for its owner, in both forms", async () => {
  const { exitCode, out } = await run("--to", "record.md");
  const path = join(home, "record.md");
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: `Written ${path}: 2 studies, 1 open point, 1 part for the officer to add.\n`,
  });
  expect(await readFile(path, "utf8")).toBe(markdown);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const json = await run("--to", "record.json", "--json");
  expect(JSON.parse(json.out)).toEqual({ file: join(home, "record.json"), studies: 2, gaps: 1 });
  expect(JSON.parse(await readFile(join(home, "record.json"), "utf8"))).toEqual(document);
});
