import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitUntil } from "../../../scripts/localFederation.js";

const command = fileURLToPath(new URL("../../../cli/bin/consilium.js", import.meta.url));

/** A hospital's terminal: runs what is pasted into it, with `consilium` as it was built. */
export class Terminal {
  readonly #serving: ChildProcess[] = [];

  /** @param home - the hospital's `CONSILIUM_HOME` */
  constructor(private readonly home: string) {}

  /** Waits until the command ends. */
  async runs(line: string): Promise<string> {
    const child = this.#start(line);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (said += String(text)));
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`the hospital's command ended with ${code}: ${said}`);
    return said;
  }

  /** Leaves the command running, and waits for the console's first link. */
  async serves(line: string, site: string): Promise<string> {
    const child = this.#start(line);
    this.#serving.push(child);
    for (const stream of [child.stdout, child.stderr]) stream?.resume();
    const link = join(this.home, "sites", site, "console", "setup-link");
    return waitUntil(
      () =>
        readFile(link, "utf8").then(
          (text) => text.trim() || null,
          () => null,
        ),
      180_000,
      "the hospital's console",
    );
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#serving.map(
        (child) =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null) return resolve();
            child.once("exit", () => resolve());
            child.kill();
          }),
      ),
    );
  }

  #start(line: string): ChildProcess {
    // `exec`: the last command takes the shell's place, and so gets its signals.
    const own = `consilium() { "${process.execPath}" "${command}" "$@"; }; ${line.replace(/^consilium /, `exec "${process.execPath}" "${command}" `)}`;
    return spawn("sh", ["-c", own], {
      env: { ...process.env, CONSILIUM_HOME: this.home, NO_COLOR: "1", no_proxy: "127.0.0.1,localhost" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
