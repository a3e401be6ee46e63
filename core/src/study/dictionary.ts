import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import type { z } from "zod";
import { readSaid } from "../readSaid.js";
import { lines, nameOf, sentences } from "../said.js";
import { quoted } from "../text.js";
import { featureSchema, labelSchema } from "./features.js";
import { shapeWords } from "./shapeWords.js";

/**
 * A data dictionary as CSV [RFC4180]: a line for each column of a table, with the bounds that somebody declares. It says which
 * values are plausible and holds no record.
 */

/** What a study takes of a dictionary, which may have other columns. Levels are separated by `|`. */
const keys = ["name", "type", "unit", "min", "max", "levels", "description"] as const;
const required = ["name", "type"];
type Entry = ReadonlyMap<string, string>;

const sayLine = lines<StudyFaultSays>();
const fault = sentences<StudyFaultSays>();

const types: Readonly<Record<string, "numeric" | "categorical">> = {
  numeric: "numeric",
  number: "numeric",
  integer: "numeric",
  decimal: "numeric",
  categorical: "categorical",
  category: "categorical",
};

/** What a dictionary says of a table's columns, as a study declares them. */
export interface DictionaryColumns {
  readonly features: readonly object[];
  /** Null without one. */
  readonly label: object | null;
  /** Sentences' lines, each with its line of the file; empty if the dictionary can be used. */
  readonly faults: readonly string[];
}

/** @param label - the name of the outcome; null for a study without one */
export function readDictionary(text: string, label: string | null): DictionaryColumns {
  const faults: string[] = [];
  const features: object[] = [];
  const outcomes: object[] = [];
  const seen = new Set<string>();
  for (const { line, entry } of entriesOf(text, faults)) {
    const name = entry.get("name") ?? "";
    const made = name === label ? labelOf(entry) : featureOf(entry);
    const twice = seen.has(name) ? [fault("dictionary.name-twice", { name: nameOf(quoted(name)) })] : [];
    const found = [...made.faults, ...twice];
    faults.push(...found.map((what) => sayLine("dictionary.line", { line, what })));
    seen.add(name);
    (name === label ? outcomes : features).push(made.column);
  }
  if (faults.length === 0 && features.length === 0) faults.push(sayLine("dictionary.no-feature", {}));
  return { features, label: outcomes[0] ?? null, faults };
}

/** A column as a study has it, and what is wrong with it. */
interface Made {
  readonly column: object;
  readonly faults: readonly AnySaid[];
}

function featureOf(entry: Entry): Made {
  const written = entry.get("type") ?? "";
  const type = Object.hasOwn(types, written.toLowerCase()) ? types[written.toLowerCase()] : undefined;
  if (type === undefined) {
    const params = { type: nameOf(quoted(written)), known: Object.keys(types).map(nameOf) };
    return { column: {}, faults: [fault("dictionary.type", params)] };
  }
  const { name, unit, min, max, description } = Object.fromEntries(entry);
  const about = description === undefined ? {} : { description };
  const column =
    type === "numeric"
      ? {
          name,
          type,
          min: numberOf(min),
          max: numberOf(max),
          ...(unit === undefined ? {} : { unit }),
          ...about,
        }
      : { name, type, levels: levelsOf(entry), ...about };
  return made(featureSchema, column);
}

function labelOf(entry: Entry): Made {
  const description = entry.get("description");
  return made(labelSchema, {
    name: entry.get("name"),
    levels: levelsOf(entry),
    ...(description === undefined ? {} : { description }),
  });
}

/** As written, so that a study's defaults are not spelled out. */
function made(schema: z.ZodType, column: object): Made {
  const parsed = schema.safeParse(column, { reportInput: true, error: shapeWords });
  const issues = parsed.success ? [] : parsed.error.issues;
  const faults = issues.map(({ path, message }) =>
    fault("dictionary.key", { key: nameOf(path.join(".")), what: readSaid(message)! }),
  );
  return { column, faults };
}

function numberOf(text: string | undefined): number | string | undefined {
  return text !== undefined && Number.isFinite(Number(text)) ? Number(text) : text;
}

function levelsOf(entry: Entry): string[] {
  const text = entry.get("levels");
  return text === undefined ? [] : text.split("|").map((level) => level.trim());
}

/** @param faults - to which is added what makes the whole dictionary unreadable */
function entriesOf(text: string, faults: string[]): { readonly line: number; readonly entry: Entry }[] {
  const [header, ...records] = recordsOf(text.replace(/^\ufeff/, ""));
  const names = (header?.fields ?? []).map((name) => name.toLowerCase());
  const lacking = required.filter((name) => !names.includes(name));
  if (lacking.length > 0) {
    const params = { lacking: lacking.map(nameOf), known: keys.map(nameOf) };
    faults.push(sayLine("dictionary.line", { line: 1, what: fault("dictionary.header", params) }));
    return [];
  }
  return records
    .filter(({ fields }) => fields.some((field) => field !== ""))
    .map(({ line, fields }) => {
      const cells = keys.map((key) => [key, fields[names.indexOf(key)] ?? ""] as const);
      return { line, entry: new Map(cells.filter(([, value]) => value !== "")) };
    });
}

/** The records of CSV text. The delimiter is a semicolon where the first line has one and no comma, as spreadsheets write it. */
function recordsOf(text: string): { readonly line: number; readonly fields: string[] }[] {
  const first = /^[^\n]*/.exec(text)![0];
  const delimiter = first.includes(";") && !first.includes(",") ? ";" : ",";
  const records: { line: number; fields: string[] }[] = [];
  let line = 1;
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let begun = 1;
  const endField = () => {
    fields.push(field.trim());
    field = "";
  };
  const endRecord = () => {
    endField();
    records.push({ line: begun, fields });
    fields = [];
    begun = line + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (isQuoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[i++]!;
      else isQuoted = false;
    } else if (c === '"' && field.trim() === "") {
      isQuoted = true;
      field = "";
    } else if (c === delimiter) endField();
    else if (c === "\n") endRecord();
    else field += c;
    if (c === "\n") line++;
  }
  if (field !== "" || fields.length > 0) endRecord();
  return records;
}
