import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's files, for the checks that read them. */
export const projectRoot = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** What is installed, built or measured, and not written by hand. */
const skipped = new Set([
  "node_modules",
  "dist",
  "build",
  "coverage",
  ".git",
  ".venv",
  "results",
  "artifacts",
]);

/** Pages of the documentation that are made from the sources (`generatedPages.ts`) and not committed. */
export const generatedPages = [
  "docs/API.md",
  "docs/CLI.md",
  "docs/ERRORS.md",
  "docs/EVENTS.md",
  "docs/SOURCES.md",
  "docs/STUDY.md",
] as const;
export type GeneratedPage = (typeof generatedPages)[number];

export function isGeneratedPage(path: string): path is GeneratedPage {
  return generatedPages.some((page) => page === path);
}

/** Every file whose name matches, as a path below the project's folder, sorted; no generated page. */
export function filesOf(pattern: RegExp, below = projectRoot): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (pattern.test(entry.name)) found.push(relative(below, path));
    }
  };
  walk(below);
  return found.filter((path) => !isGeneratedPage(path)).sort();
}

export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

/** Whether a file is there to test others, or was generated. */
export function isTestOrGenerated(file: string): boolean {
  return (
    /\.test\.\w+$/.test(file) ||
    /(?:^|\/)(?:test|testing|generated)\//.test(file) ||
    /\/test[A-Z]\w*\.ts$/.test(file) ||
    /\/captured[A-Z]\w*\.ts$/.test(file)
  );
}

export interface Fault {
  /** `docs/METHODS.md:12` */
  readonly place: string;
  readonly what: string;
}

/** Prints faults to standard error, one a line, and sets the exit code. */
export function reportFaults(faults: readonly Fault[]): void {
  for (const { place, what } of faults) process.stderr.write(`${place}: ${what}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
