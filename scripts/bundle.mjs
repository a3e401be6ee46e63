// `npm run bundle`: everything that a machine without network needs, in one file. docs/OPERATING.md, A machine without network, says what is in it.
//   npm run bundle -- [--to <file>] [--node <binary>]
// A file whose name ends in .tar is not compressed; --node adds that Node for machines that have none.
// The same commit, packages and platform give the same bytes.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, install, makePages, must, root } from "./prepare.mjs";

const { values: options } = parseArgs({ options: { to: { type: "string" }, node: { type: "string" } } });
/** Whose processes and commands are in the bundle. */
const workspaces = ["aggregator", "publisher", "site-agent", "site-console", "cli"];
const images = ["consilium-aggregator", "consilium-publisher", "consilium-site-agent"];
/** Read on the installed machine beside what the processes need. Tests and the tools of this repository are not. */
const beside = ["deploy", "docs", "examples", "README.md", "CHANGELOG.md", "SECURITY.md"];

const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "-musl" : "";
const platform = `${process.platform}-${process.arch}${libc}`;
const name = `consilium-${version}-${platform}`;
const file = resolve(options.to ?? `${name}.tar.gz`);
if (existsSync(file)) fail(`${file} is there already: name another file with --to`);
if (process.platform !== "linux")
  fail("a bundle is made on Linux: its packages and its installer are for Linux");
const madeAt = Number(process.env.SOURCE_DATE_EPOCH ?? git("log", "-1", "--format=%ct"));

install();
build();
makePages();
const scratch = mkdtempSync(join(tmpdir(), "consilium-bundle-"));
try {
  const folder = join(scratch, name);
  mkdirSync(folder);
  assemble(join(folder, "app"));
  cpSync(`${root}deploy/install.sh`, join(folder, "install.sh"));
  if (options.node !== undefined) {
    mkdirSync(join(folder, "node/bin"), { recursive: true });
    cpSync(options.node, join(folder, "node/bin/node"), { dereference: true });
    chmodSync(join(folder, "node/bin/node"), 0o755);
  }
  writeFileSync(join(folder, "PLATFORM"), `${platform}\n`);
  bill(join(folder, "sbom.cdx.json"));
  const said = saveImages(join(folder, "images"));
  seal(folder);
  pack();
  process.stderr.write(`${said}\n`);
  process.stdout.write(`${sha256(readFileSync(file))}  ${file}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @returns standard output of npm, whatever the user's configuration says of its form */
function npm(...args) {
  const selected = workspaces.flatMap((workspace) => ["--workspace", workspace]);
  const made = spawnSync("npm", [...args, "--loglevel=error", ...selected], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (made.status !== 0) fail(`npm ${args[0]} failed: ${made.stderr}`);
  return made.stdout;
}

function assemble(target) {
  const list = join(scratch, "packages");
  writeFileSync(list, npm("ls", "--parseable", "--all", "--omit=dev"));
  must(process.execPath, ["deploy/assemble.mjs", target, list]);
  for (const entry of beside)
    cpSync(join(root, entry), join(target, entry), {
      recursive: true,
      filter: (path) =>
        !/\/(?:node_modules|\.vitepress|\.env|secrets|invitation\.token)(?:\/|$)/.test(
          path.slice(root.length - 1),
        ),
    });
}

/**
 * CycloneDX of every package in the bundle, and of those that the pages were built from. `npm sbom` leaves out half of the indirect
 * ones in a repository of workspaces, so CycloneDX's own program writes it; without time and serial number, for reproducibility.
 */
function bill(target) {
  const folder = join(root, "scripts/sbom");
  const program = join(folder, "node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js");
  if (!existsSync(program))
    must("npm", ["ci", "--omit=optional", "--ignore-scripts", "--loglevel=error"], {
      cwd: folder,
    });
  const selected = [...workspaces, "web"].flatMap((workspace) => ["--workspace", workspace]);
  const form = [
    "--output-reproducible",
    "--flatten-components",
    "--spec-version=1.6",
    "--mc-type=application",
  ];
  // It validates with what `--omit=optional` leaves out.
  must(process.execPath, [
    program,
    "--omit=dev",
    ...form,
    "--no-validate",
    `--output-file=${target}`,
    ...selected,
    "package.json",
  ]);
}

/** Images of this version, where a container engine answers and has them. */
function saveImages(folder) {
  const engine = ["docker", "podman"].find(
    (one) => spawnSync(one, ["info"], { stdio: "ignore" }).status === 0,
  );
  if (engine === undefined) return "No images in the bundle: no container engine answers here.";
  const tags = images.map((image) => `${image}:${version}`);
  const there = tags.filter(
    (tag) => spawnSync(engine, ["image", "inspect", tag], { stdio: "ignore" }).status === 0,
  );
  for (const tag of there) {
    mkdirSync(folder, { recursive: true });
    must(engine, ["save", "--output", join(folder, `${tag.replace(":", "-")}.tar`), tag]);
  }
  const missing = tags.filter((tag) => !there.includes(tag));
  return missing.length === 0
    ? `Images in the bundle: ${there.join(", ")}.`
    : `Not in the bundle, because ${engine} does not have them: ${missing.join(", ")}.`;
}

/** SHA256SUMS of all files and SYMLINKS of all links, which install.sh compares. */
function seal(folder) {
  const sums = new Map();
  const links = [];
  // Not `readdirSync` with `recursive`, which follows links.
  const walk = (below) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = `${below}/${entry.name}`;
      if (entry.isSymbolicLink()) links.push(`${path} -> ${readlinkSync(join(folder, path))}`);
      else if (entry.isDirectory()) walk(path);
      else sums.set(path, sha256(readFileSync(join(folder, path))));
    }
  };
  walk(".");
  const text = `${links.sort(byBytes).join("\n")}\n`;
  writeFileSync(join(folder, "SYMLINKS"), text);
  sums.set("./SYMLINKS", sha256(text));
  const lines = [...sums].sort(([a], [b]) => byBytes(a, b)).map(([path, hash]) => `${hash}  ${path}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** As `LC_ALL=C sort` orders. */
function byBytes(a, b) {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function pack() {
  const compression = file.endsWith(".tar") ? [] : ["--use-compress-program=gzip -n"];
  const tar = ["--sort=name", `--mtime=@${madeAt}`, "--owner=0", "--group=0", "--numeric-owner"];
  must("tar", [...tar, "--mode=u+rwX,go+rX,go-w", ...compression, "-cf", file, "-C", scratch, name], {
    env: { LC_ALL: "C" },
  });
}

function git(...args) {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8" });
  } catch {
    return fail("the commit's date is unknown here: set SOURCE_DATE_EPOCH");
  }
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
