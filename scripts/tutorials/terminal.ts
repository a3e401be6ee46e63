import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** How one block of commands ended. */
export interface Ended {
  readonly code: number;
  /** Standard output and standard error as they came. */
  readonly output: string;
}

let count = 0;

/** A shell that stays open, as a person's does: what is set in one block is set in the next. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #logs: string;
  #printed = "";
  #ended: number | null = null;

  /** @param logs - a folder for the output of background commands */
  constructor(workingFolder: string, environment: NodeJS.ProcessEnv, logs: string) {
    this.#logs = logs;
    // A group of its own, so that what was begun in the background ends with it.
    this.#shell = spawn("bash", ["--norc", "--noprofile"], {
      cwd: workingFolder,
      env: environment,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    for (const stream of [this.#shell.stdout!, this.#shell.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    }
    this.#shell.once("exit", (code) => {
      this.#ended = code ?? 1;
    });
    this.#shell.stdin!.write("exec 2>&1\n");
  }

  /**
   * Runs commands until one fails; in the shell itself, so that what is exported stays, unless a failure is expected.
   * @param options.onOutput - is shown all that was printed so far, again and again
   * @throws Error if they take longer than the limit
   */
  async run(
    code: string,
    limitMs: number,
    { failureExpected = false, onOutput = (_text: string) => {} } = {},
  ): Promise<Ended> {
    const mark = `end-of-block-${++count}`;
    const from = this.#printed.length;
    const [open, close] = failureExpected ? ["( set -e", ")"] : ["set -e\n{", "}"];
    this.#shell.stdin!.write(
      `${open}\n${code}\n${close} < /dev/null\ncode=$?; echo; echo "${mark} $code"; set +e\n`,
    );
    const end = new RegExp(`\\n${mark} (\\d+)\\n`);
    const deadline = Date.now() + limitMs;
    for (;;) {
      const text = this.#printed.slice(from);
      onOutput(text);
      const match = end.exec(text);
      if (match) return { code: Number(match[1]), output: text.slice(0, match.index) };
      if (this.#ended !== null) return { code: this.#ended, output: text };
      if (Date.now() > deadline) throw new Error(`not ended after ${limitMs / 1000} s:\n${code}\n${text}`);
      await delay(20);
    }
  }

  /** Begins commands that continue in the background, as in a terminal of their own, and waits until they have printed something. */
  async begin(code: string, until: string, limitMs: number): Promise<Ended> {
    const path = join(this.#logs, `background-${++count}.log`);
    await writeFile(path, "");
    this.#shell.stdin!.write(`{ ${code}\n} < /dev/null > ${path} 2>&1 &\n`);
    const deadline = Date.now() + limitMs;
    for (;;) {
      const text = await readFile(path, "utf8");
      const at = text.indexOf(until);
      const end = at < 0 ? -1 : text.indexOf("\n", at);
      if (end >= 0) return { code: 0, output: text.slice(0, end) };
      if (this.#ended !== null || Date.now() > deadline)
        throw new Error(`did not print ${until} in ${limitMs / 1000} s:\n${code}\n${text}`);
      await delay(20);
    }
  }

  /** Ends the shell and everything that was begun in it. */
  async close(): Promise<void> {
    if (this.#shell.pid === undefined) return;
    signal(this.#shell.pid, "SIGTERM");
    const deadline = Date.now() + 15_000;
    while (signal(this.#shell.pid, 0)) {
      if (Date.now() > deadline) signal(this.#shell.pid, "SIGKILL");
      await delay(50);
    }
  }
}

/** @returns whether any process of the group is there */
function signal(group: number, what: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, what);
  } catch {
    return false;
  }
}
