import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError, errorTable, isErrorCode } from "@consilium/core/errors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../testing/terminal/io.js";
import { exitCodeOf } from "./exitCodes.js";
import { runCli } from "./run.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-run-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function run(argv: string[], options: Parameters<typeof capturedIo>[0] = {}) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: folder }, workingFolder: folder, ...options });
  return { exitCode: await runCli(argv, io), out: io.out(), err: io.err() };
}

describe("exit codes", () => {
  it("are 0 for help and version", async () => {
    expect(await run(["--version"])).toMatchObject({ exitCode: 0, out: "0.1.0\n", err: "" });
    const help = await run(["study", "plan", "--help"]);
    expect(help).toMatchObject({ exitCode: 0, err: "" });
    expect(help.out).toMatch(/^Usage: consilium study plan/);
  });

  it("are 2 for an invalid command line, with suggestions", async () => {
    expect(await run(["studdy"])).toMatchObject({
      exitCode: 2,
      out: "",
      err: "[USAGE] unknown command 'studdy'. Did you mean study?\n",
    });
    expect((await run(["approve"])).err).toContain("Did you mean site approve?");
    expect((await run(["enrol"])).err).toContain("Did you mean site enroll?");
    expect((await run(["egress"])).err).toContain("Did you mean ledger egress?");
    expect((await run(["unlikely"])).err).toContain("See the command's --help.");
    expect((await run(["study", "plan"])).err).toBe(
      "[USAGE] missing required argument 'file'. See the command's --help.\n",
    );
    expect((await run(["study", "plan", "a", "b"])).exitCode).toBe(2);
    expect((await run(["invite", "Not A Site"])).exitCode).toBe(2);
    expect((await run(["study", "watch", "x", "--timeout", "10"])).err).toContain("30s, 10m, 24h or 7d");
    expect((await run(["study"])).err).toMatch(/^Usage: consilium study/);
    expect((await run([])).exitCode).toBe(2);
  });

  it("are 3 without an answer, and 1 for a refusal", async () => {
    const token = join(folder, "token");
    await writeFile(token, "secret\n");
    const server = createServer((request, response) => {
      const known = request.headers.authorization === "Bearer secret";
      response.writeHead(known ? 409 : 401, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ code: known ? "STUDY_STATE" : "UNAUTHENTICATED", message: "no", remedy: "r" }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const argv = ["study", "list", "--token-file", token, "--aggregator", url];
    expect(await run(argv)).toMatchObject({ exitCode: 1, err: "[STUDY_STATE] no. R.\n" });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const refused = await run(argv);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/^\[UNREACHABLE\] the aggregator at http.* connection refused\. Start it/);
  });

  it("are 3 when another process answers", async () => {
    const token = join(folder, "token");
    await writeFile(token, "secret\n");
    for (const [status, body] of [
      [200, "<html>"],
      [200, '{"sites": []}'],
      [502, "Bad gateway"],
    ] as const) {
      const server = createServer((_, response) => response.writeHead(status).end(body));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect((await run(["sites", "--token-file", token, "--aggregator", url])).exitCode, body).toBe(3);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it("are the same for every error of one code", () => {
    const codes = Object.keys(errorTable).filter(isErrorCode);
    const by = (exitCode: number) =>
      codes.filter((code) => exitCodeOf(new ConsiliumError(code, "x")) === exitCode).sort();
    expect(by(2)).toEqual(["USAGE"]);
    expect(by(3)).toEqual(["PROXY_FAILED", "PUBLISHER_UNREACHABLE", "TLS_INTERCEPTED", "UNREACHABLE"]);
    expect(by(4)).toEqual([
      "AUTHORITY_MISMATCH",
      "BACKUP_INVALID",
      "CERTIFICATE_EPSILON",
      "COUNTERSIGNATURE_INVALID",
      "LEDGER_BROKEN",
      "LEDGER_HEAD_INVALID",
      "RELEASE_CORRUPT",
      "REVOCATIONS_INVALID",
    ]);
    expect(by(130)).toEqual(["INTERRUPTED"]);
    expect(by(1)).toHaveLength(codes.length - 14);
  });
});

describe("errors", () => {
  it("go to standard output as JSON with --json, at any position", async () => {
    for (const argv of [
      ["--json", "study", "plan", "none.yaml"],
      ["study", "plan", "none.yaml", "--json"],
    ]) {
      const { exitCode, out, err } = await run(argv);
      expect([exitCode, err]).toEqual([1, ""]);
      expect(JSON.parse(out)).toEqual({
        error: {
          code: "CONFIG_INVALID",
          message: `study file ${join(folder, "none.yaml")}: no such file`,
          remedy: "check the path",
        },
      });
    }
    expect(JSON.parse((await run(["study", "--json"])).out).error.code).toBe("USAGE");
    expect(JSON.parse((await run(["studdy", "--json"])).out).error.code).toBe("USAGE");
  });

  it("list a study's errors for people and for programs", async () => {
    await writeFile(join(folder, "bad.yaml"), "name: W D\nanalysis: pca\n");
    const text = await run(["study", "validate", "bad.yaml"]);
    expect(text.exitCode).toBe(1);
    expect(text.err).toContain("bad.yaml:1:7  name: a study's name holds");
    expect(text.err.trimEnd().split("\n").at(-1)).toMatch(/^\[STUDY_INVALID\] bad\.yaml has \d+ errors/);
    const { error } = JSON.parse((await run(["study", "validate", "bad.yaml", "--json"])).out);
    expect(error.faults).toContainEqual(expect.objectContaining({ path: "name", line: 1, column: 7 }));
  });

  it("are coloured on a terminal and cannot be forged by quoted text", async () => {
    const { err } = await run(["study", "plan", "no\u001b[2Jne.yaml"], { terminal: true });
    expect(err.startsWith("\u001b[31m[CONFIG_INVALID]\u001b[39m ")).toBe(true);
    expect(err).not.toContain("\u001b[2J");
    expect((await run(["studdy", "--no-color"], { terminal: true })).err).toMatch(/^\[USAGE\]/);
  });
});
