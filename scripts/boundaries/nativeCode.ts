import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The packages with native code among these and all that they depend on, as installed.
 * @param packages - names, as imported
 */
export function nativePackages(root: string, packages: Iterable<string>): string[] {
  const native = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string, from: string) => {
    const folder = installedFolder(root, name, from);
    if (folder === null || seen.has(folder)) return;
    seen.add(folder);
    if (hasNativeCode(folder)) native.add(name);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<"dependencies" | "optionalDependencies", Record<string, string> | undefined>;
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) visit(other, folder);
  };
  for (const name of packages) visit(name, root);
  return [...native].sort();
}

/** As Node resolves it: the nearest `node_modules`; null for one that is not installed, as for another processor. */
function installedFolder(root: string, name: string, from: string): string | null {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  return null;
}

function hasNativeCode(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) =>
      !entry.parentPath.slice(folder.length).includes("node_modules") &&
      /\.(?:node|so(?:\.\d+)*|dylib|dll)$|^binding\.gyp$/.test(entry.name),
  );
}
