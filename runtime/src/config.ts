import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { nearest } from "@consilium/core/nearest";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf, pathOf } from "@consilium/core/said";
import { isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { fault } from "./fault.js";

const configMaxBytes = 1 << 20;
const issuesShown = 20;
/** Of one text. */
const faultsMax = 100;

type Path = readonly PropertyKey[];

/**
 * Reads a YAML file and checks it with a schema made of `z.strictObject`s, so that a misspelt key is an error, not a
 * silently ignored setting. An empty file is `{}`.
 *
 * @throws ConsiliumError CONFIG_INVALID that names every wrong key with its line, what is expected there and, for an
 *   unknown key, the known one that is closest. Values are not included: one of them may be a password.
 */
export async function loadConfig<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  return parseConfig(await configText(path), path, schema);
}

/** @throws ConsiliumError CONFIG_INVALID for a file that cannot be read or is over 1 MiB */
export async function configText(path: string): Promise<string> {
  return (await readLimited(path, configMaxBytes)).toString("utf8");
}

/** An error in a configuration's text. */
interface ConfigFault {
  /** From 1; null where a key that is missing has no line. */
  readonly line: number | null;
  /** `tables.patients.columns[2]: what is expected there`. */
  readonly message: string;
}

export interface FaultyConfig {
  readonly faults: readonly [ConfigFault, ...ConfigFault[]];
  /** What to do about a text that is not even YAML. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** As `loadConfig`, of a text. `name` stands for the file in messages. */
export function parseConfig<S extends z.ZodType>(text: string, name: string, schema: S): z.output<S> {
  const read = readConfig(text, schema);
  return read.ok ? read.value : refuse(name, read.error);
}

/** As `parseConfig`, of content that was read elsewhere: its faults have no lines. */
export function checkedConfig<S extends z.ZodType>(content: unknown, name: string, schema: S): z.output<S> {
  const checked = checkContent(content, schema);
  if (checked.ok) return checked.value;
  const [first, ...rest] = checked.error.map(({ message }) => ({ line: null, message }));
  return refuse(name, { faults: [first!, ...rest] });
}

function refuse(name: string, { faults, ...options }: FaultyConfig): never {
  const shown = faults
    .slice(0, issuesShown)
    .map(({ line, message }) => (line === null ? `: ${message}` : ` line ${line}: ${message}`));
  if (faults.length > issuesShown) shown.push(`and ${faults.length - issuesShown} more`);
  throw new ConsiliumError(
    "CONFIG_INVALID",
    `${name}${shown.length > 1 ? ":\n  " : ""}${shown.join("\n  ")}`,
    options,
  );
}

/** A configuration's text checked, with its faults and their lines: for an editor. */
export function readConfig<S extends z.ZodType>(text: string, schema: S): Result<z.output<S>, FaultyConfig> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const fault = document.errors[0];
  if (fault) return err(notYaml(lines.linePos(fault.pos[0]).line, fault.code));
  const lineOf = (at: Path): number | null => {
    for (let length = at.length; length > 0; length--) {
      const node = document.getIn(at.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return null;
  };
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (cause) {
    return err({ faults: [{ line: null, message: "too many YAML aliases" }], cause });
  }
  const checked = checkContent(content, schema);
  if (checked.ok) return checked;
  const [first, ...rest] = checked.error.map(({ at, message }) => ({ line: lineOf(at), message }));
  return err({ faults: [first!, ...rest] });
}

export function notYaml(line: number | null, reason: string): FaultyConfig {
  return {
    faults: [{ line, message: `invalid YAML (${reason})` }],
    remedy: "check the indentation, the quotes and the colons of that line",
  };
}

type PlacedFault = { readonly at: Path; readonly message: string };

/** The faults are at most `faultsMax`: each of them is looked up in the text, and somebody reads them. */
export function checkContent<S extends z.ZodType>(
  content: unknown,
  schema: S,
): Result<z.output<S>, PlacedFault[]> {
  const checked = schema.safeParse(content);
  if (checked.success) return ok(checked.data);
  const { issues } = checked.error;
  return err(
    issues
      .slice(0, faultsMax)
      .flatMap((issue) => describeIssue(issue, schema, content))
      .slice(0, faultsMax),
  );
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType, content: unknown): PlacedFault[] {
  const path = asWritten(issue.path, content);
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    if (path.at(-1) !== issue.path.at(-1)) known.delete("name");
    return issue.keys.slice(0, faultsMax).map((key) => {
      const at = [...path, key];
      const inner = [...known].find(([, one]) => keysOf(alternatives(one)).some(([name]) => name === key));
      const close = inner === undefined ? nearest(key, [...known.keys()])[0] : `${inner[0]}.${key}`;
      const hint =
        close !== undefined ? `did you mean ${close}?` : `known are: ${[...known.keys()].join(", ")}`;
      return { at, message: `${formatPath(at)} is not a key here; ${hint}` };
    });
  }
  const where = formatPath(path);
  const missing = issue.code === "invalid_type" && valueAt(content, path) === undefined;
  if (missing) return [{ at: path, message: `${where} is missing: expected ${issue.expected}` }];
  return [{ at: path, message: `${where}: ${issue.message}` }];
}

/** Entries of a map that the schema reads as a list with names, as `tables`, by what they are called. */
function asWritten(path: Path, content: unknown): Path {
  return path.map((part, index) => {
    const parent = valueAt(content, path.slice(0, index));
    const isInMap = typeof part === "number" && typeof parent === "object" && !Array.isArray(parent);
    return isInMap ? (Object.keys(parent ?? {})[part] ?? part) : part;
  });
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce((value: unknown, key) => Object(value)[key], content);
}

/** `tables.patients.columns[2]` */
function formatPath(path: Path): string {
  if (path.length === 0) return "the file";
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`))
    .join("");
}

interface JsonSchema {
  readonly properties?: Record<string, JsonSchema>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

const alternatives = (one: JsonSchema): JsonSchema[] => [
  one,
  ...[...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])].flatMap(alternatives),
];

const keysOf = (all: readonly JsonSchema[]) => all.flatMap((one) => Object.entries(one.properties ?? {}));

/** The keys that a schema allows at a path, by way of its JSON Schema, which is simpler to walk. */
function knownKeys(schema: z.ZodType, path: Path): Map<string, JsonSchema> {
  let here = alternatives(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema);
  for (const part of path) {
    here = here.flatMap((one) => {
      const rest = typeof one.additionalProperties === "object" ? one.additionalProperties : undefined;
      const next = typeof part === "number" ? one.items : (one.properties?.[String(part)] ?? rest);
      return next ? alternatives(next) : [];
    });
  }
  return new Map(keysOf(here));
}

/** @throws ConsiliumError CONFIG_INVALID for a file that cannot be read or is larger */
export async function readLimited(path: string, maxBytes: number, key?: string): Promise<Buffer> {
  const where = { file: pathOf(path), key: key === undefined ? null : nameOf(key) };
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (cause) {
    const code = nameOf(cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable");
    throw fault("CONFIG_INVALID", "file.unreadable", { ...where, code }, { remedy: "file.check", cause });
  }
  if (content.length > maxBytes) throw fault("CONFIG_INVALID", "file.too-long", { ...where, max: maxBytes });
  return content;
}
