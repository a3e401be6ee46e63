import { fileURLToPath } from "node:url";
import { type Fault, filesOf, isTestOrGenerated, readProjectFile, reportFaults } from "./repository.js";

/**
 * Every runtime dependency has one line of reason in docs/DEPENDENCIES.md, under its package's heading, and every
 * version in every package.json is pinned exactly. A dependency that nothing imports must say so in its reason, by
 * beginning with `unused:`.
 */
export const dependenciesDocument = "docs/DEPENDENCIES.md";

/** What of a package.json matters here. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

/** One package and whether its sources import a dependency. */
interface PackageUnderTest {
  readonly folder: string;
  readonly manifest: Manifest;
  imports(dependency: string): boolean;
}

/** The reasons by package and dependency, from lists such as ``- `zod`: reason`` below `## core`. */
function reasonsOf(document: string): Map<string, Map<string, string>> {
  const reasons = new Map<string, Map<string, string>>();
  let section = "";
  for (const line of document.split("\n")) {
    section = /^## `([a-z/-]+)`$/.exec(line)?.[1] ?? (line.startsWith("## ") ? "" : section);
    const entry = /^- `([^`]+)`: (\S.*)$/.exec(line);
    if (section === "" || entry === null) continue;
    const known = reasons.get(section) ?? new Map<string, string>();
    known.set(entry[1]!, entry[2]!);
    reasons.set(section, known);
  }
  return reasons;
}

const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

export function dependencyFaults(document: string, packages: readonly PackageUnderTest[]): Fault[] {
  const faults: Fault[] = [];
  const reasons = reasonsOf(document);
  for (const { folder, manifest, imports } of packages) {
    const place = folder === "" ? "package.json" : `${folder}/package.json`;
    const pinned = { ...manifest.devDependencies, ...manifest.dependencies };
    for (const [name, version] of Object.entries(pinned)) {
      if (!exact.test(version)) faults.push({ place, what: `${name} is not pinned exactly: ${version}` });
    }
    const runtime = Object.keys(manifest.dependencies ?? {}).filter(
      (name) => !name.startsWith("@consilium/"),
    );
    const listed = reasons.get(folder) ?? new Map<string, string>();
    for (const name of runtime) {
      const reason = listed.get(name);
      if (reason === undefined) {
        faults.push({ place: dependenciesDocument, what: `${folder}: no reason for ${name}` });
      } else if (reason.startsWith("unused:") === imports(name)) {
        const what = imports(name) ? "is imported, its reason says unused" : "is imported by nothing";
        faults.push({ place: dependenciesDocument, what: `${folder}: ${name} ${what}` });
      }
    }
    for (const name of listed.keys()) {
      if (runtime.includes(name)) continue;
      faults.push({ place: dependenciesDocument, what: `${folder}: ${name} is no dependency of it` });
    }
  }
  const known = new Set(packages.map(({ folder }) => folder));
  for (const section of reasons.keys()) {
    if (!known.has(section)) faults.push({ place: dependenciesDocument, what: `no package ${section}` });
  }
  return faults;
}

/** The packages of this project. In `bench` and `test` everything is a source. */
export function projectPackages(): PackageUnderTest[] {
  const top = JSON.parse(readProjectFile("package.json")) as Manifest;
  return ["", ...(top.workspaces ?? [])].map((folder) => {
    const manifest = JSON.parse(
      readProjectFile(folder === "" ? "package.json" : `${folder}/package.json`),
    ) as Manifest;
    const counts = (file: string) => folder === "bench" || folder === "test" || !isTestOrGenerated(file);
    const sources =
      folder === ""
        ? []
        : filesOf(/\.(?:tsx?|mjs)$/)
            .filter((file) => file.startsWith(`${folder}/`) && counts(file))
            .map(readProjectFile);
    return {
      folder,
      manifest,
      imports: (dependency) => {
        const name = dependency.replace(/[.]/g, "\\.");
        const pattern = new RegExp(`(?:from|import|import\\() ?"${name}(?:/[^"]*)?"`);
        return sources.some((source) => pattern.test(source));
      },
    };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  reportFaults(dependencyFaults(readProjectFile(dependenciesDocument), projectPackages()));
}
