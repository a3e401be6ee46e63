// Bundles the fold worker into one file, and puts Spark's driver beside what was compiled. Fails where it would load anything but what a function of its input needs.
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Modules of Node that the worker may load: no files, no network, no processes, no threads. */
const allowed = new Set([
  "node:crypto", // the keyed hashes of rows and patients; where the gate asks again
  "node:events",
  "node:os", // the order of bytes
  "node:path", // names of files in messages
  "node:timers/promises",
  "node:v8", // how WebAssembly is compiled
]);

/**
 * @param {string} outfile
 * @param {{ sources?: boolean }} [options] - `sources`: of the TypeScript files, for tests without a build
 */
export async function bundleFoldWorker(outfile, { sources = false } = {}) {
  const folder = sources ? "src" : "dist";
  const { metafile } = await build({
    entryPoints: [join(root, `site-agent/${folder}/engines/worker/main.${sources ? "ts" : "js"}`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // The aggregator's side of each method is behind an import() that no site makes.
    external: ["*/aggregator.js"],
    plugins: sources ? [toSources] : [],
    metafile: true,
    legalComments: "eof",
    logLevel: "error",
  });
  const output = Object.values(metafile.outputs)[0];
  const loaded = output.imports
    .filter(({ external, path }) => external && !path.endsWith("/aggregator.js"))
    .map(({ path }) => (path.startsWith("node:") ? path : `node:${path}`));
  const strange = [...new Set(loaded)].filter((path) => !allowed.has(path));
  if (strange.length > 0) throw new Error(`the fold worker would load ${strange.join(", ")}`);
}

/** Our packages' names as paths of their sources. */
const toSources = {
  name: "sources",
  setup(plugin) {
    plugin.onResolve({ filter: /^@consilium\// }, ({ path }) => {
      const [, name, file] = /^@consilium\/([^/]+)\/(.+)$/.exec(path);
      const { exports } = JSON.parse(readFileSync(join(root, name, "package.json"), "utf8"));
      const isFlat = !JSON.stringify(exports).includes("dist") || name.startsWith("methods");
      return { path: join(root, name, isFlat ? "" : "src", `${file}.ts`) };
    });
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundleFoldWorker(join(root, "site-agent/dist/fold-worker.mjs"));
  // What starts workers on a Spark cluster: the compiler leaves it where it is.
  const driver = "engines/spark/driver.py";
  copyFileSync(join(root, "site-agent/src", driver), join(root, "site-agent/dist", driver));
}
