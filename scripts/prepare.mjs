// Makes a clean clone ready: installs what package-lock.json says and builds. Needs nothing but Node and npm.
// Everything it prints goes to standard error: commands that print JSON keep standard output for it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the project's folder, its output on standard error; ends the process if it fails. */
export function must(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: options.cwd ?? root,
    stdio: ["ignore", options.stdout ?? 2, 2],
    shell: process.platform === "win32",
    env: { ...process.env, ...options.env },
  });
  if (result.error) {
    process.stderr.write(`${command} could not be started: ${result.error.message}\n`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * Runs commands beside each other, as `must` each; what each prints is shown in their order.
 * @param commands - of each the command, its arguments and what is added to its environment
 */
export async function mustAll(commands) {
  const running = commands.map(([command, args, env]) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => printed.push(bytes));
    return new Promise((resolve) => {
      child.on("error", (error) => resolve({ printed: [Buffer.from(`${error.message}\n`)], status: 1 }));
      child.on("close", (status) => resolve({ printed, status: status ?? 1 }));
    });
  });
  const ended = await Promise.all(running);
  for (const { printed } of ended) process.stderr.write(Buffer.concat(printed));
  const failed = ended.find(({ status }) => status !== 0);
  if (failed !== undefined) process.exit(failed.status);
}

function isInstalled() {
  const installed = `${root}node_modules/.package-lock.json`;
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;
}

export function install() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`Consilium needs Node 20.19 or later; this is ${process.versions.node}.\n`);
    process.exit(1);
  }
  if (isInstalled()) return;
  process.stderr.write("Installing packages (once)…\n");
  must("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}

export function build() {
  // The process that started this one has built it just now.
  if (process.env.CONSILIUM_BUILT === "1") return;
  process.stderr.write("Building…\n");
  makeApiTypes();
  // Types are checked by `npm run check`, and so by `npm test`: here they would take two thirds of the time.
  must(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-b", "--noCheck"]);
  makePages("ERRORS", "STUDY");
  const packages = readPackages();
  removeStale(packages);
  nameBuild(packages);
  must(process.execPath, [`${root}scripts/foldWorker.mjs`]);
  must(process.execPath, [`${root}scripts/joinPackages.mjs`]);
  must(process.execPath, [`${root}node_modules/vite/bin/vite.js`, "build", "--logLevel=warn", "web"], {
    // Anyone who builds in a test has another one, and would get React's development build.
    env: { NODE_ENV: "production" },
  });
}

/** What the compiler needs that is not committed. In a process of its own: its packages may have been installed just now. */
export function makeApiTypes() {
  must(process.execPath, [`${root}scripts/apiTypes.mjs`]);
}

/**
 * Pages of the documentation that are made from the sources, into `docs/`.
 * @param names - such as `ERRORS`; none: all
 */
export function makePages(...names) {
  must(process.execPath, ["--import", "tsx", `${root}scripts/generatedPages.ts`, ...names], {
    env: testSupport,
  });
}

/** The packages that are built, with their sources. */
function readPackages() {
  const { references } = JSON.parse(readFileSync(`${root}tsconfig.json`, "utf8"));
  return references.map(({ path }) => {
    const config = execFileSync(
      process.execPath,
      [`${root}node_modules/typescript/bin/tsc`, "--showConfig", "-p", `${root}${path}`],
      { encoding: "utf8" },
    );
    return { path, files: JSON.parse(config).files };
  });
}

/** Writes into what was built which build it is: core/src/build.ts. */
function nameBuild(packages) {
  const hash = createHash("sha256").update(readFileSync(`${root}package-lock.json`));
  const sources = packages.flatMap(({ path, files }) => files.map((file) => join(path, file)));
  for (const file of sources.sort()) hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  writeFileSync(`${root}core/dist/build.js`, `export const build = "${hash.digest("hex").slice(0, 12)}";\n`);
}

/** Removes what was built of files that are gone since: a folder `dist` holds what a fresh build makes, nothing else. */
function removeStale(packages) {
  for (const { path, files } of packages) {
    const built = `${root}${path}/dist`;
    const kept = new Set(files.map((file) => file.replace(/^\.\/(?:src\/)?/, "").replace(/\.tsx?$/, "")));
    for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const made = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(relative(built, file))?.[1];
      const isStale = made !== undefined && !made.startsWith("joined/") && !kept.has(made);
      if (entry.isFile() && isStale) rmSync(file);
    }
  }
}

/** Packages' test support is found by these paths, for no package exports it. */
export const testSupport = { TSX_TSCONFIG_PATH: `${root}tsconfig.check.json` };

/**
 * Runs a TypeScript file of the project with the terminal's own input and output, and ends as it ends.
 * @param env - added to the environment
 */
export function runTypeScript(file, args, env = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", `${root}${file}`, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  // A terminal's Ctrl-C reaches the child by itself; a signal to this process alone must be passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
}
