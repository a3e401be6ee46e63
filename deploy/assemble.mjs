// Gathers what processes need at run time. node deploy/assemble.mjs <folder> [list]
// In an image's build node_modules holds what `npm ci --omit=dev --workspace …` left: the packages of the chosen workspaces, and
// links to these and to the workspaces that they need. Elsewhere <list> names a file of them, one folder a line, as
// `npm ls --parseable --all --omit=dev` prints it.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join, relative } from "node:path";

const [target, list] = process.argv.slice(2);
if (target === undefined) throw new Error("usage: node deploy/assemble.mjs <folder> [list]");
/** Folders of packages, relative to the repository; undefined takes all that are installed. */
const wanted =
  list === undefined
    ? undefined
    : new Set(
        readFileSync(list, "utf8")
          .split("\n")
          .map((line) => relative(process.cwd(), line)),
      );

/** Read beside a workspace's own code. */
const runtimeFiles = { proto: ["consilium"], deploy: ["enrolThenServe.sh", "health.mjs"] };

mkdirSync(target, { recursive: true });
for (const name of ["package.json", "LICENSE", "NOTICE"]) cpSync(name, join(target, name));
// Verbatim: the links to workspaces are relative, and stay right.
copyPackages("node_modules");
// A workspace's own node_modules has what it needs in another version than the others do.
for (const name of readdirSync(join(target, "node_modules/@consilium"))) {
  if (name === "web") continue;
  // A link tells where a workspace lies: on top, or in lib/.
  const workspace = relative(".", realpathSync(join("node_modules/@consilium", name)));
  take(
    workspace,
    ["package.json", "dist"].filter((name) => existsSync(join(workspace, name))),
  );
  copyPackages(join(workspace, "node_modules"));
}
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

function copyPackages(folder) {
  if (!existsSync(folder)) return;
  cpSync(folder, join(target, folder), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      // The innermost package that the path is in; none for `node_modules` and for scopes.
      const inside = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^@/][^/]*/.exec(path)?.[0];
      return wanted === undefined || inside === undefined || wanted.has(inside) || isAbove(path);
    },
  });
}

/** A folder on the way to a package, such as the `node_modules` of one. */
function isAbove(path) {
  return (
    /(?:^|\/)node_modules(?:\/@[^/]+)?$/.test(path) && [...wanted].some((one) => one.startsWith(`${path}/`))
  );
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
