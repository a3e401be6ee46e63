// In an image's build: gathers what its process needs at run time. node deploy/assemble.mjs <folder>
// node_modules holds what `npm ci --omit=dev --workspace …` left: the packages of the chosen workspaces, and links to
// these and to the workspaces that they need.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const target = process.argv[2];
if (target === undefined) throw new Error("usage: node deploy/assemble.mjs <folder>");

/** Read beside a workspace's own code. */
const runtimeFiles = { proto: ["consilium"], deploy: ["enrolThenServe.sh", "health.mjs"] };

mkdirSync(target, { recursive: true });
for (const name of ["package.json", "LICENSE", "NOTICE"]) cpSync(name, join(target, name));
// Verbatim: the links to workspaces are relative, and stay right.
cpSync("node_modules", join(target, "node_modules"), { recursive: true, verbatimSymlinks: true });
// A workspace's own node_modules has what it needs in another version than the others do.
for (const workspace of readdirSync("node_modules/@consilium").filter((name) => name !== "web"))
  take(
    workspace,
    ["package.json", "dist", "node_modules"].filter((name) => existsSync(join(workspace, name))),
  );
// The built pages. Their packages were for the build: a link makes the folder the package that the servers look for.
take("web", ["package.json", "dist"]);
rmSync(join(target, "node_modules/@consilium/web"), { recursive: true, force: true });
symlinkSync("../../web", join(target, "node_modules/@consilium/web"));
for (const [folder, names] of Object.entries(runtimeFiles)) take(folder, names);
chmodSync(join(target, "cli/dist/main.js"), 0o755);
chmodSync(join(target, "deploy/enrolThenServe.sh"), 0o755);
prune(target);

function take(folder, names) {
  for (const name of names) cpSync(join(folder, name), join(target, folder, name), { recursive: true });
}

/**
 * Leaves out types, source maps, native libraries for the other C library than this image's, and the packages with native
 * code that tar-stream loads under the Bare runtime only.
 */
function prune(folder) {
  const other =
    process.report.getReport().header.glibcVersionRuntime === undefined ? /-gnu$|^linux_/ : /musl/;
  for (const name of ["buffer", "events", "fs", "path", "stream", "url"])
    rmSync(join(folder, "node_modules", `bare-${name}`), { recursive: true, force: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const native = /@libsql|@koromix/.test(entry.parentPath) && other.test(entry.name);
    if (native || /\.d\.[cm]?ts$|\.map$/.test(entry.name)) rmSync(path, { recursive: true, force: true });
  }
}
