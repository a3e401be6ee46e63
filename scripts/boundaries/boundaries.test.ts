import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type Breach, breachesIn, describeBreach, nativeBreaches, sourceFacts } from "./check.js";
import { loadedBy } from "./loaded.js";
import type { SourceFacts } from "./program.js";
import { constructions, doors, globals, imports, isSource, nativeCode } from "./rules.js";

interface Snippet {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** `line [rule] start of the message`, for each breach; none of what is allowed. */
  readonly breaches: readonly string[];
}

const analyses = "methods/dp-pcc";
const studies = "site-agent/src/studies";
const made = "constructed or handed on";

/** Each refused form, and beside it the nearest form that is allowed. */
const snippets: readonly Snippet[] = [
  // ---- the network by a global
  {
    name: "a method that calls fetch",
    path: `${analyses}/zFetch.ts`,
    text: 'export const leak = () => fetch("https://example.org");',
    breaches: ["1 [globals] fetch opens a connection"],
  },
  {
    name: "fetch under another name",
    path: `${analyses}/zAlias.ts`,
    text: 'const f = fetch;\nexport const leak = () => f("https://example.org");',
    breaches: ["1 [globals] fetch opens"],
  },
  {
    name: "fetch in an object",
    path: `${analyses}/zShorthand.ts`,
    text: "export const tools = { fetch };",
    breaches: ["1 [globals] fetch opens"],
  },
  {
    name: "a WebSocket",
    path: `${studies}/zSocket.ts`,
    text: 'export const socket = new WebSocket("wss://example.org");',
    breaches: ["1 [globals] WebSocket opens"],
  },
  {
    name: "a global by a computed name",
    path: `${analyses}/zComputed.ts`,
    text: 'const g = globalThis as unknown as Record<string, unknown>;\nexport const leak = g["fet" + "ch"];',
    breaches: ["1 [globals] globalThis reaches any global"],
  },
  {
    name: "a function of ours that is called fetch, and fetch's type",
    path: `${analyses}/zOwnFetch.ts`,
    text: "function fetch(): number {\n  return 1;\n}\nexport const n = fetch();\nexport type F = typeof globalThis.fetch;",
    breaches: [],
  },
  // ---- modules past the imports
  {
    name: "process.getBuiltinModule",
    path: `${studies}/zBuiltin.ts`,
    text: 'export const net = process.getBuiltinModule("node:net");',
    breaches: [
      "1 [globals] process.getBuiltinModule is handed on",
      "1 [globals] getBuiltinModule loads what no import names",
    ],
  },
  {
    name: "process.getBuiltinModule by a text, and out of a pattern",
    path: `${studies}/zPattern.ts`,
    text: 'export const a = process["getBuiltinModule"];\nexport const { getBuiltinModule: b } = process;',
    breaches: [
      "1 [globals] process.getBuiltinModule is handed on",
      "1 [globals] getBuiltinModule loads",
      "2 [globals] getBuiltinModule loads",
      "2 [globals] process is handed on",
    ],
  },
  {
    name: "process under another name",
    path: `${studies}/zProcess.ts`,
    text: 'const p = process;\nexport const net = p["getBuiltin" + "Module" as "getBuiltinModule"]("net");',
    breaches: ["1 [globals] process is handed on"],
  },
  {
    name: "import() of a variable",
    path: `${analyses}/zDynamic.ts`,
    text: "export const load = (name: string) => import(name);",
    breaches: ["1 [imports] import(name) names no module"],
  },
  {
    name: "import() of a module of Node",
    path: `${studies}/zLiteral.ts`,
    text: 'export const load = () => import("node:child_process");',
    breaches: ['1 [imports] site-agent/src may not import "node:child_process"'],
  },
  {
    name: "require",
    path: `${studies}/zRequire.ts`,
    text: 'export const net: unknown = require("node:net");',
    breaches: ["1 [globals] require runs or loads"],
  },
  {
    name: "createRequire",
    path: "runtime/src/store/zRequire.ts",
    text: 'import { createRequire } from "node:module";\nexport const load = createRequire(import.meta.url);',
    breaches: [
      '1 [doors] only runtime/src/arrayBufferTransfer.ts, runtime/src/http/pages.ts may import "node:module"',
      "1 [globals] createRequire runs or loads",
      "2 [globals] createRequire runs or loads",
    ],
  },
  {
    name: "code from text",
    path: `${analyses}/zEval.ts`,
    text: 'export const a = eval("1");\nexport const b = new Function("return 1");\nexport const c = (() => 1).constructor("return 1");',
    breaches: [
      "1 [globals] eval runs",
      "2 [globals] Function runs",
      "3 [globals] constructor reaches a class",
    ],
  },
  {
    name: "code from text, by members unpacked or in a text",
    path: `${analyses}/zUnpacked.ts`,
    text: 'const { constructor } = () => 1;\nexport const a = constructor("return 1");\nexport const b = Reflect.get(() => 1, `constructor`);',
    breaches: ["1 [globals] constructor reaches a class", "3 [globals] constructor reaches a class"],
  },
  {
    name: "a global that is declared here to look like one of ours",
    path: `${analyses}/zDeclared.ts`,
    text: 'declare function fetch(url: string): void;\nexport const leak = () => fetch("https://example.org");',
    breaches: ["1 [globals] fetch opens"],
  },
  {
    name: "the type of a global declared in a file that the rules leave out",
    path: `${studies}/testAmbient.ts`,
    text: "declare global {\n  var EventSource: new (url: string) => object;\n  function fetch(url: boolean): void;\n}\nexport {};",
    breaches: [],
  },
  {
    name: "its use in a file of the product",
    path: `${studies}/zAmbient.ts`,
    text: 'export const source = new EventSource("https://example.org");\nexport const leak = () => fetch(true);',
    breaches: ["1 [globals] EventSource opens", "2 [globals] fetch opens"],
  },
  {
    name: "members of process that are listed, and a class's name",
    path: `${studies}/zListed.ts`,
    text: "export const a = process.env.HOME;\nexport const b = new Error().constructor.name;\nexport const c = a instanceof Function;",
    breaches: [],
  },
  // ---- imports
  {
    name: "a method that spawns",
    path: `${analyses}/zSpawn.ts`,
    text: 'import { spawn } from "node:child_process";\nexport const run = () => spawn("curl");',
    breaches: [`1 [imports] ${analyses} may not import "node:child_process"`],
  },
  {
    name: "the same in a file of the runtime, where the whole process is bound",
    path: "runtime/src/network/zSpawn.ts",
    text: 'import { spawn } from "child_process";\nexport const run = () => spawn("curl");',
    breaches: ['1 [imports] runtime/src may not import "child_process"'],
  },
  {
    name: "a socket where none is named",
    path: "runtime/src/store/zSocket.ts",
    text: '// The door is node:net.\nimport { connect } from "node:net";\nexport const open = () => connect(1);',
    breaches: ['2 [doors] only 12 files that scripts/boundaries/rules.ts names may import "node:net"'],
  },
  {
    name: "a module of Node handed on",
    path: `${studies}/zHandOn.ts`,
    text: 'export { readFileSync } from "node:fs";\nexport { connect } from "node:net";\nexport * from "node:child_process";',
    breaches: [
      '2 [imports] site-agent/src may not import "node:net"',
      '3 [imports] site-agent/src may not import "node:child_process"',
    ],
  },
  {
    name: "a method that reads files, the door and the ledger",
    path: `${analyses}/zReach.ts`,
    text: 'import { readFile } from "node:fs/promises";\nimport { ledgerCharges } from "@consilium/site-agent/ledger/charges";\nexport const reach = [readFile, ledgerCharges];',
    breaches: [
      `1 [imports] ${analyses} may not import "node:fs/promises"`,
      `2 [imports] ${analyses} may not import "@consilium/site-agent/ledger/charges"`,
    ],
  },
  {
    name: "a method that imports types alone",
    path: `${analyses}/zTypes.ts`,
    text: 'import type { Socket } from "node:net";\nimport type { OneRecord } from "@consilium/gate/record";\nexport type Reach = [Socket, OneRecord];',
    breaches: [],
  },
  {
    name: "a method that takes the connection's types",
    path: `${analyses}/zConnectionTypes.ts`,
    text: 'import type { Connection } from "@consilium/site-agent/rpc/connection";\nexport type Reach = Connection;',
    breaches: [
      '1 [imports] methods/ may not import "@consilium/site-agent/rpc/connection", not even its types',
    ],
  },
  {
    name: "a method that uses another one's folder",
    path: `${analyses}/zOther.ts`,
    text: 'import { asFelpA } from "../felp-a/study.js";\nexport const other = asFelpA;',
    breaches: [`1 [imports] ${analyses} may not import "../felp-a/study.js"`],
  },
  {
    name: "a method that uses what methods share",
    path: `${analyses}/zShared.ts`,
    text: 'import { binnedFeatures } from "../shared/columns/binning.js";\nexport const shared = binnedFeatures;',
    breaches: [],
  },
  {
    name: "a method that is loaded past the registry",
    path: "methods/zAll.ts",
    text: 'import { method } from "./felp-a/method.js";\nexport const load = () => import("./felp-s/method.js");\nexport const all = [method];',
    breaches: ["1 [doors] only methods/registry.ts may", "2 [doors] only methods/registry.ts may"],
  },
  {
    name: "an agent that loads all methods",
    path: `${studies}/zAllMethods.ts`,
    text: 'import { soundMethods } from "@consilium/methods/all";\nexport const all = soundMethods;',
    breaches: ['1 [imports] site-agent/src may not import "@consilium/methods/all"'],
  },
  {
    name: "a site's side that loads the aggregator's",
    path: `${analyses}/zSide.ts`,
    text: 'import { aggregator } from "./aggregator.js";\nexport const other = aggregator;',
    breaches: ["1 [doors] only "],
  },
  {
    name: "a method of core",
    path: "core/src/study/zMethod.ts",
    text: 'import { soundMethods } from "@consilium/methods/all";\nexport const known = soundMethods;',
    breaches: ['1 [imports] core/src may not import "@consilium/methods/all"'],
  },
  {
    name: "a proven method that uses a published one",
    path: `${analyses}/zPaper.ts`,
    text: 'import { asPaperFelp } from "@consilium/methods-paper/felp/study";\nexport const paper = asPaperFelp;',
    breaches: [`1 [imports] ${analyses} may not import "@consilium/methods-paper/felp/study"`],
  },
  {
    name: "OpenBLAS at a site",
    path: `${studies}/zBlas.ts`,
    text: 'import { openSystemKernels } from "@consilium/kernels/openSystem";\nexport const open = openSystemKernels;',
    breaches: ['1 [imports] site-agent/src may not import "@consilium/kernels/openSystem"'],
  },
  {
    name: "WebAssembly kernels at a site",
    path: `${studies}/zWasm.ts`,
    text: 'import { openKernels } from "@consilium/kernels/open";\nexport const open = openKernels;',
    breaches: [],
  },
  {
    name: "a library by its name",
    path: "kernels/src/zLibrary.ts",
    text: 'export const load = async () => (await import("koffi")).load("libm.so.6");',
    breaches: ['1 [imports] kernels/src may not import "koffi"'],
  },
  {
    name: "a second file that opens the connection, and a server's store at a site",
    path: `${studies}/zConnect.ts`,
    text: 'import { Federation } from "@consilium/proto/load";\nimport { openConfiguredStore } from "@consilium/runtime/store/configuredStore";\nexport const reach = [Federation, openConfiguredStore];',
    breaches: [
      '1 [doors] only site-agent/src/rpc/connection.ts may import "@consilium/proto/load"',
      '2 [doors] no file here may import "@consilium/runtime/store/configuredStore"',
    ],
  },
  {
    name: "the site's code elsewhere, as types too",
    path: "aggregator/src/zSite.ts",
    text: 'import type { Connection } from "@consilium/site-agent/rpc/connection";\nexport { Connection as Box } from "@consilium/site-agent/rpc/connection";\nexport type B = Connection;',
    breaches: [
      '1 [imports] aggregator/ may not import "@consilium/site-agent/rpc/connection", not even its types',
      '2 [imports] aggregator/src may not import "@consilium/site-agent/rpc/connection"',
      `2 [constructions] Connection is ${made}`,
    ],
  },
  {
    name: "paths that leave the package, or name it from within",
    path: "proto/src/zPaths.ts",
    text: 'import { ok } from "../../core/src/result.js";\nimport { Federation } from "@consilium/proto/load";\nexport const reach = [ok, Federation];',
    breaches: [
      '1 [imports] "../../core/src/result.js" leaves the package',
      '2 [imports] "@consilium/proto/load" is in the same package',
    ],
  },
  {
    name: "words in the agent, whose codes' types it may have",
    path: "site-agent/src/studies/zWords.ts",
    text: 'import type { StudySays } from "@consilium/words/says/studies";\nimport { sayEnglish } from "@consilium/words/english";\nexport const words = (says: StudySays) => [says, sayEnglish];',
    breaches: ['2 [imports] site-agent/src may not import "@consilium/words/english"'],
  },
  {
    name: "words in what plans a study, whose codes' types it may have",
    path: "methods/describe/zWords.ts",
    text: 'import type { DescribeSays } from "./says.js";\nimport { en } from "./words/en.js";\nexport const words = (says: DescribeSays) => [says, en];',
    breaches: ['2 [doors] only methods/english.ts may import "./words/en.js"'],
  },
  {
    name: "test support in the product",
    path: "aggregator/src/rounds/zTest.ts",
    text: 'import { TestFleet } from "../../testing/rounds/fleet.js";\nexport const reach = TestFleet;',
    breaches: ['1 [imports] "../../testing/rounds/fleet.js" is test support'],
  },
  {
    name: "a page that imports a process",
    path: "web/src/shared/zRuntime.ts",
    text: 'import type { paths } from "@consilium/runtime/http/openapi/generated/site";\nimport { createLogger } from "../../../runtime/src/log";\nimport type { Store } from "@consilium/runtime/store/store";\nexport const log = createLogger;\nexport type P = [paths, Store];',
    breaches: [
      '2 [imports] "../../../runtime/src/log" leaves the package',
      '3 [imports] web/ may not import "@consilium/runtime/store/store", not even its types',
    ],
  },
  // ---- what is constructed
  {
    name: "an door of its own",
    path: `${studies}/zOutbox.ts`,
    text: 'import { Door } from "@consilium/gate/door";\nexport const mine = new Door(() => undefined, () => 0);',
    breaches: [`1 [constructions] Door is ${made}`, `2 [constructions] Door is ${made}`],
  },
  {
    name: "an door under another name, or extended",
    path: `${studies}/zRenamed.ts`,
    text: 'import { Door as Box } from "@consilium/gate/door";\nexport class Mine extends Box {}',
    breaches: [`1 [constructions] Door is ${made}`],
  },
  {
    name: "a message out of the whole module",
    path: `${studies}/zWhole.ts`,
    text: 'import * as out from "@consilium/gate/door";\nexport const Message = out.OutboundMessage;\nexport const load = () => import("@consilium/gate/door");\nexport * from "@consilium/gate/door";',
    breaches: [
      '1 [constructions] "@consilium/gate/door" is taken whole',
      `2 [constructions] OutboundMessage is ${made}`,
      '3 [constructions] "@consilium/gate/door" is taken whole',
      '4 [constructions] "@consilium/gate/door" is taken whole',
    ],
  },
  {
    name: "the class handed on through a file between",
    path: `${studies}/zBetween.ts`,
    text: 'export { Door as Box } from "@consilium/gate/door";',
    breaches: [`1 [constructions] Door is ${made}`],
  },
  {
    name: "an door that was handed in, and a class of ours that is called so",
    path: `${studies}/zHandedIn.ts`,
    text: 'import type { Door } from "@consilium/gate/door";\nexport const use = (door: Door) => door;\nclass Connection {}\nexport const mine = new Connection();\nexport interface Box extends Door {}',
    breaches: [],
  },
  // ---- pure packages
  {
    name: "a pure package that reads clock, chance, process and files",
    path: "core/src/zImpure.ts",
    text: [
      'import { readFileSync } from "node:fs";',
      "export const a = [Date.now(), new Date(), Math.random()];",
      "const { random } = Math;",
      "export const b = [random, readFileSync, process.env, performance.now()];",
      'setTimeout(() => console.log("x"), 1);',
      "const clock = Date;",
      "export const c = [clock.now(), crypto.randomUUID()];",
    ].join("\n"),
    breaches: [
      '1 [imports] core/src may not import "node:fs"',
      "2 [globals] Date.now reads the clock",
      "2 [globals] Date reads the clock",
      "2 [globals] Math.random draws randomness",
      "3 [globals] Math draws randomness",
      "4 [globals] process makes a pure package depend",
      "4 [globals] performance makes a pure package depend",
      "5 [globals] setTimeout waits",
      "5 [globals] console logs",
      "6 [globals] Date reads the clock",
      "7 [globals] crypto makes a pure package depend",
    ],
  },
  {
    name: "cryptography outside its folder, and core from the secure sum",
    path: "secure-sum/src/zCore.ts",
    text: 'import { createHash } from "node:crypto";\nimport { ConsiliumError } from "@consilium/core/errors";\nexport const reach = [createHash, ConsiliumError];',
    breaches: [
      '1 [imports] secure-sum/src may not import "node:crypto"',
      '2 [imports] secure-sum/src may not import "@consilium/core/errors"',
    ],
  },
  {
    name: "a pure package that computes",
    path: "core/src/zPure.ts",
    text: '// not Date.now()\nimport { z } from "zod";\nexport const a = [new Date(0), Date.UTC(2026), Math.max(1, 2), z];',
    breaches: [],
  },
  {
    name: "cryptography in its folder",
    path: "secure-sum/src/crypto/zHash.ts",
    text: 'import { createHash } from "node:crypto";\nexport const hash = createHash;',
    breaches: [],
  },
];

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const overlay = Object.fromEntries(snippets.map(({ path, text }) => [path, `${text}\n`]));
const facts = sourceFacts(root, overlay);
const breaches = breachesIn(facts);
const shown = ({ line, rule, what }: Breach) => `${line} [${rule}] ${what}`;

describe("boundaries", () => {
  it("hold in the whole tree", () => {
    const own = breaches.filter(({ path }) => overlay[path] === undefined);
    expect(own.map(describeBreach)).toEqual([]);
    expect(facts.length).toBeGreaterThan(snippets.length + 500);
  });

  it("know every source of every workspace", () => {
    const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      workspaces: string[];
    };
    const known = new Set(facts.map(({ path }) => path));
    const unknown = workspaces.flatMap((workspace) => {
      const folder = join(root, workspace, "src");
      if (!existsSync(folder) || !isSource(`${workspace}/src/`)) return [];
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((path) => !known.has(path) || !imports.some((rule) => path.startsWith(`${rule.in}/`)));
    });
    expect(unknown).toEqual([]);
  });

  it.each(snippets.map((snippet) => [snippet.name, snippet] as const))("see %s", (_, snippet) => {
    expect(facts.some(({ path }) => path === snippet.path)).toBe(true);
    const found = breaches.filter(({ path }) => path === snippet.path).map(shown);
    expect(found.map((text, i) => text.slice(0, snippet.breaches[i]?.length))).toEqual(snippet.breaches);
  });

  it("see a registry that loads a method before a study asks for it", () => {
    const registry = facts.find(({ path }) => path === "methods/registry.ts")!;
    const [one] = registry.imports.filter(({ isLater }) => isLater);
    const atStart = { ...registry, imports: [{ ...one!, isLater: false }] };
    expect(breachesIn([{ ...registry, imports: [one!] }])).toEqual([]);
    expect(breachesIn([atStart]).map(shown)).toEqual([
      `${one!.line} [doors] "${one!.specifier}" is loaded with the file`,
    ]);
  });

  it("keep native code but SQLite's out of the agent, and out of the process that sees records but DuckDB's, and Oracle's that is never loaded", () => {
    expect(nativeBreaches(root, facts).map(describeBreach)).toEqual([]);
    const [agent, tables] = nativeCode;
    const aggregator = nativeBreaches(root, facts, [{ ...tables!, of: "aggregator/src/main.ts" }]);
    expect(aggregator.map(({ path, what }) => [path, what.slice(0, 27)])).toEqual([
      ["kernels/src/openblas.ts", '"koffi" brings native code '],
    ]);
    const without = (of: string) =>
      new Set(nativeBreaches(root, facts, [{ of, only: {} }]).map(({ what }) => what.split(" ")[0]));
    expect(without(tables!.of)).toEqual(new Set(['"@duckdb/node-api"', '"libsql"', '"oracledb"']));
    expect(without(agent!.of)).toEqual(new Set(['"libsql"']));
  });

  it("have an agent that loads nothing of what its hospital's configuration and policy may leave out", () => {
    const agent = "site-agent/src/main.ts";
    const tables = "site-agent/src/tables/main.ts";
    const loaded = (isWithout?: (path: string) => boolean) =>
      new Set([...loadedBy(agent, facts, isWithout), ...loadedBy(tables, facts, isWithout)]);
    const optional = [
      "data/sources/csv/source",
      "data/sources/shared/databaseSource",
      "data/sources/duckdb/input",
      "data/sources/fhir/compileView",
      "data/sources/fhir/input",
      "data/sources/jsonl/source",
      "data/sources/omop/source",
      "data/sources/oracle/source",
      "data/sources/postgres/source",
      "data/sources/shared/querySource",
      "data/sources/sqlite/source",
      "data/sources/sqlserver/source",
      "engines/engines",
      "engines/processes",
      "studies/dealtMasks",
      "studies/publishedStudies",
      "studies/setupExchange",
      "data/sources/parquet/source",
      "doctor/running",
      "dataProtection/gather",
      "ledger/report",
    ].map((name) => `site-agent/src/${name}.ts`);
    const atStart = loaded(() => true);
    const ever = loaded();
    expect(optional.filter((path) => atStart.has(path))).toEqual([]);
    expect(optional.filter((path) => !ever.has(path))).toEqual([]);
    expect([...atStart].filter((path) => /^methods(?:-paper)?\//.test(path))).toEqual([
      "methods/registry.ts",
    ]);
    const packages = (paths: ReadonlySet<string>) =>
      new Set(
        facts
          .filter(({ path }) => paths.has(path))
          .flatMap((file) => file.imports.filter(({ isValue, isLater }) => isValue && !isLater))
          .map(({ specifier }) => specifier),
      );
    const drivers = ["pg", "apache-arrow"];
    expect(drivers.filter((name) => packages(atStart).has(name))).toEqual([]);
    expect(drivers.filter((name) => packages(ever).has(name))).toEqual(drivers);
  });

  it("name no exception that is not used any more", () => {
    const byPath = new Map(facts.map((file) => [file.path, file] as const));
    const stale: string[] = [];
    const expectUse = (table: string, path: string, isUsed: (file: SourceFacts) => boolean) => {
      const file = byPath.get(path);
      if (file === undefined || !isUsed(file)) stale.push(`${table}: ${path}`);
    };
    for (const { to, only } of doors) {
      for (const path of Object.keys(only)) {
        expectUse(`doors to ${to.join(", ")}`, path, (file) =>
          file.imports.some(
            (one) => one.isValue && to.some((name) => `${one.target}/`.startsWith(`${name}/`)),
          ),
        );
      }
    }
    for (const { name, only } of constructions) {
      for (const path of Object.keys(only))
        expectUse(`constructions of ${name}`, path, (file) => file.mentions.some((one) => one.name === name));
    }
    for (const { names = [], members = [], except = {} } of globals) {
      for (const path of Object.keys(except)) {
        expectUse(`globals ${[...names, ...members].join(", ")}`, path, (file) =>
          file.mentions.some((one) => [...names, ...members].includes(one.name) && one.declaredIn === null),
        );
      }
    }
    for (const rule of imports) {
      if (!facts.some(({ path }) => path === rule.in || path.startsWith(`${rule.in}/`)))
        stale.push(`imports of ${rule.in}`);
    }
    expect(stale).toEqual([]);
  });

  it("are told with file, line, rule, and what to do", () => {
    const breach = breaches.find(({ path }) => path === `${analyses}/zFetch.ts`)!;
    expect(describeBreach(breach)).toBe(
      `${analyses}/zFetch.ts:1: [globals] fetch opens a connection: hand a message to the door: one file opens a site's connection`,
    );
  });
});
