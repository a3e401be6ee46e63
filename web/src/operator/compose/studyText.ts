import { offsetOf } from "@consilium/runtime/yaml/places";
import { LineCounter, parseDocument } from "yaml";
import { aliasesOf } from "../../shared/yaml/edit";
import { isRecord, type Path } from "../../shared/yaml/values";

/** A study's file as text, and the line of each key. */

/** Something wrong with the file. */
export interface TextFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  /** Where, as `participation.minimumSites`; empty for a fault of the YAML itself. */
  readonly path: string;
}

interface StudyText {
  /** What the text says; null while it is no YAML, or not a map. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** Of the YAML itself. */
  readonly faults: readonly TextFault[];
  /** The line of a key, or of what is nearest above it. */
  readonly lineOf: (path: string) => number;
}

export function readStudyText(text: string): StudyText {
  const counter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: counter });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const faults = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: firstLine(error.message),
    path: "",
  }));
  for (const { range } of aliasesOf(document)) {
    faults.push({ line: lineAt(range?.[0] ?? 0), message: "a study has no aliases; write it out", path: "" });
  }
  if (faults.length > 0) return { value: null, faults, lineOf: () => 1 };
  const value: unknown = document.toJS();
  if (!isRecord(value)) {
    const fault = { line: 1, message: "the file must be a list of keys and values", path: "" };
    return { value: null, faults: [fault], lineOf: () => 1 };
  }
  return { value, faults: [], lineOf: (path) => lineAt(offsetOf(document, path)) };
}

const firstLine = (message: string) => message.split("\n")[0]!.replace(/:$/, "");

/** `features[3].max` as its parts. */
export function pathOf(text: string): Path {
  if (text === "study") return [];
  return [...text.matchAll(/[^.[\]]+/g)].map(([part], index, all) => {
    const before = all[index]!.index - 1;
    return text[before] === "[" ? Number(part) : part;
  });
}
