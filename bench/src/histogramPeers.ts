import { Python } from "./python.js";

/**
 * scikit-learn builds histograms through a class of its own that we call as its trees do. LightGBM's are not to be had
 * alone: a round of two leaves builds the root's histograms and little else, and the same round on two features is
 * subtracted, so that gradients, scores and the split do not count.
 */
const program = `
import json, sys, time
import numpy as np
import sklearn
from sklearn.ensemble._hist_gradient_boosting.histogram import HistogramBuilder
try:
    import lightgbm
except Exception:
    lightgbm = None

def answer(value):
    print(json.dumps(value), flush=True)

def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

few = 2

def boosters(bins, labels):
    parameters = dict(objective="binary", num_leaves=2, max_bin=255, min_data_in_bin=1, force_col_wise=True,
        enable_bundle=False, feature_pre_filter=False, verbosity=-1)
    made = {}
    for columns in (few, bins.shape[1]):
        data = lightgbm.Dataset(bins[:, :columns].astype(np.float32), labels, params=parameters).construct()
        for threads in (1, 2):
            made[columns, threads] = lightgbm.Booster(dict(parameters, num_threads=threads), data)
    return made

answer({"sklearn": sklearn.__version__, "lightgbm": lightgbm and lightgbm.__version__})
for line in sys.stdin:
    name, *rest = line.rstrip("\\n").split(" ", 4)
    if name == "load":
        rows, features, count, path = int(rest[0]), int(rest[1]), int(rest[2]), rest[3]
        bins = np.fromfile(path + "/bins", np.uint8).reshape((rows, features), order="F")
        g, h = np.fromfile(path + "/pairs", np.float64).reshape(rows, 2).astype(np.float32).T.copy()
        nodes = np.fromfile(path + "/nodes", np.uint16)
        everything = np.arange(rows, dtype=np.uint32)
        of_node = [np.flatnonzero(nodes == node).astype(np.uint32) for node in range(nodes.max() + 1)]
        builders = {threads: HistogramBuilder(bins, count, g, h, False, threads) for threads in (1, 2)}
        models = lightgbm and boosters(bins, np.arange(rows) % 2)
        answer({})
    elif name == "sums":
        last = np.asarray(builders[1].compute_histograms_brute(everything))[features - 1]
        answer({"sums": np.stack([last["sum_gradients"], last["sum_hessians"]], 1)[:count].ravel().tolist()})
    elif name == "root":
        builder = builders[int(rest[0])]
        answer({"seconds": seconds(lambda: builder.compute_histograms_brute(everything))})
    elif name == "nodes":
        builder = builders[int(rest[0])]
        answer({"seconds": seconds(lambda: [builder.compute_histograms_brute(rows) for rows in of_node])})
    else:
        threads = int(rest[0])
        answer({"all": seconds(models[features, threads].update), "few": seconds(models[few, threads].update)})
`;

/** Features of the LightGBM round that is subtracted. */
export const fewFeatures = 2;

/** The histogram builders of scikit-learn, and of LightGBM where it is installed. */
export class HistogramPeers {
  readonly sklearn: string;
  readonly lightgbm: string | null;
  readonly #python: Python;

  private constructor(python: Python) {
    const { sklearn, lightgbm } = python.greeting as { sklearn: string; lightgbm: string | null };
    this.sklearn = sklearn;
    this.lightgbm = lightgbm;
    this.#python = python;
  }

  /** @returns undefined if Python does not run or has no scikit-learn */
  static async start(): Promise<HistogramPeers | undefined> {
    const python = await Python.start(program, {});
    return python && new HistogramPeers(python);
  }

  /** Reads `bins` (bytes, column by column), `pairs` (g, h per row, float64) and `nodes` (uint16) from a folder. */
  async load(rows: number, features: number, bins: number, folder: string): Promise<void> {
    await this.#python.ask(`load ${rows} ${features} ${bins} ${folder}`);
  }

  /** The last feature's histogram over all rows: [bins × 2]. */
  async sums(): Promise<number[]> {
    return ((await this.#python.ask("sums")) as { sums: number[] }).sums;
  }

  /** Seconds of scikit-learn for all rows in one node (`root`), or one node after the other. */
  async time(what: "root" | "nodes", threads: number): Promise<number> {
    return ((await this.#python.ask(`${what} ${threads}`)) as { seconds: number }).seconds;
  }

  /** Seconds of a LightGBM round on all features and on few. */
  async lightgbmRound(threads: number): Promise<{ all: number; few: number }> {
    return (await this.#python.ask(`lightgbm ${threads}`)) as { all: number; few: number };
  }

  close(): void {
    this.#python.close();
  }
}
