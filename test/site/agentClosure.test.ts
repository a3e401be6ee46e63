/** What the process that sees records is made of: the modules that its executable loads, as the compiler resolves them. */
import { existsSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The compiler with an interface for programs is a dependency of runtime/. */
const typescript = createRequire(join(root, "runtime/package.json"))("typescript") as {
  preProcessFile(
    text: string,
    readImportFiles: boolean,
    detectJavaScriptImports: boolean,
  ): { readonly importedFiles: readonly { readonly fileName: string }[] };
};

interface Closure {
  /** Compiled files of our own packages, from the project's folder. */
  readonly files: ReadonlySet<string>;
  /** Packages from elsewhere that they load, Node's own modules as `node:…`, each with the files of ours that do. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
}

/**
 * Follows what the compiler left of imports in `dist/`: types are gone there, so what remains is loaded. An import of a
 * name that is computed would hide something, and fails.
 */
function closureOf(entry: string): Closure {
  const files = new Set<string>();
  const packages = new Map<string, string[]>();
  const open = [join(root, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const path = relative(root, file);
    if (files.has(path)) continue;
    files.add(path);
    for (const specifier of importsOf(readFileSync(file, "utf8"), path)) {
      const ours = /^@consilium\/([^/]+)\/(.+)$/.exec(specifier);
      // What a build has joined is a package from elsewhere, under its own name.
      const joined = /(?:^|\/)joined\/(.+?)(?:\.js)?$/.exec(specifier)?.[1];
      if (joined !== undefined) packages.set(nameOf(joined), [...(packages.get(nameOf(joined)) ?? []), path]);
      else if (specifier.startsWith(".")) open.push(join(dirname(file), specifier));
      else if (ours !== null) open.push(join(root, folderOf(ours[1]!), "dist", `${ours[2]}.js`));
      else packages.set(nameOf(specifier), [...(packages.get(nameOf(specifier)) ?? []), path]);
    }
  }
  return { files, packages };
}

/** Where a package of ours lies: on top, or in `lib`. */
function folderOf(name: string): string {
  return existsSync(join(root, "lib", name)) ? join("lib", name) : name;
}

/** By the compiler's own reading of a module; it knows imports by a literal name. */
function importsOf(text: string, path: string): string[] {
  const computed = /\bimport\(\s*(?!["'])[^)]*\)/.exec(withoutComments(text));
  expect(computed?.[0], `${path} imports a computed name`).toBeUndefined();
  // Modules that run on threads.
  const threads = [...text.matchAll(/new URL\(["'](\.[^"']+\.js)["'],\s*import\.meta\.url\)/g)].map(
    (m) => m[1]!,
  );
  const imported = typescript.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return [...imported, ...threads];
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
}

function nameOf(specifier: string): string {
  if (specifier.startsWith("node:") || builtinModules.includes(specifier))
    return `node:${specifier.replace(/^node:/, "")}`;
  const [scope, name] = specifier.split("/");
  return specifier.startsWith("@") ? `${scope}/${name}` : scope!;
}

/** Every package that these packages need in turn, as their own package.json say. */
function installed(names: Iterable<string>, from: string): Set<string> {
  const all = new Set<string>();
  const open = [...names].filter((name) => !name.startsWith("node:"));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (all.has(name)) continue;
    all.add(name);
    const places = createRequire(join(root, from)).resolve.paths(name) ?? [];
    const manifest = places
      .map((place) => join(place, name, "package.json"))
      .find((path) => existsSync(path));
    if (manifest === undefined) continue;
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
      dependencies?: Record<string, string>;
    };
    open.push(...Object.keys(dependencies));
  }
  return all;
}

/** What serves HTTP by a framework, speaks to identity providers, or keeps accounts and pages. */
const servers = /^(?:fastify|@fastify\/.*|express|koa|hono|openid-client|jose|oauth4webapi|find-my-way|ws)$/;
const pages =
  /^runtime\/dist\/http\/(?:server|pages|events|operations|openapi|failures|schemas|access\/(?:access|accounts|oidc|oidcRoutes|gate|sessions|password|apiTokens|routes|setupLink))\.js$/;

const agent = closureOf("site-agent/dist/main.js");
/** It alone reads tables. */
const tables = closureOf("site-agent/dist/tables/main.js");
const console_ = closureOf("site-console/dist/main.js");

describe("the agent's process", () => {
  it("loads no HTTP framework, no client of an identity provider, and no code of pages or accounts", () => {
    expect(
      [...installed(agent.packages.keys(), "site-agent/dist/main.js")].filter((name) => servers.test(name)),
    ).toEqual([]);
    expect([...agent.files].filter((file) => pages.test(file))).toEqual([]);
    // The same patterns find all of it in the console's process.
    const found = installed(console_.packages.keys(), "site-console/dist/main.js");
    for (const name of ["fastify", "openid-client", "jose"]) expect(found).toContain(name);
    expect([...console_.files].filter((file) => pages.test(file)).length).toBeGreaterThan(10);
  });

  it("loads Node's own server in one file, which listens on a Unix socket alone", () => {
    const listening = [...agent.files].filter((file) =>
      /\b(?:createServer|createSecureServer)\(/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(listening).toEqual(["site-agent/dist/socket/server.js"]);
    const text = readFileSync(join(root, "site-agent/src/socket/server.ts"), "utf8");
    expect(text.match(/\.listen\(.*/g)).toEqual([".listen(path, () => {"]);
  });

  it("reaches the network's modules of Node in the files of its one connection and its one socket alone", () => {
    const reaching = (name: string) => [...(agent.packages.get(name) ?? [])].sort();
    expect(reaching("node:http")).toEqual([
      "runtime/dist/network/tunnel.js",
      "site-agent/dist/socket/server.js",
    ]);
    for (const name of ["node:https", "node:http2", "node:dns", "node:dgram"])
      expect(reaching(name), name).toEqual([]);
    // Which starts the process that reads tables; nothing else.
    expect(reaching("node:child_process")).toEqual(["site-agent/dist/tables/startProcess.js"]);
    expect(reaching("node:tls")).toEqual([
      "runtime/dist/network/presented.js",
      "runtime/dist/network/tunnel.js",
      "runtime/dist/tls/clientCredentials.js",
      "runtime/dist/tls/policy.js",
    ]);
    expect(reaching("@grpc/grpc-js")).toContain("runtime/dist/tls/clientCredentials.js");
    expect(console_.packages.get("node:http")).toContain("runtime/dist/agent/agentClient.js");
  });

  it("loads nothing that words, examines, backs up, enrols or issues: other processes do", () => {
    const others =
      /^(?:runtime\/dist\/(?:agent\/.*|http\/(?!spoken\.js).*|backup\/(?:backup|restore)|identity\/(?:authority|enrol|invitation|issueRevocations)|doctor\/(?:network|probe|site|agent))|core\/dist\/(?:hospital\/(?:explanation|explainedStudy|profileText|doctorView|ledgerViews|studyViews)|errorSummaries))\.js$/;
    expect([...agent.files].filter((file) => others.test(file))).toEqual([]);
    expect([...console_.files].filter((file) => others.test(file)).length).toBeGreaterThan(10);
    // Words for why it does not start are loaded when it ends.
    const speaking = [...agent.files].filter((file) =>
      /["'][^"']*http\/spoken(?:\.js)?["']/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(speaking).toEqual(["runtime/dist/executable.js"]);
    expect(readFileSync(join(root, speaking[0]!), "utf8")).toMatch(
      /catch \(thrown\) \{[^}]* \} = await import\("\.\/http\/spoken\.js"\)/,
    );
  });
});

describe("the process that reads tables", () => {
  it("alone has what opens them and what asks methods about records", () => {
    const reading =
      /^(?:gate\/dist\/(?:answer|contributions|flowRecords|fold|gramSums|heldRecords|patientBound|record|rehearsal|rowNotes|sums)|site-agent\/dist\/data\/(?:\w*[sS]ource|sources\/(?:readers|\w+\/(?:source|open|connection|input|\w+Source|openQuery))|columns|decode|duckdb\w+|flowRows|profile|recoding|rowHash|snapshot|tables)|site-agent\/dist\/engines\/(?:processes|workerProcess|spark\/application))\.js$/;
    expect([...agent.files].filter((file) => reading.test(file))).toEqual([]);
    expect([...tables.files].filter((file) => reading.test(file)).length).toBeGreaterThan(25);
    for (const name of ["@duckdb/node-api", "pg", "mssql", "oracledb"])
      expect([...agent.packages.keys()]).not.toContain(name);
  });

  it("has no identity, ledger, policy, door or key of a sum, and speaks to no aggregator", () => {
    const keys =
      /^(?:gate\/dist\/(?:account|door|frames|release)|secure-sum\/dist\/(?:site|sealedShares)|runtime\/dist\/(?:identity|network)\/(?!proxyConfig).*|proto\/dist\/.*|site-agent\/dist\/(?:ledger|rpc|socket|store)\/.*)\.js$/;
    expect([...tables.files].filter((file) => keys.test(file))).toEqual([]);
    expect([...agent.files].filter((file) => keys.test(file)).length).toBeGreaterThan(30);
    for (const name of ["@grpc/grpc-js", "node:http", "node:https", "node:http2", "node:dns"])
      expect([...tables.packages.keys()], name).not.toContain(name);
  });
});

describe("the console's process", () => {
  it("loads no file of the agent, and nothing that reads tables, speaks gRPC or signs for the site", () => {
    const foreign = /^(?:site-agent|aggregator|publisher|kernels|proto)\//;
    expect([...console_.files].filter((file) => foreign.test(file))).toEqual([]);
    for (const name of ["@duckdb/node-api", "pg", "@grpc/grpc-js"]) {
      expect([...console_.packages.keys()]).not.toContain(name);
      expect([...(name === "@grpc/grpc-js" ? agent : tables).packages.keys()]).toContain(name);
    }
    const identity = /^runtime\/dist\/identity\//;
    expect([...console_.files].filter((file) => identity.test(file))).toEqual([]);
    expect([...agent.files].filter((file) => identity.test(file))).not.toEqual([]);
  });
});
