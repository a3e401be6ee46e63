import { loadedBy } from "./loaded.js";
import { nativePackages } from "./nativeCode.js";
import { type ImportFact, type Mention, readFacts, type SourceFacts } from "./program.js";
import {
  constructions,
  doors,
  type GlobalRule,
  globals,
  type ImportRule,
  imports,
  isAsset,
  isSource,
  isTestSupport,
  type NativeCode,
  nativeCode,
  typesForAll,
} from "./rules.js";

export interface Breach {
  readonly path: string;
  readonly line: number;
  /** The table of rules.ts that it breaks. */
  readonly rule: "imports" | "doors" | "constructions" | "globals" | "nativeCode";
  readonly what: string;
  readonly remedy: string;
}

const configurations = ["tsconfig.check.json", "web/tsconfig.json"];

const names = new Set([
  ...globals.flatMap((rule) => rule.names ?? []),
  ...constructions.map((rule) => rule.name),
]);
// A class can also be reached through a namespace: `gate.Door`.
const members = new Set([
  ...globals.flatMap((rule) => rule.members ?? []),
  ...constructions.map((rule) => rule.name),
]);

/** The facts of all sources, and of files that are not on disk. */
export function sourceFacts(root: string, overlay: Readonly<Record<string, string>> = {}): SourceFacts[] {
  return readFacts({ root, configurations, includes: isSource, names, members, overlay });
}

export function breachesIn(facts: readonly SourceFacts[]): Breach[] {
  return facts
    .filter(({ path }) => !isTestSupport(path))
    .flatMap((file) => [
      ...file.imports.flatMap((fact) => importBreaches(file.path, fact)),
      ...file.mentions.flatMap((mention) => mentionBreaches(file.path, mention)),
    ])
    .sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** `file:line: [rule] what. Remedy.` */
export function describeBreach({ path, line, rule, what, remedy }: Breach): string {
  return `${path}:${line}: [${rule}] ${what}: ${remedy}`;
}

const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);
const isOneOf = (path: string, list: readonly string[]): boolean => list.some((one) => isBelow(path, one));
/** Packages lie on top, or in `lib`. */
const packageOf = (path: string): string => /^(?:lib\/)?[^/]+/.exec(path)![0];
const isOurs = (target: string): boolean => imports.some((rule) => packageOf(rule.in) === packageOf(target));

// ---- imports ----------------------------------------------------------------------------------------------------

function importBreaches(path: string, fact: ImportFact): Breach[] {
  const { line, specifier, target, isValue, isWhole, isLater } = fact;
  const breach = (rule: Breach["rule"], what: string, remedy: string): Breach[] => [
    { path, line, rule, what, remedy },
  ];
  if (target === null)
    return breach("imports", `import(${specifier}) names no module`, "write the module's name as a literal");
  if (isAsset(target)) return [];
  if (target.startsWith(`${packageOf(path)}/`) && !/^\.{1,2}\//.test(specifier))
    return breach("imports", `"${specifier}" is in the same package`, "import it by a relative path");
  if (isOurs(target) && packageOf(target) !== packageOf(path) && specifier.startsWith("."))
    return breach("imports", `"${specifier}" leaves the package`, "import it by the package's name");
  if (!isValue) return typeBreach(path, fact, target);
  if (isTestSupport(target))
    return breach("imports", `"${specifier}" is test support`, "move what the product needs out of it");
  const may = mayImport(path);
  if (!isOneOf(target, may.values)) {
    return breach("imports", `${may.in} may not import "${specifier}"`, `it may import ${list(may.values)}`);
  }
  for (const door of doors) {
    if (!isOneOf(target, door.to) || !isOneOf(path, door.in)) continue;
    if (door.only[path] === undefined)
      return breach("doors", `${named(door.only)} may import "${specifier}"`, door.remedy);
    if (door.isLater && !isLater)
      return breach("doors", `"${specifier}" is loaded with the file`, door.remedy);
  }
  const constructed = constructions.find((rule) => rule.of === target && rule.only[path] === undefined);
  if (isWhole && constructed !== undefined) {
    return breach(
      "constructions",
      `"${specifier}" is taken whole, and with it ${constructed.name}`,
      "import what is used by name",
    );
  }
  return [];
}

function typeBreach(path: string, { line, specifier }: ImportFact, target: string): Breach[] {
  if (!isOurs(target) || packageOf(target) === packageOf(path) || isOneOf(target, typesForAll)) return [];
  const rules = imports.filter((rule) => isBelow(path, rule.in));
  const may = rules.flatMap((rule) => rule.may);
  const mayTypes = rules.flatMap((rule) => rule.mayTypes ?? []);
  // A folder of a package by value opens the types of all of it, a file its own.
  if (may.some((one) => packageOf(one) === packageOf(target) && !one.endsWith(".ts"))) return [];
  if (isOneOf(target, [...may, ...mayTypes])) return [];
  const what = `${packageOf(path)}/ may not import "${specifier}", not even its types`;
  return [{ path, line, rule: "imports", what, remedy: `it may import ${list([...may, ...mayTypes])}` }];
}

function mayImport(path: string): { readonly in: string; readonly values: readonly string[] } {
  const rules = imports.filter((rule) => isBelow(path, rule.in)).sort((a, b) => a.in.length - b.in.length);
  const closed = rules.findLastIndex((rule) => rule.closed === true);
  const counted: readonly ImportRule[] = closed === -1 ? rules : rules.slice(closed);
  const own = closed === -1 ? [packageOf(path)] : [];
  return {
    in: counted.at(-1)?.in ?? packageOf(path),
    values: [...own, ...counted.flatMap((rule) => rule.may)],
  };
}

const list = (items: readonly string[]): string => (items.length === 0 ? "nothing" : items.join(", "));

/** The files of an exception; many are left to the table. */
function named(only: Readonly<Record<string, string>>): string {
  const files = Object.keys(only);
  if (files.length === 0) return "no file here";
  if (files.length <= 3) return `only ${files.join(", ")}`;
  return `only ${files.length} files that scripts/boundaries/rules.ts names`;
}

// ---- names ------------------------------------------------------------------------------------------------------

function mentionBreaches(path: string, mention: Mention): Breach[] {
  const { line, name, declaredIn, use } = mention;
  if (declaredIn !== null) {
    const rule = constructions.find((one) => one.name === name && one.of === declaredIn);
    if (rule === undefined || rule.only[path] !== undefined || use.kind === "instanceof") return [];
    const what = `${name} is constructed or handed on: ${named(rule.only)} may do that`;
    return [{ path, line, rule: "constructions", what, remedy: rule.remedy }];
  }
  const rule = globals.find(
    (one) =>
      (one.names?.includes(name) || one.members?.includes(name)) &&
      isOneOf(path, one.in) &&
      one.except?.[path] === undefined &&
      !isAllowed(one, mention),
  );
  if (rule === undefined) return [];
  const shown = use.kind === "member" && rule.allows !== undefined ? `${name}.${use.member}` : name;
  return [{ path, line, rule: "globals", what: `${shown} ${rule.what}`, remedy: rule.remedy }];
}

function isAllowed({ allows = [] }: GlobalRule, { use }: Mention): boolean {
  if (use.kind === "instanceof") return true;
  if (use.kind === "member") return allows.includes(use.member);
  return use.kind === "new" && use.arguments > 0 && allows.includes("new");
}

// ---- native code ------------------------------------------------------------------------------------------------

/** Imports of packages that have native code, or depend on one that has, in the sources of a process. */
export function nativeBreaches(root: string, facts: readonly SourceFacts[], rules = nativeCode): Breach[] {
  return rules.flatMap((rule) => nativeBreachesOf(rule, root, facts));
}

function nativeBreachesOf(rule: NativeCode, root: string, facts: readonly SourceFacts[]): Breach[] {
  const byPath = new Map(facts.map((file) => [file.path, file] as const));
  const packages = loadedBy(rule.of, facts).flatMap((path) =>
    byPath
      .get(path)!
      .imports.filter(({ isValue, target }) => isValue && target !== null && !isOurs(target))
      .filter(({ target }) => !target!.startsWith("node:"))
      .map((fact) => ({ path, ...fact })),
  );
  const native = new Map(
    [...new Set(packages.map(({ target }) => target!))].map((name) => {
      const found = nativePackages(root, [name]);
      return [name, found.filter((one) => !Object.keys(rule.only).some((scope) => one.startsWith(scope)))];
    }),
  );
  return packages.flatMap(({ path, line, specifier, target }): Breach[] => {
    const found = native.get(target!)!;
    if (found.length === 0) return [];
    const what = `"${specifier}" brings native code into the process of ${rule.of}: ${found.join(", ")}`;
    return [
      {
        path,
        line,
        rule: "nativeCode",
        what,
        remedy: "do without it, or have it decided in docs/ARCHITECTURE.md",
      },
    ];
  });
}
