import { readdirSync } from "node:fs";

/**
 * The house's boundaries as tables. `check.ts` applies them to what the compiler resolved; a file of ours is named by its
 * path, a folder stands for all below it, `node:fs` also for `node:fs/promises`.
 *
 * "By value" is what is loaded at run time. `import type` is erased, so types may come from any package and any module of
 * Node, and from whatever a package may import.
 */
export interface ImportRule {
  /** A folder or a file. Rules add up: a file may import what any rule for it or a folder above it lists. */
  readonly in: string;
  /** By value: folders, files, packages, modules of Node. What lies in the same package goes without saying. */
  readonly may: readonly string[];
  /** As types only. */
  readonly mayTypes?: readonly string[];
  /** Nothing else counts for values: neither the rules of the folders above nor the same package. */
  readonly closed?: true;
}

/** Types that any package may have: the codes and parameters of sentences, whose words are loaded at the edge alone. */
export const typesForAll: readonly string[] = ["lib/words/src/said.ts", "lib/words/src/says"];

/** The folders of a package of methods, one a method. */
const methodsOf = (folder: string): readonly string[] =>
  readdirSync(new URL(`../../${folder}`, import.meta.url), { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !["shared", "testing", "dist", "node_modules"].includes(entry.name),
    )
    .map(({ name }) => `${folder}/${name}`);

/** What every method may use: what is pure, and of the gate how a stage and its contributions are declared. */
const ofMethods = [
  "core/src",
  "gate/src/query.ts",
  "gate/src/root.ts",
  "secure-sum/src",
  "ml-matrix",
  "seedrandom",
  "zod",
];

export const imports: readonly ImportRule[] = [
  // Pure: what they compute depends on their arguments alone.
  { in: "secure-sum/src", may: [] },
  { in: "secure-sum/src/crypto", may: ["node:crypto", "libsodium-wrappers"] },
  { in: "gate/src", may: ["secure-sum/src"] },
  { in: "lib/words/src", may: [] },
  { in: "core/src", may: ["secure-sum/src", "gate/src", "ml-matrix", "zod"] },
  // What verifies a release: no study's schema, no methods, no words.
  {
    in: "lib/release/src",
    may: [
      "secure-sum/src/crypto/hash.ts",
      "secure-sum/src/crypto/sign.ts",
      "secure-sum/src/ids.ts",
      "gate/src/cost.ts",
      "gate/src/query.ts",
      "gate/src/checkQuery.ts",
      "gate/src/root.ts",
      "gate/src/account.ts",
      "core/src/privacy/pld.ts",
      "zod",
      "core/src/bytes.ts",
      "core/src/canonicalJson.ts",
      "core/src/errors.ts",
      "core/src/fault.ts",
      "core/src/said.ts",
      "core/src/release/signature.ts",
      "core/src/release/signer.ts",
      "core/src/result.ts",
    ],
  },

  // Methods: pure. Each knows its own folder and what methods share, and no other method.
  { in: "methods", may: ofMethods, mayTypes: ["gate/src"] },
  { in: "methods/shared", may: ["methods/shared", ...ofMethods], mayTypes: ["gate/src"], closed: true },
  ...methodsOf("methods").map(
    (folder): ImportRule => ({
      in: folder,
      may: [folder, "methods/shared", ...ofMethods],
      mayTypes: ["gate/src"],
      closed: true,
    }),
  ),
  // The plans of single trees say where additive boosting is likely to predict better.
  { in: "methods/dp-pcc/study.ts", may: ["methods/dp-additive/study.ts"] },
  { in: "methods/dp-pcc-s/study.ts", may: ["methods/dp-additive/study.ts"] },
  {
    in: "methods-paper",
    may: ["methods/shared", "methods/all.ts", "methods/english.ts", "methods/german.ts", ...ofMethods],
    mayTypes: ["gate/src"],
  },
  ...methodsOf("methods-paper").map(
    (folder): ImportRule => ({
      in: folder,
      may: [folder, "methods/shared", ...ofMethods],
      mayTypes: ["gate/src"],
      closed: true,
    }),
  ),

  // Shared by the processes.
  { in: "proto/src", may: ["secure-sum/src", "core/src", "@grpc/grpc-js", "@grpc/proto-loader", "node:url"] },
  { in: "kernels/src", may: ["core/src", "node:os", "node:timers", "node:v8", "node:worker_threads"] },
  { in: "kernels/src/openblas.ts", may: ["koffi", "node:fs"] },
  {
    in: "runtime/src",
    may: [
      "secure-sum/src",
      "core/src",
      "lib/release/src",
      "proto/src",
      "@fastify/helmet",
      "@fastify/rate-limit",
      "@grpc/grpc-js",
      "@peculiar/x509",
      "fastify",
      "libsql",
      "age-encryption",
      "nodemailer",
      "openid-client",
      "pino",
      "prom-client",
      "reflect-metadata",
      "tar-stream",
      "yaml",
      "zod",
      "node:crypto",
      "node:dns",
      "node:events",
      "node:fs",
      "node:http",
      "node:http2",
      "node:https",
      "node:module",
      "node:net",
      "node:os",
      "node:path",
      "node:stream",
      "node:timers",
      "node:tls",
      "node:url",
      "node:util",
      "node:v8",
      "node:vm",
      "node:worker_threads",
      "node:zlib",
    ],
  },

  // The edge, where sentences are said. An agent loads it when it ends, to say why it does not start.
  {
    in: "runtime/src/http/spoken.ts",
    may: ["lib/words/src", "methods/english.ts", "methods-paper/english.ts"],
  },
  {
    in: "runtime/src/http/spokenGerman.ts",
    may: ["lib/words/src", "methods/german.ts", "methods-paper/german.ts"],
  },

  // The agent, and the process beside it that sees records: the only code that does. Nothing imports it.
  {
    in: "site-agent/src",
    may: [
      "secure-sum/src",
      "gate/src",
      "core/src",
      "proto/src",
      "runtime/src",
      "kernels/src/open.ts",
      "zod",
      "node:crypto",
      "node:fs",
      "node:os",
      "node:path",
      "node:stream",
      "node:timers",
      "node:url",
      "node:util",
      "node:zlib",
    ],
  },
  // Which methods a site has: the proven ones, and those of methods-paper where they are allowed and installed.
  {
    in: "site-agent/src/studies/siteMethods.ts",
    may: ["methods/registry.ts", "methods-paper/registry.ts"],
  },
  { in: "site-agent/src/policy/policy.ts", may: ["methods/registry.ts"] },
  { in: "site-agent/src/socket/server.ts", may: ["node:http"] },
  // The agent, or the door of another user, starts the process that reads its tables; the agent asks it.
  { in: "site-agent/src/tables/startProcess.ts", may: ["node:child_process"] },
  { in: "site-agent/src/tables/frames.ts", may: ["node:v8"] },
  { in: "site-agent/src/tables/throughDoor.ts", may: ["node:events", "node:net"] },
  { in: "site-agent/src/tables/door.ts", may: ["node:net"] },
  { in: "site-agent/src/tables/main.ts", may: ["kernels/src/inlineGram.ts", "node:net", "node:v8"] },
  // The fold worker is a process of its own, bundled by scripts/foldWorker.mjs, which holds it to six modules of Node.
  {
    in: "site-agent/src/engines/worker",
    may: ["apache-arrow", "kernels/src/inlineGram.ts", "methods/registry.ts", "node:events"],
  },
  {
    in: "site-agent/src/engines/worker/published.ts",
    may: ["kernels/src/inlineKernels.ts", "methods-paper/registry.ts"],
  },
  // The reader is one too. It reads files as the agent does.
  { in: "site-agent/src/engines/reader", may: ["node:net"] },
  { in: "site-agent/src/engines/arrowCells.ts", may: ["apache-arrow"] },
  { in: "site-agent/src/engines/workerProcess.ts", may: ["node:child_process"] },
  { in: "site-agent/src/engines/spark/application.ts", may: ["node:child_process"] },
  { in: "site-agent/src/data/duckdbEngine.ts", may: ["@duckdb/node-api"] },
  { in: "site-agent/src/data/duckdbText.ts", may: ["@duckdb/node-api"] },
  { in: "site-agent/src/data/duckdbTypes.ts", may: ["@duckdb/node-api"] },
  { in: "site-agent/src/data/sources/sqlite/source.ts", may: ["libsql"] },
  { in: "site-agent/src/data/sources/postgres/connection.ts", may: ["pg"] },
  { in: "site-agent/src/data/sources/mariadb/connection.ts", may: ["mariadb", "node:tls"] },
  { in: "site-agent/src/data/sources/sqlserver/connection.ts", may: ["mssql"] },
  { in: "site-agent/src/data/sources/oracle/connection.ts", may: ["oracledb"] },

  // The hospital's pages: it asks the agent over a socket.
  {
    in: "site-console/src",
    may: [
      "secure-sum/src",
      "core/src",
      "runtime/src",
      "fastify",
      "zod",
      "methods/all.ts",
      "methods-paper/registry.ts",
      "node:crypto",
      "node:fs",
      "node:path",
      "node:stream",
      "node:timers",
      "node:url",
    ],
    mayTypes: ["gate/src/door.ts"],
  },

  // The other processes see no record.
  {
    in: "aggregator/src",
    may: [
      "secure-sum/src",
      "core/src",
      "lib/release/src",
      "methods-paper/all.ts",
      "proto/src",
      "runtime/src",
      "kernels/src",
      "zod",
      "node:crypto",
      "node:events",
      "node:fs",
      "node:os",
      "node:path",
      "node:timers",
    ],
  },
  { in: "aggregator/src/rounds/maskThreads.ts", may: ["node:worker_threads"] },
  { in: "aggregator/src/rounds/maskWorker.ts", may: ["node:worker_threads"] },
  {
    in: "publisher/src",
    may: [
      "secure-sum/src",
      "core/src",
      "lib/release/src",
      "methods-paper/all.ts",
      "proto/src",
      "runtime/src",
      "@duckdb/node-api",
      "@grpc/grpc-js",
      "protobufjs",
      "zod",
      "node:crypto",
      "node:fs",
      "node:path",
      "node:stream",
    ],
  },
  // Rounding, which is no sentence.
  { in: "publisher/src/formats/shownCells.ts", may: ["lib/words/src/rounding.ts"] },
  {
    in: "cli/src",
    may: [
      "secure-sum/src",
      "core/src",
      "lib/release/src",
      "kernels/src/inlineKernels.ts",
      "methods/all.ts",
      "methods-paper/registry.ts",
      "proto/src",
      "runtime/src",
      "commander",
      "openapi-fetch",
      "picocolors",
      "pkijs",
      "yaml",
      "node:child_process",
      "node:crypto",
      "node:events",
      "node:fs",
      "node:http",
      "node:net",
      "node:os",
      "node:path",
      "node:readline",
      "node:stream",
      "node:timers",
      "node:url",
      "node:util",
    ],
  },
  {
    in: "web/src",
    may: [
      "runtime/src/identity/chain.ts",
      "runtime/src/yaml/places.ts",
      "@noble/hashes",
      "core/src",
      "lib/release/src",
      "lib/words/src",
      "methods-paper/all.ts",
      "methods-paper/english.ts",
      "methods-paper/german.ts",
      "@observablehq/plot",
      "@peculiar/x509",
      "@tanstack/react-query",
      "marked",
      "openapi-fetch",
      "react",
      "react-dom",
      "reflect-metadata",
      "wouter",
      "yaml",
    ],
    mayTypes: ["runtime/src/http/openapi/generated"],
  },
];

/** Folders whose code runs in the process that sees records. */
const siteProcess = [
  "site-agent/src",
  "methods",
  "methods-paper",
  "runtime/src",
  "proto/src",
  "kernels/src",
  "core/src",
  "gate/src",
  "secure-sum/src",
];

/** Files and their reasons. */
type Reasons = Readonly<Record<string, string>>;

export interface Door {
  /** What is behind it: modules, packages, files. */
  readonly to: readonly string[];
  /** Where the rule holds. */
  readonly in: readonly string[];
  /** Who may import it by value, and why. */
  readonly only: Reasons;
  /** Whether they may by import() alone. */
  readonly isLater?: true;
  /** What to do instead. */
  readonly remedy: string;
}

/** One side of every method: it is loaded through the method's own object, so that no process has the other's. */
const sides = (side: "site" | "aggregator"): Door => {
  const folders = [...methodsOf("methods"), ...methodsOf("methods-paper")];
  return {
    to: folders.map((folder) => `${folder}/${side}.ts`),
    in: ["methods", "methods-paper"],
    only: Object.fromEntries(folders.map((folder) => [`${folder}/method.ts`, "loads it for a study"])),
    remedy: "move what both sides need into a file of its own",
  };
};

/** What the methods of a package say in one language. */
const words = (folder: string, language: string, file: string): Door => ({
  to: methodsOf(folder).map((method) => `${method}/words/${language}.ts`),
  in: [folder],
  only: { [`${folder}/${file}.ts`]: "says them at the edge" },
  remedy: "what a method says is a code of its says.ts: words are loaded at the edge alone",
});

/** What only named files may import, whatever else their folders may. */
export const doors: readonly Door[] = [
  words("methods", "en", "english"),
  words("methods", "de", "german"),
  words("methods-paper", "en", "english"),
  words("methods-paper", "de", "german"),
  sides("site"),
  sides("aggregator"),
  {
    to: methodsOf("methods").map((folder) => `${folder}/method.ts`),
    in: siteProcess,
    only: { "methods/registry.ts": "loads each when a study asks for it" },
    isLater: true,
    remedy: "a line of methods/registry.ts loads a method when a study asks for it, by import()",
  },
  {
    to: ["node:child_process", "node:cluster", "node:dgram", "node:inspector", "node:repl", "node:wasi"],
    in: siteProcess,
    only: {
      "site-agent/src/engines/workerProcess.ts":
        "starts fold workers and readers, with pipes and no environment",
      "site-agent/src/engines/spark/application.ts":
        "starts Spark's driver, with two pipes, where a cluster is configured",
      "site-agent/src/tables/startProcess.ts": "starts the process that reads tables",
    },
    remedy:
      "the process that sees records starts fold workers, readers and Spark's driver alone, and has no such connection",
  },
  {
    to: ["node:net"],
    in: siteProcess,
    only: {
      "runtime/src/doctor/network.ts": "tells addresses from names",
      "runtime/src/http/access/attempts.ts": "tells IPv6 addresses",
      "runtime/src/logging/send/syslog.ts":
        "sends the log to a configured receiver; of the site console and the servers",
      "runtime/src/network/presented.ts": "tells addresses from names",
      "runtime/src/network/proxy.ts": "reads NO_PROXY",
      "runtime/src/network/tunnel.ts": "opens the way to an address, directly or through a proxy",
      "runtime/src/postgres/address.ts": "tells addresses from names",
      "site-agent/src/engines/reader/run.ts":
        "writes to the pipes that it was started with, by their descriptors",
      "site-agent/src/tables/door.ts": "listens on a Unix socket, for the agent",
      "site-agent/src/tables/main.ts":
        "answers the agent over the pipe that it was started with, by its descriptor",
      "site-agent/src/tables/throughDoor.ts": "asks a door on the same machine, at its Unix socket",
      "runtime/src/tls/address.ts": "tells addresses from names",
    },
    remedy: "the site's one connection is opened in site-agent/src/rpc/connection.ts",
  },
  {
    to: ["node:tls", "node:http", "node:https", "node:http2", "node:dns"],
    in: siteProcess,
    only: {
      "runtime/src/agent/agentClient.ts": "asks the running agent over its Unix socket; of other processes",
      "site-agent/src/socket/server.ts": "listens on the Unix socket, and on nothing else",
      "runtime/src/doctor/network.ts": "`doctor` resolves the aggregator's name",
      "runtime/src/doctor/probe.ts": "`doctor` tries the network path to the aggregator",
      "runtime/src/http/openapi.ts": "the names of status codes",
      "runtime/src/http/tls.ts": "serves pages by TLS; of the site console",
      "runtime/src/logging/send/otlp.ts":
        "sends the log to a configured receiver; of the site console and the servers",
      "runtime/src/logging/send/syslog.ts":
        "sends the log to a configured receiver; of the site console and the servers",
      "runtime/src/network/presented.ts": "shows which certificate an address presents",
      "runtime/src/network/tunnel.ts": "CONNECT through a proxy",
      "runtime/src/notify/webhook.ts":
        "posts to a configured webhook; of the site console and the aggregator",
      "runtime/src/tls/clientCredentials.ts": "the context of the one connection",
      "runtime/src/tls/peer.ts": "reads a client's certificate; of servers",
      "runtime/src/tls/policy.ts": "sets the least version of TLS for the process",
      "site-agent/src/data/sources/mariadb/connection.ts":
        "the authorities by which MariaDB's driver checks its server; opens nothing",
    },
    remedy: "the site's one connection is opened in site-agent/src/rpc/connection.ts",
  },
  {
    to: ["nodemailer"],
    in: siteProcess,
    only: {
      "runtime/src/notify/mail.ts": "sends configured e-mail; of the site console and the aggregator",
    },
    remedy: "the site console sends messages to people: runtime/src/notify/notifications.ts",
  },
  {
    to: ["runtime/src/logging/send"],
    in: ["site-agent/src"],
    only: {},
    remedy: "the site console takes the agent's log over the socket and sends it",
  },
  {
    to: ["runtime/src/notify"],
    in: ["site-agent/src"],
    only: {},
    remedy: "the site console sends messages to people, in a process of its own",
  },
  {
    to: ["node:worker_threads"],
    in: siteProcess,
    only: {
      "kernels/src/pool.ts": "threads that compute in WebAssembly",
      "runtime/src/store/lease.ts": "renews a server's lease on its store while the process computes",
      "runtime/src/store/postgresThread.ts": "a server's store in PostgreSQL",
      "runtime/src/yaml/yamlThread.ts": "reads YAML from outside within limits",
    },
    remedy: "compute through the kernels of kernels/src/open.ts",
  },
  {
    to: ["node:vm", "node:module"],
    in: siteProcess,
    only: {
      "runtime/src/arrayBufferTransfer.ts": "takes a standard method from a fresh context in Node 20",
      "runtime/src/http/pages.ts": "finds the folder of the built pages",
    },
    remedy: "import modules by name",
  },
  {
    to: ["koffi", "kernels/src/openblas.ts", "kernels/src/openSystem.ts"],
    in: siteProcess,
    only: {
      "kernels/src/openblas.ts": "binds OpenBLAS",
      "kernels/src/openSystem.ts": "opens OpenBLAS for the aggregator and for benches",
    },
    remedy: "import kernels/src/open.ts: a site loads no library of the system",
  },
  {
    to: ["libsql", "@duckdb/node-api"],
    in: siteProcess,
    only: {
      "runtime/src/store/storeCopy.ts": "copies a store while it is in use",
      "runtime/src/store/driver.ts": "the process's own store",
      "runtime/src/store/lock.ts": "the lock of a state folder",
      "site-agent/src/data/duckdbEngine.ts": "reads and aggregates the hospital's tables",
      "site-agent/src/data/duckdbText.ts": "gives it the hospital's text, record by record",
      "site-agent/src/data/duckdbTypes.ts": "tells the types of columns",
      "site-agent/src/data/sources/sqlite/source.ts": "reads a SQLite file of the hospital",
    },
    remedy: "go through runtime/src/store/store.ts, or the table's source in site-agent/src/data",
  },
  {
    to: ["mariadb", "mssql", "oracledb"],
    in: siteProcess,
    only: {
      "site-agent/src/data/sources/mariadb/connection.ts":
        "reads the hospital's MariaDB or MySQL, when such a table is opened",
      "site-agent/src/data/sources/sqlserver/connection.ts":
        "reads the hospital's SQL Server, when such a table is opened",
      "site-agent/src/data/sources/oracle/connection.ts":
        "reads the hospital's Oracle database, when such a table is opened",
    },
    remedy: "go through the table's source in site-agent/src/data",
  },
  {
    to: ["runtime/src/store/configuredStore.ts", "runtime/src/store/postgresDriver.ts"],
    in: ["site-agent/src"],
    only: {},
    remedy: "a site's store is a file: runtime/src/store/store.ts",
  },
  {
    to: ["@grpc/grpc-js", "proto/src/load.ts", "runtime/src/tls/clientCredentials.ts"],
    in: ["site-agent/src"],
    only: { "site-agent/src/rpc/connection.ts": "the one connection that a site opens" },
    remedy: "hand a message to the door",
  },
  {
    to: ["runtime/src/network/tunnel.ts"],
    in: ["site-agent/src"],
    only: {},
    remedy: "hand a message to the door",
  },
  {
    to: ["runtime/src/doctor/network.ts", "runtime/src/doctor/agent.ts"],
    in: ["site-agent/src"],
    only: { "site-agent/src/doctor/examine.ts": "`consilium doctor`, in a process of its own" },
    remedy: "the running agent opens one connection: let it say what that came to, in doctor/running.ts",
  },
  {
    to: [
      "runtime/src/agent",
      "runtime/src/backup/backup.ts",
      "runtime/src/backup/restore.ts",
      "runtime/src/identity/authority.ts",
      "runtime/src/identity/enrol.ts",
    ],
    in: ["site-agent/src"],
    only: {},
    remedy: "the command line does this, in a process of its own",
  },
];

export interface Construction {
  readonly name: string;
  /** The file that declares it. */
  readonly of: string;
  /** Who may construct it, extend it or hand it on as a value, and why. */
  readonly only: Reasons;
  readonly remedy: string;
}

const door = "gate/src/door.ts";

/** What only named files may construct. Others may name the type, and test by `instanceof`. */
export const constructions: readonly Construction[] = [
  {
    name: "OutboundMessage",
    of: door,
    only: { [door]: "makes every message that leaves" },
    remedy: "add a method to the door that describes the outgoing data",
  },
  {
    name: "OutboundUpload",
    of: door,
    only: { [door]: "makes every upload that leaves" },
    remedy: "add a method to the door that describes the outgoing data",
  },
  {
    name: "Door",
    of: door,
    only: { [door]: "declares it", "site-agent/src/process.ts": "makes the process's one door" },
    remedy: "take the door of the study's context",
  },
  {
    name: "Connection",
    of: "site-agent/src/rpc/connection.ts",
    only: {
      "site-agent/src/rpc/connection.ts": "declares it",
      "site-agent/src/process.ts": "opens the process's one connection",
    },
    remedy: "hand a message to the door",
  },
];

export interface GlobalRule {
  /** Names of the language or of Node; names of our own with the same spelling do not count. */
  readonly names?: readonly string[];
  /** Names after a dot, in brackets or in a pattern. */
  readonly members?: readonly string[];
  readonly in: readonly string[];
  readonly what: string;
  readonly remedy: string;
  /** The only uses that are allowed: `name.member` with one of these, or `new name(argument)` for `new`. */
  readonly allows?: readonly string[];
  readonly except?: Reasons;
}

const pure = ["lib/release/src", "lib/words/src", "core/src", "methods", "methods-paper", "secure-sum/src"];
const throughGlobalObject = "name the global itself, so that a reader and this check see it";

export const globals: readonly GlobalRule[] = [
  {
    names: ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"],
    in: siteProcess,
    what: "opens a connection",
    remedy: "hand a message to the door: one file opens a site's connection",
  },
  {
    names: ["eval", "Function", "require", "createRequire", "module"],
    in: siteProcess,
    what: "runs or loads what no import names",
    remedy: "write an import with the module's name",
    except: { "runtime/src/http/pages.ts": "`createRequire` resolves the folder of the built pages" },
  },
  {
    names: ["globalThis", "global", "self", "window"],
    in: siteProcess,
    what: "reaches any global by a computed name",
    remedy: throughGlobalObject,
    except: { "kernels/src/webassembly.ts": "Node's types leave out WebAssembly" },
  },
  {
    members: ["getBuiltinModule", "binding", "_linkedBinding", "dlopen", "loadExtension", "mainModule"],
    in: siteProcess,
    what: "loads what no import names",
    remedy: "write an import with the module's name",
  },
  {
    members: ["initOracleClient"],
    in: siteProcess,
    what: "loads a library of the system",
    remedy: "use the driver's thin mode",
  },
  {
    members: ["constructor"],
    in: siteProcess,
    what: "reaches a class, or Function, past its import",
    remedy: "import the class; `x.constructor.name` is allowed",
    allows: ["name"],
  },
  {
    names: ["process"],
    in: ["site-agent/src", "runtime/src", "proto/src", "kernels/src"],
    what: "is handed on, or used beyond what is listed",
    except: {
      "runtime/src/executable.ts": "tells the command that started it that it is ready, and ends with it",
    },
    remedy: "write `process.env`, `process.on`, … in full; scripts/boundaries/rules.ts lists the members",
    allows: [
      "arch",
      "argv",
      "allowedNodeEnvironmentFlags",
      "cwd",
      "emitWarning",
      "env",
      "execPath",
      "exit",
      "exitCode",
      "getuid",
      "hrtime",
      "kill",
      "memoryUsage",
      "off",
      "on",
      "once",
      "pid",
      "platform",
      "stderr",
      "stdin",
      "stdout",
      "umask",
      "uptime",
      "version",
      "versions",
    ],
  },
  {
    names: ["process", "performance", "crypto"],
    in: pure,
    what: "makes a pure package depend on its process",
    remedy: "take it as a parameter",
  },
  {
    names: ["Math"],
    in: pure,
    what: "draws randomness, or hides whether it does",
    remedy: "take a RandomSource as a parameter",
    allows: [
      "abs",
      "acos",
      "asin",
      "atan",
      "atan2",
      "cbrt",
      "ceil",
      "clz32",
      "cos",
      "cosh",
      "exp",
      "expm1",
      "floor",
      "fround",
      "hypot",
      "imul",
      "log",
      "log10",
      "log1p",
      "log2",
      "max",
      "min",
      "pow",
      "round",
      "sign",
      "sin",
      "sinh",
      "sqrt",
      "tan",
      "tanh",
      "trunc",
      "E",
      "LN10",
      "LN2",
      "LOG10E",
      "LOG2E",
      "PI",
      "SQRT1_2",
      "SQRT2",
    ],
  },
  {
    names: ["Date"],
    in: pure,
    what: "reads the clock",
    remedy: "take the time as a parameter",
    allows: ["new", "UTC", "parse"],
  },
  {
    names: ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
    in: pure,
    what: "waits",
    remedy: "the caller waits",
  },
  { names: ["console"], in: pure, what: "logs", remedy: "return what the caller may log" },
];

/** A process by its first file: what native code it may load, by the scope of the packages, and why. */
export interface NativeCode {
  readonly of: string;
  readonly only: Reasons;
}

/** Both processes of a hospital's agent. */
export const nativeCode: readonly NativeCode[] = [
  { of: "site-agent/src/main.ts", only: { "@libsql/": "SQLite: the process's own store" } },
  {
    of: "site-agent/src/tables/main.ts",
    only: {
      "@duckdb/": "reads and aggregates the hospital's tables",
      "@libsql/": "the hospital's SQLite files",
      oracledb: "has libraries for its thick mode, which nothing loads: thin mode is JavaScript",
    },
  },
];

/** Test support beside the sources: it is in no image, and nothing that is may import it. */
export function isTestSupport(path: string): boolean {
  return /\.test\.tsx?$|\/testing\/|\/test[A-Z]\w*\.tsx?$/.test(path);
}

/** Sources that the rules are about. */
export function isSource(path: string): boolean {
  return (
    /^(?:(?:lib\/)?[a-z-]+\/src|methods|methods-paper)\//.test(path) && !/^(?:bench|test|docs)\//.test(path)
  );
}

/** Apart from text in a bundler's reach: style sheets, pictures. */
export const isAsset = (target: string): boolean => /\.(?:css|svg|json)$/.test(target);
