import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The house's arrows, enforced: which package may import which, what `core/` may touch, and that a site has one door
 * out. `npm run check` runs it; it prints every breach with its place.
 */
interface Breach {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** Our own packages that each may import. Nothing may import `site-agent`. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  proto: ["core"],
  kernels: ["core"],
  runtime: ["core", "proto"],
  "site-agent": ["core", "proto", "runtime", "kernels"],
  "site-console": ["core", "runtime"],
  aggregator: ["core", "proto", "runtime", "kernels"],
  publisher: ["core", "proto", "runtime"],
  cli: ["core", "proto", "runtime"],
  web: ["core"],
};

/** What the pages know of the services: the types of their APIs. */
const apiTypes = /^@consilium\/runtime\/http\/openapi\/generated\//;

/** Packages from elsewhere that `core/` may import; an ADR adds to them. */
const coreAllows = ["ml-matrix", "seedrandom", "zod"];

/** What would make `core/` depend on more than its arguments. */
const impure: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bMath\.random\b/, "Math.random: randomness is a parameter"],
  [/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/, "the clock: time is a parameter"],
  [/\bprocess\.(env|argv|cwd|hrtime|std(in|out|err))\b/, "the process: configuration is a parameter"],
  [/\bconsole\.\w+\(/, "a log: the caller logs"],
  [/\bset(Timeout|Interval|Immediate)\(/, "a timer: the caller waits"],
  [/\bfetch\(/, "the network"],
];

/** Files of `site-agent/` that may hold a gRPC client. */
const doorOut = ["site-agent/src/rpc/connection.ts"];
/** The file of `site-agent/` that listens, on a Unix socket. */
const listener = "site-agent/src/socket/server.ts";
/** The only file of `site-agent/` that may hold a connection to a database: it reads the hospital's own. */
const databaseDoor = "site-agent/src/data/postgresConnection.ts";
/** The only file that may make an outbound message. */
const outbox = "site-agent/src/outbox/outbox.ts";

const importPattern =
  /^\s*(?:import|export)\b[^;]*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gms;

export function breachesOf(file: string, text: string): Breach[] {
  const owner = file.split("/")[0]!;
  const isTest = file.endsWith(".test.ts") || /\/test[A-Z]\w*\.ts$/.test(file);
  const breaches: Breach[] = [];
  const report = (index: number, what: string) =>
    breaches.push({ file, line: text.slice(0, index).split("\n").length, what });
  for (const match of text.matchAll(importPattern)) {
    const specifier = (match[1] ?? match[2] ?? match[3])!;
    const fault = importFault(owner, file, specifier, isTest);
    if (fault !== null) report(match.index + match[0].length, fault);
  }
  if (owner === "core" && !isTest) {
    for (const [pattern, what] of impure) {
      const found = withoutComments(text).search(pattern);
      if (found >= 0) report(found, `core/ touches ${what}`);
    }
  }
  if (owner === "site-agent" && !isTest && file !== outbox) {
    const made = text.search(/\bnew Outbound(Message|Upload)\(/);
    if (made >= 0) report(made, "only the outbox makes outbound messages");
  }
  return breaches;
}

function importFault(owner: string, file: string, specifier: string, isTest: boolean): string | null {
  if (specifier.startsWith(".")) {
    const target = normalize(join(dirname(file), specifier));
    return target.startsWith(`${owner}/`) ? null : `"${specifier}" leaves the package: import it by its name`;
  }
  if (owner === "site-agent" && !isTest && file !== databaseDoor && isDatabase(specifier)) {
    return `"${specifier}": one file reads the hospital's database, ${databaseDoor}`;
  }
  const ours = /^@consilium\/([^/]+)/.exec(specifier)?.[1];
  if (ours !== undefined) {
    if (ours === owner) return `"${specifier}": inside a package, import by relative path`;
    if (arrows[owner]?.includes(ours)) return null;
    if (owner === "web" && apiTypes.test(specifier)) return null;
    return `"${specifier}": ${owner}/ may import ${arrows[owner]?.join(", ") || "no other package"}`;
  }
  const builtin = specifier.startsWith("node:") || builtinModules.includes(specifier);
  if (owner === "core" && !isTest) {
    if (builtin && specifier === "node:crypto" && file.startsWith("core/src/crypto/")) return null;
    if (builtin)
      return `"${specifier}": core/ imports no Node module but node:crypto, below core/src/crypto/`;
    const name = specifier.startsWith("@")
      ? specifier.split("/").slice(0, 2).join("/")
      : specifier.split("/")[0]!;
    return coreAllows.includes(name) ? null : `"${specifier}": core/ may import ${coreAllows.join(", ")}`;
  }
  if (owner === "site-agent" && !isTest && file === listener && specifier === "node:http") return null;
  if (owner === "site-agent" && !isTest && !doorOut.includes(file)) {
    const network = [
      "@grpc/grpc-js",
      "node:net",
      "node:tls",
      "node:http",
      "node:https",
      "node:http2",
      "node:dgram",
    ];
    if (network.includes(specifier))
      return `"${specifier}": one file opens a site's connection, ${doorOut.join(", ")}`;
  }
  return null;
}

/** What can connect to a database. */
function isDatabase(specifier: string): boolean {
  return specifier === "pg" || /^@consilium\/runtime\/store\/(?:postgres|configured)/.test(specifier);
}

/** Comments blanked out, so that positions stay. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));
}

function sources(root: string): string[] {
  return Object.keys(arrows).flatMap((owner) =>
    readdirSync(join(root, owner, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !file.includes("/generated/")),
  );
}

export function allBreaches(root: string): Breach[] {
  return sources(root).flatMap((file) => breachesOf(file, readFileSync(join(root, file), "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = allBreaches(fileURLToPath(new URL("..", import.meta.url)));
  for (const { file, line, what } of breaches) process.stderr.write(`${file}:${line}: ${what}\n`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
