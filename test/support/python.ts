import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

const run = promisify(execFile);

export interface Python {
  /**
   * Runs a program and returns what it printed.
   * @param script - Python source
   * @param args - `sys.argv[1:]`
   * @throws with its standard error if it fails
   */
  run(script: string, args?: readonly string[]): Promise<string>;
}

/**
 * The last lines of every program: it ends without the interpreter's teardown, in which pyarrow's threads may abort a program that
 * has done all of its work (apache/arrow#34314). What fails before them still fails.
 */
const ending = `
import os as _os, sys as _sys
_sys.stdout.flush(); _sys.stderr.flush()
_os._exit(0)
`;

const forbidden = () => process.env.CONSILIUM_FORBID_SKIPS === "1";

/** The Python that CONSILIUM_PYTHON names, if it has the modules; null otherwise. */
export function python(modules: readonly string[] = []): Python | null {
  return found(modules).python;
}

/** The operating system's own Python, if it has the modules: of what its packages have and an index has only large. */
export function systemPython(modules: readonly string[]): Python | null {
  return foundAt("/usr/bin/python3", modules).python;
}

function found(modules: readonly string[]): Found {
  const executable = process.env.CONSILIUM_PYTHON;
  if (!executable) return { python: null, lacking: "CONSILIUM_PYTHON is not set" };
  return foundAt(executable, modules);
}

interface Found {
  readonly python: Python | null;
  readonly lacking: string;
}

/** By interpreter and modules: large ones take a second to import, and many tests of a file ask for the same. */
const known = new Map<string, Found>();

function foundAt(executable: string, modules: readonly string[]): Found {
  const key = [executable, ...modules].join(" ");
  const found = known.get(key) ?? lookedFor(executable, modules);
  known.set(key, found);
  return found;
}

function lookedFor(executable: string, modules: readonly string[]): Found {
  const check = spawnSync(executable, [
    "-c",
    ["import sys", ...modules.map((one) => `import ${one}`)].join("\n"),
  ]);
  if (check.error) return { python: null, lacking: `${executable} does not start` };
  if (check.status !== 0) {
    const last = check.stderr.toString().trim().split("\n").at(-1) ?? "";
    return { python: null, lacking: `${executable}: ${last}` };
  }
  return {
    lacking: "",
    python: {
      run: async (script, args = []) => {
        const { stdout } = await run(executable, ["-c", `${script}\n${ending}`, ...args], {
          maxBuffer: 256 * 1024 * 1024,
          timeout: 120_000,
        });
        return stdout;
      },
    },
  };
}

/**
 * A Python with these modules, or the test is skipped, loudly; with CONSILIUM_FORBID_SKIPS=1 it fails instead.
 * @param context - of the test that needs it
 */
export function requirePython(context: Pick<TestContext, "skip">, modules: readonly string[]): Python {
  const { python, lacking } = found(modules);
  if (python !== null) return python;
  const message = `needs Python with ${modules.join(", ")}: ${lacking}`;
  if (forbidden()) throw new Error(`${message}; CONSILIUM_FORBID_SKIPS=1 forbids to skip it`);
  process.stderr.write(`\nSKIPPED: ${message}\n`);
  return context.skip(message);
}
