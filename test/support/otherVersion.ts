import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type FoundString,
  isSentence,
  type SyntaxNode,
  stringsIn,
  withTexts,
} from "@consilium/release/testing/sentences";
import { type CliResult, commandLine, type Role } from "../../scripts/localFederation.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Packages in which every sentence is replaced: of plans, costs, certificates and results, all that the words say, and what commands print. */
const allOf = ["lib/words", "core", "gate", "lib/release", "methods", "methods-paper", "cli"];
/** Packages of processes, in which there are statements to databases, headers, and what keys are derived from. */
const whereSaid = [
  "secure-sum",
  "proto",
  "kernels",
  "runtime",
  "aggregator",
  "publisher",
  "site-agent",
  "site-console",
];
const packages = [...allOf, ...whereSaid];
/** They compile queries. */
const queries = /^core\/dist\/omop\//;

/** The method that has one edition more in the other version. */
export const methodOfNextEdition = "counts";

/**
 * Another version of this software, made of what was built of this one: every sentence is another one, version and build are others, and
 * a method has a second edition. What is sent, stored, hashed and signed stays, but for what a sentence or the version were in it.
 *
 * A sentence is a text with a letter and a space. In the packages of plans, costs, certificates, results, words and commands all of them
 * are replaced; in those of processes the ones of errors, of logs and of what describes a value to people. Values stay: what is listed in a
 * schema or a set, compared, or the name of a member, and what is hashed, signed, a statement to a database or an option.
 */
export class OtherVersion {
  readonly version: string;
  readonly folder: string;
  /** By package, how many sentences are other ones. */
  readonly replaced: ReadonlyMap<string, number>;

  private constructor(version: string, folder: string, replaced: ReadonlyMap<string, number>) {
    this.version = version;
    this.folder = folder;
    this.replaced = replaced;
  }

  static async make(version: string): Promise<OtherVersion> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "consilium-other-version-"));
    try {
      linkPackages(folder);
      const modules = packages.flatMap((name) => modulesOf(name).map((path) => readModule(name, path)));
      const values = new Set(
        modules.flatMap(({ strings }) => strings.filter(isValue).map(({ text }) => text)),
      );
      const replaced = new Map<string, number>();
      for (const { name, path, code, strings } of modules) {
        const sentences = strings.filter((one) => isSaid(path, one) && !values.has(one.text));
        replaced.set(name, (replaced.get(name) ?? 0) + sentences.length);
        write(folder, path, withTexts(code, sentences, otherWords));
      }
      edit(folder, "core/dist/version.js", /(?<=softwareVersion = )"[^"]+"/, JSON.stringify(version));
      edit(folder, "core/dist/build.js", /"[^"]+"/, '"000000000000"');
      edit(folder, `methods/dist/${methodOfNextEdition}/method.js`, /(?=sections: \[)/, "editions: [1, 2], ");
      const listing = new RegExp(`(?<=/${methodOfNextEdition}/method\\.js"\\))`);
      edit(folder, "methods/dist/registry.js", listing, ", 2");
      // They are of one build with the agent that starts them.
      const bundles = (await import(
        pathToFileURL(join(folder, "scripts/foldWorker.mjs")).href
      )) as typeof import("../../scripts/foldWorker.mjs");
      const to = (name: string) => join(folder, `site-agent/dist/${name}.mjs`);
      await Promise.all([
        bundles.bundleFoldWorker(to("fold-worker")),
        bundles.bundlePublishedWorker(to("published-worker")),
        bundles.bundleReader(to("reader")),
        bundles.bundleDatabaseReader(to("database-reader")),
      ]);
      return new OtherVersion(version, folder, replaced);
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  /** What node starts in place of this version's own. */
  program(role: Role): readonly string[] {
    return [join(this.folder, role, "dist", "main.js")];
  }

  /** `consilium …` of the other version. */
  cli(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult> {
    return commandLine(pathToFileURL(join(this.folder, "cli/dist/run.js")).href, environment, args);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Module {
  readonly name: string;
  /** From the project's folder. */
  readonly path: string;
  readonly code: string;
  readonly strings: readonly FoundString[];
}

function readModule(name: string, path: string): Module {
  const code = readFileSync(join(root, path), "utf8");
  return { name, path, code, strings: stringsIn(code).filter(({ text }) => isSentence(text)) };
}

/** What was compiled of a package's own sources. */
function modulesOf(name: string): string[] {
  const dist = join(root, name, "dist");
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("/dist/joined/"));
}

/** The packages without the modules that are written anew; whatever they depend on is where it is installed. */
function linkPackages(folder: string): void {
  for (const name of packages) {
    mkdirSync(join(folder, name), { recursive: true });
    const isAsItIs = (path: string) => path.includes("/dist/joined") || !/\.(?:js|map|ts|mjs)$/.test(path);
    for (const entry of ["package.json", "dist"])
      cpSync(join(root, name, entry), join(folder, name, entry), { recursive: true, filter: isAsItIs });
    if (readdirSync(join(root, name)).includes("node_modules"))
      symlinkSync(join(root, name, "node_modules"), join(folder, name, "node_modules"));
  }
  cpSync(join(root, "proto/consilium"), join(folder, "proto/consilium"), { recursive: true });
  for (const file of [
    "package.json",
    "package-lock.json",
    "scripts/foldWorker.mjs",
    "scripts/joinPackages.mjs",
  ])
    cpSync(join(root, file), join(folder, file));
  const installed = join(folder, "node_modules");
  mkdirSync(join(installed, "@consilium"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@consilium") symlinkSync(join(root, "node_modules", name), join(installed, name));
  for (const name of readdirSync(join(root, "node_modules/@consilium"))) {
    const workspace = relative(root, realpathSync(join(root, "node_modules/@consilium", name)));
    const from = packages.includes(workspace) ? folder : root;
    symlinkSync(join(from, workspace), join(installed, "@consilium", name));
  }
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function edit(folder: string, path: string, before: RegExp, after: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  const edited = text.replace(before, after);
  if (edited === text) throw new Error(`${path} has no ${before}`);
  writeFileSync(join(folder, path), edited);
}

/** Every letter is thirteen places further: what is another text stays another one, and spaces, numbers and line breaks stay. */
export const otherWords = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < "a" ? 65 : 97;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + 13) % 26));
  });

// ---- what is a sentence ---------------------------------------------------------------------------------------------

/** The name of what is called, without what it is called on. */
function calledName({ callee }: SyntaxNode): string {
  const { type, name, property } = callee as SyntaxNode & { readonly property?: SyntaxNode };
  return String(type === "MemberExpression" ? property!.name : name);
}

const isCall = ({ type }: SyntaxNode) => type === "CallExpression" || type === "NewExpression";

/** Listed, compared, or given a meaning by name: what programs tell from one another. */
function isValue({ within, start }: FoundString): boolean {
  const [inside, around] = within;
  switch (inside?.type) {
    case "SwitchCase":
      return (inside.test as SyntaxNode | null)?.start === start;
    case "BinaryExpression":
      return ["===", "!=="].includes(String(inside.operator));
    case "MemberExpression":
      return true;
    case "ArrayExpression":
      return (
        around !== undefined && isCall(around) && ["enum", "literal", "Set"].includes(calledName(around))
      );
    case "CallExpression":
      return calledName(inside) === "literal";
    default:
      return false;
  }
}

const statement =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|FROM|WHERE|VALUES|SET|AS|ORDER BY|LIMIT|CASE|WHEN|ELSE|END)\b| = \?/;
const domain = /^consilium [a-z ]+(?: v\d+)?\n?$/;
const markup = /="|<\/|\/>/;
const option = /^-|<[a-z]+>|\[[a-z-]+\]/;

/** Of what is called: that it takes what is for people. */
const says =
  /Error$|[fF]ault|^(?:trace|debug|info|warn|error|fatal|describe|refine|regex|min|max|addIssue|refusal|broken|invalid|changed|since)$/;
/** Of a member: that it is for people. */
const said =
  /^(?:message|remedy|detail|description|summary|help|title|words|reason|why|does|deadlineEffect|notes?|warnings?|label)$/;

function isSaid(path: string, { text, within }: FoundString): boolean {
  const isProgram = [statement, domain, markup, option].some((pattern) => pattern.test(text));
  if (isProgram || queries.test(path)) return false;
  if (allOf.some((name) => path.startsWith(`${name}/`))) return true;
  return within.some((node) =>
    node.type === "Property"
      ? said.test(String((node.key as SyntaxNode).name))
      : isCall(node) && says.test(calledName(node)),
  );
}
