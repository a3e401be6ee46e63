import { Python } from "./python.js";

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

/** numpy on one thread, in a process of its own. */
export class Numpy {
  readonly version: string;
  readonly #python: Python;

  private constructor(python: Python) {
    this.version = (python.greeting as { version: string }).version;
    this.#python = python;
  }

  /** @returns undefined if Python does not run or has no numpy */
  static async start(): Promise<Numpy | undefined> {
    const threads = { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
    const python = await Python.start(program, threads);
    return python && new Numpy(python);
  }

  /** Prepares a matrix of rows for `time("gram")`. */
  async rows(rows: number, d: number): Promise<void> {
    await this.#python.ask(`rows ${rows} ${d}`);
  }

  /** Prepares a symmetric matrix for `time("eigh")`. */
  async symmetric(d: number): Promise<void> {
    await this.#python.ask(`symmetric ${d}`);
  }

  /** Seconds of one call. */
  async time(name: "gram" | "eigh"): Promise<number> {
    return ((await this.#python.ask(name)) as { seconds: number }).seconds;
  }

  /** One line for a report: what ran, and the processor that OpenBLAS was told to assume, if it was. */
  describe(operation: string): string {
    const assumed = process.env.OPENBLAS_CORETYPE;
    const note = assumed ? `, OPENBLAS_CORETYPE=${assumed} on both sides` : "";
    return `reference: numpy ${this.version}, ${operation}, one thread${note}`;
  }

  close(): void {
    this.#python.close();
  }
}
