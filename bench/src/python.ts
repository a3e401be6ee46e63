import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/**
 * A Python program in a process of its own that answers while a bench runs, so that both see the same machine. It reads
 * one request per line and answers one JSON object per line; the first comes unasked, once it has its libraries.
 */
export class Python {
  /** What the program said first. */
  readonly greeting: unknown;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    greeting: unknown,
    process: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
  ) {
    this.greeting = greeting;
    this.#process = process;
    this.#lines = lines;
  }

  /**
   * Starts `CONSILIUM_PYTHON`, or `python3`.
   * @param env - added to the environment
   * @returns undefined if it does not run or ends before it has said anything
   */
  static async start(program: string, env: NodeJS.ProcessEnv): Promise<Python | undefined> {
    const child = spawn(process.env.CONSILIUM_PYTHON || "python3", ["-c", program], {
      env: { ...process.env, ...env },
    });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stderr.resume();
    const reader: Interface = createInterface({ input: child.stdout });
    const lines = reader[Symbol.asyncIterator]();
    const first = await Promise.race([
      lines.next(),
      once(child, "error").then(() => ({ done: true as const })),
    ]);
    if (first.done) return undefined;
    return new Python(JSON.parse(first.value), child, lines);
  }

  async ask(request: string): Promise<unknown> {
    this.#process.stdin.write(`${request}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`Python ended during "${request}"`);
    return JSON.parse(value);
  }

  close(): void {
    this.#process.stdin.end();
  }
}
