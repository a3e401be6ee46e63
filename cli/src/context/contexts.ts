import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { fileFault, systemCode } from "../failure.js";
import type { CliIo } from "../terminal/io.js";

/**
 * Named defaults of where commands go, as one file of the user's. It holds addresses and paths, never a token. An option
 * comes before a variable of the environment, and that before the context.
 */
export interface Context {
  readonly home?: string;
  readonly aggregator?: string;
  readonly tokenFile?: string;
  readonly publisher?: string;
  readonly readerTokenFile?: string;
}

export interface Contexts {
  /** Of the context that commands use; null: none. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

export const contextKeys = ["home", "aggregator", "tokenFile", "publisher", "readerTokenFile"] as const;
const none: Contexts = { current: null, contexts: {} };

/** Where the file is: `$CONSILIUM_CONFIG`, otherwise below the user's configuration; null without a user's folder. */
export function contextsFile({
  environment,
  workingFolder,
}: Pick<CliIo, "environment" | "workingFolder">): string | null {
  const { CONSILIUM_CONFIG: own, XDG_CONFIG_HOME: configuration, HOME: home } = environment;
  if (own) return resolve(workingFolder, own);
  const folder = configuration || (home ? join(home, ".config") : null);
  return folder === null ? null : join(folder, "consilium", "contexts.json");
}

/** @throws ConsiliumError CONFIG_INVALID for a file that is not one of ours */
export async function readContexts(io: Pick<CliIo, "environment" | "workingFolder">): Promise<Contexts> {
  const file = contextsFile(io);
  if (file === null) return none;
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return none;
    throw new ConsiliumError("CONFIG_INVALID", `${file}: ${fileFault(cause)}`, {
      remedy: "check its permissions, or name another file with CONSILIUM_CONFIG",
      cause,
    });
  }
  const found = parsed(text);
  if (found !== null) return found;
  throw new ConsiliumError("CONFIG_INVALID", `${file} is not a list of contexts`, {
    remedy: "remove it, and make the contexts again with `consilium context set`",
  });
}

function parsed(text: string): Contexts | null {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(raw) || !isRecord(raw.contexts)) return null;
  const { current, contexts } = raw;
  const isContext = (one: unknown) =>
    isRecord(one) &&
    Object.entries(one).every(
      ([key, value]) => (contextKeys as readonly string[]).includes(key) && typeof value === "string",
    );
  if (!Object.values(contexts).every(isContext)) return null;
  if (current !== null && (typeof current !== "string" || !Object.hasOwn(contexts, current))) return null;
  return { current, contexts: contexts as Contexts["contexts"] };
}

/** Replaces the file at once, so that a reader sees either. */
export async function writeContexts(io: CliIo, contexts: Contexts): Promise<string> {
  const file = contextsFile(io);
  if (file === null) {
    throw new ConsiliumError("CONFIG_INVALID", "no folder for the contexts", {
      remedy: "set HOME, or name the file with CONSILIUM_CONFIG",
    });
  }
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.part`;
  await writeFile(part, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  await rename(part, file);
  return file;
}

/**
 * The context that a command uses: of `--context`, otherwise `$CONSILIUM_CONTEXT`, otherwise the current one.
 * @throws ConsiliumError USAGE for a name that no context has
 */
export async function chosenContext(io: CliIo, given: string | undefined): Promise<Context> {
  const name = given ?? (io.environment.CONSILIUM_CONTEXT || undefined);
  const { current, contexts } = await readContexts(io);
  return contextCalled(contexts, name ?? current);
}

function contextCalled(contexts: Contexts["contexts"], name: string | null): Context {
  if (name === null) return {};
  if (Object.hasOwn(contexts, name)) return contexts[name]!;
  throw unknownContext(contexts, name);
}

export function unknownContext(contexts: Contexts["contexts"], name: string): ConsiliumError {
  return new ConsiliumError("USAGE", `no context ${JSON.stringify(name)}`, {
    remedy: `there are: ${Object.keys(contexts).join(", ") || "none; make one with `consilium context set`"}`,
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
