/** `npm run bench -- <name> [options]`: runs one benchmark. */

type Bench = (args: string[]) => Promise<void>;

/** Loaded when asked for, so that one bench does not need what another measures. */
const benches: Record<string, () => Promise<{ run: Bench }>> = {
  "boosted-trees": () => import("./boosted-trees.js"),
  calibration: () => import("./calibration.js"),
  "content-hash": () => import("./content-hash.js"),
  covariance: () => import("./covariance.js"),
  defaults: () => import("./defaults.js"),
  patients: () => import("./patients.js"),
  "dp-pca-utility": () => import("./dp-pca-utility.js"),
  eigen: () => import("./eigen.js"),
  engines: () => import("./engines.js"),
  figures: () => import("./figures.js"),
  "finished-studies": () => import("./finished-studies.js"),
  forecast: () => import("./forecast.js"),
  gallery: () => import("./gallery.js"),
  gate: () => import("./gate.js"),
  histogram: () => import("./histogram.js"),
  "ledger-kills": () => import("./ledger-kills.js"),
  omop: () => import("./omop.js"),
  pages: () => import("./pages.js"),
  "pass-time": () => import("./pass-time.js"),
  "pca-utility": () => import("./pca-utility.js"),
  read: () => import("./read.js"),
  regression: () => import("./regression.js"),
  round: () => import("./round.js"),
  sampler: () => import("./sampler.js"),
  scale: () => import("./scale.js"),
  "secure-sum": () => import("./secure-sum.js"),
  stage: () => import("./stage.js"),
  stores: () => import("./stores.js"),
  survival: () => import("./survival.js"),
  "synthetic-table": () => import("./synthetic-table.js"),
  utility: () => import("./utility.js"),
  walk: () => import("./walk.js"),
};

const [name, ...args] = process.argv.slice(2);
const load = name === undefined ? undefined : benches[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- <${Object.keys(benches).join(" | ")}> [--json] [--repeats <n>]`);
  process.exitCode = 2;
} else {
  await (await load()).run(args);
}
