// Bundles the fold worker and the reader into one file each, and puts Spark's driver beside what was compiled. Fails where one
// would load anything but what it needs.
import { copyFileSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { dependencyOf } from "./joinPackages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Modules of Node that each program may load: neither processes nor threads. */
const allowed = {
  /** No files and no network either. */
  worker: new Set([
    "node:crypto", // the keyed hashes of rows and patients; where the gate asks again
    "node:events",
    "node:os", // the order of bytes
    "node:path", // names of files in messages
    "node:timers/promises",
    "node:v8", // how WebAssembly is compiled
  ]),
  /** The same for published methods. */
  get published() {
    return this.worker;
  },
  reader: new Set([
    "node:crypto", // the keyed hashes of patients
    "node:fs", // the headers of CSV files
    "node:fs/promises",
    "node:module", // how DuckDB's native code is found
    "node:net", // the pipes that it was started with, by their descriptors
    "node:os",
    "node:path",
    "node:stream",
    "node:timers/promises",
    "node:zlib",
  ]),
  /** It connects to the hospital's database. */
  database: new Set([
    "node:crypto", // signing in, and the keyed hashes of patients
    "node:dns",
    "node:events",
    "node:fs", // where the driver would look for a password: it has no permission
    "node:net", // the pipes too
    "node:path",
    "node:stream",
    "node:string_decoder",
    "node:timers/promises",
    "node:tls",
    "node:url",
    "node:util",
    "node:util/types",
  ]),
};

/** Native code, which no bundle holds. */
const native = "@duckdb/node-bindings";

/**
 * @param {string} outfile
 * @param {{ sources?: boolean }} [options] - `sources`: of the TypeScript files, for tests without a build
 */
export const bundleFoldWorker = (outfile, options) => bundle("worker", outfile, options);
export const bundlePublishedWorker = (outfile, options) => bundle("published", outfile, options);
export const bundleReader = (outfile, options) => bundle("reader", outfile, options);

export const bundleDatabaseReader = (outfile, options) => bundle("database", outfile, options);

const entries = {
  worker: "worker/main",
  published: "worker/published",
  reader: "reader/main",
  database: "reader/database",
};

/** Modules that are CommonJS and load others. */
const needsRequire = new Set(["reader", "database"]);
/** What PostgreSQL's driver would use where it is not on Node or has a native part. */
const unused = ["pg-native", "cloudflare:sockets"];

/** For DuckDB's modules and PostgreSQL's driver, which are CommonJS: bundled they load in half the time. */
const requires =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

async function bundle(program, outfile, { sources = false } = {}) {
  const folder = sources ? "src" : "dist";
  const { metafile } = await build({
    entryPoints: [join(root, `site-agent/${folder}/engines/${entries[program]}.${sources ? "ts" : "js"}`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // The aggregator's side of each method is behind an import() that no site makes.
    external: [
      "*/aggregator.js",
      ...(program === "reader" ? [native] : []),
      ...(program === "database" ? unused : []),
    ],
    banner: needsRequire.has(program) ? { js: requires } : {},
    plugins: [sources ? toSources : unjoined],
    metafile: true,
    legalComments: "eof",
    logLevel: "error",
  });
  const output = Object.values(metafile.outputs)[0];
  const loaded = output.imports
    .filter(({ external, path }) => external && !path.endsWith("/aggregator.js"))
    .filter(({ path }) => program !== "reader" || !path.includes(native))
    .filter(({ path }) => program !== "database" || !unused.includes(path))
    .map(({ path }) => (path.startsWith("node:") ? path : `node:${path}`));
  const strange = [...new Set(loaded)].filter((path) => !allowed[program].has(path));
  if (strange.length > 0) throw new Error(`the ${program} would load ${strange.join(", ")}`);
}

/** What an earlier build has joined, as it is installed: a bundle holds what it needs of it alone. */
const unjoined = {
  name: "unjoined",
  setup(plugin) {
    plugin.onResolve({ filter: /\bjoined\// }, ({ path, importer, kind, resolveDir }) => {
      const dependency = dependencyOf(path);
      return dependency === undefined
        ? undefined
        : plugin.resolve(dependency, { importer, kind, resolveDir });
    });
  },
};

/** Our packages' names as paths of their sources, and DuckDB by where it is installed: such a bundle may lie anywhere. */
const toSources = {
  name: "sources",
  setup(plugin) {
    plugin.onResolve({ filter: new RegExp(`^${native}$`) }, ({ importer }) => ({
      path: createRequire(importer).resolve(native),
      external: true,
    }));
    plugin.onResolve({ filter: /^@consilium\// }, ({ path }) => {
      const [, name, file] = /^@consilium\/([^/]+)\/(.+)$/.exec(path);
      const folder = realpathSync(join(root, "node_modules/@consilium", name));
      const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const isFlat = !JSON.stringify(exports).includes("dist") || name.startsWith("methods");
      return { path: join(folder, isFlat ? "" : "src", `${file}.ts`) };
    });
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundleFoldWorker(join(root, "site-agent/dist/fold-worker.mjs"));
  await bundlePublishedWorker(join(root, "site-agent/dist/published-worker.mjs"));
  await bundleReader(join(root, "site-agent/dist/reader.mjs"));
  await bundleDatabaseReader(join(root, "site-agent/dist/database-reader.mjs"));
  // What starts workers on a Spark cluster: the compiler leaves it where it is.
  const driver = "engines/spark/driver.py";
  // What a hospital's npm reads where the driver of a database is added.
  const manifests = ["sqlserver", "oracle"].map((kind) => `data/sources/${kind}/package.json`);
  for (const file of [driver, ...manifests])
    copyFileSync(join(root, "site-agent/src", file), join(root, "site-agent/dist", file));
}
