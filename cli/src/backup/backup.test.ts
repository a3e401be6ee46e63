import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-backup-verb-"));
  await mkdir(join(home, "authority"));
  await writeFile(join(home, "authority", "root-key.pem"), "the root key");
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const environment = () => ({ CONSILIUM_HOME: home });

describe("a backup on standard output", () => {
  it("is only the backup, and is restored from standard input", async () => {
    const made = capturedIo({ environment: environment() });
    expect(await runCli(["backup", "authority", "--to", "-"], made)).toBe(0);
    expect(made.out()).toBe("");
    expect(made.err()).toContain(`${made.outBytes().length} bytes`);

    const state = join(home, "volume");
    await mkdir(state);
    const back = capturedIo({ environment: environment(), inputBytes: made.outBytes() });
    expect(await runCli(["restore", "-", "--state", state], back)).toBe(0);
    expect(await readFile(join(state, "root-key.pem"), "utf8")).toBe("the root key");

    const cut = capturedIo({ environment: environment(), inputBytes: made.outBytes().subarray(0, 2_000) });
    expect(await runCli(["restore", "-", "--check"], cut)).not.toBe(0);
    expect(cut.err()).toContain("[BACKUP_INVALID]");
  });

  it("never mixes with JSON, and never goes to a terminal", async () => {
    for (const io of [
      capturedIo({ environment: environment() }),
      capturedIo({ environment: environment(), terminal: true }),
    ]) {
      const json = io.stdout.isTerminal ? [] : ["--json"];
      expect(await runCli(["backup", "authority", "--to", "-", ...json], io)).toBe(2);
      expect(`${io.out()}${io.err()}`).toContain("USAGE");
      expect(io.outBytes().length).toBe(0);
    }
    expect(await readdir(home)).toEqual(["authority"]);
  });
});
