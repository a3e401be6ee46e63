import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Node's permission model, for processes that the agent starts. It binds code in JavaScript; native code that is loaded calls the operating
 * system itself, and a program that is started is free.
 */
export interface Permitted {
  /** Files, and folders with all below them, as absolute paths; with a `*` at the end, all that begins so. */
  readonly reads: readonly string[];
  readonly writes?: readonly string[];
  /** Native code. */
  readonly addons?: boolean;
  readonly network?: boolean;
  /** Programs and threads are not permitted otherwise. */
  readonly starts?: boolean;
}

const knows = (flag: string) => process.allowedNodeEnvironmentFlags.has(flag);

/** Later versions of Node do not know the name that Node 20 has for it. */
export const permissionFlag = knows("--permission") ? "--permission" : "--experimental-permission";

/** Arguments of Node. Versions that do not restrict connections have no word for them. */
export const permissionFlags = ({ reads, writes = [], addons, network, starts }: Permitted): string[] => [
  permissionFlag,
  ...below(reads).map((path) => `--allow-fs-read=${path}`),
  ...below(writes).map((path) => `--allow-fs-write=${path}`),
  ...(addons ? ["--allow-addons"] : []),
  ...(starts ? ["--allow-child-process"] : []),
  ...(network && knows("--allow-net") ? ["--allow-net"] : []),
];

/**
 * Patterns for Node: `/folder/*` is the file or folder and all below it. Node 20 aborts where a path comes twice, and no version lists a folder whose
 * path another one begins with: these share a pattern, `/folder*`.
 */
export function below(paths: readonly string[]): string[] {
  const kept: { readonly path: string; isLoose: boolean }[] = [];
  for (const path of [...new Set(paths.map((one) => one.replace(/\/$/, "")))].sort(
    (a, b) => a.length - b.length,
  )) {
    const above = kept.find((one) => path.startsWith(one.path));
    if (above === undefined) kept.push({ path: path.replace(/\*$/, ""), isLoose: path.endsWith("*") });
    else if (path[above.path.length] !== "/") above.isLoose = true;
  }
  return kept.map(({ path, isLoose }) => `${path}${isLoose ? "" : "/"}*`);
}

/** Packages that the agent's programs load, also where others are linked in. */
export function programFiles(): string[] {
  const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));
  const linked = [packages, join(packages, "@consilium")].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => realpathSync(join(folder, name))),
  );
  return [packages, ...linked];
}

/** Tells whether one of the patterns permits a path. */
export const permits = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => `${path}/`.startsWith(pattern.slice(0, -1)));
