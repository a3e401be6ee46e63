import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** Reads one request per line, answers one JSON object per line. Times are of the call alone, in seconds. */
const program = `
import json, sys, time
import numpy as np

def answer(value):
    print(json.dumps(value), flush=True)

answer({"version": np.__version__})
x = a = None
for line in sys.stdin:
    name, *sizes = line.split()
    sizes = [int(size) for size in sizes]
    if name == "rows":
        rows, d = sizes
        x = np.random.default_rng(1).uniform(-1, 1, (rows, d))
        answer({})
    elif name == "symmetric":
        d, = sizes
        x = np.random.default_rng(1).uniform(-1, 1, (2 * d, d))
        a = x.T @ x
        answer({})
    else:
        start = time.perf_counter()
        if name == "gram":
            x.T @ x
        elif name == "eigh":
            np.linalg.eigh(a)
        answer({"seconds": time.perf_counter() - start})
`;

/** numpy on one thread, in a process of its own that answers while the bench runs, so that both see the same machine. */
export class Numpy {
  readonly version: string;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    version: string,
    process: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
  ) {
    this.version = version;
    this.#process = process;
    this.#lines = lines;
  }

  /**
   * Starts `CONSILIUM_PYTHON`, or `python3`.
   * @returns undefined if it does not run or has no numpy
   */
  static async start(): Promise<Numpy | undefined> {
    const threads = { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
    const child = spawn(process.env.CONSILIUM_PYTHON || "python3", ["-c", program], {
      env: { ...process.env, ...threads },
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
    const { version } = JSON.parse(first.value) as { version: string };
    return new Numpy(version, child, lines);
  }

  /** Prepares a matrix of rows for `time("gram")`. */
  async rows(rows: number, d: number): Promise<void> {
    await this.#ask(`rows ${rows} ${d}`);
  }

  /** Prepares a symmetric matrix for `time("eigh")`. */
  async symmetric(d: number): Promise<void> {
    await this.#ask(`symmetric ${d}`);
  }

  /** Seconds of one call. */
  async time(name: "gram" | "eigh"): Promise<number> {
    return (await this.#ask(name)).seconds!;
  }

  /** One line for a report: what ran, and the processor that OpenBLAS was told to assume, if it was. */
  describe(operation: string): string {
    const assumed = process.env.OPENBLAS_CORETYPE;
    const note = assumed ? `, OPENBLAS_CORETYPE=${assumed} on both sides` : "";
    return `reference: numpy ${this.version}, ${operation}, one thread${note}`;
  }

  close(): void {
    this.#process.stdin.end();
  }

  async #ask(request: string): Promise<{ seconds?: number }> {
    this.#process.stdin.write(`${request}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`numpy ended during "${request}"`);
    return JSON.parse(value) as { seconds?: number };
  }
}
