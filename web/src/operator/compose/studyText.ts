import { offsetOf } from "@consilium/runtime/yaml/places";
import { LineCounter, parseDocument } from "yaml";
import { t } from "../../shared/language";
import { aliasesOf } from "../../shared/yaml/edit";
import { isRecord, type Path } from "../../shared/yaml/values";

/** A study file as text, with the line of each key. */

/** An error in the file. */
export interface TextFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  /** The path, such as `participation.minimumSites`; empty for a YAML syntax error. */
  readonly path: string;
}

interface StudyText {
  /** The parsed value; null if the text is not YAML or not a map. */
  readonly value: Readonly<Record<string, unknown>> | null;
  /** YAML syntax errors. */
  readonly faults: readonly TextFault[];
  /** The line of a key, or of its nearest existing parent. */
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
    faults.push({
      line: lineAt(range?.[0] ?? 0),
      message: t("aliases are not allowed; write the value out"),
      path: "",
    });
  }
  if (faults.length > 0) return { value: null, faults, lineOf: () => 1 };
  const value: unknown = document.toJS();
  if (!isRecord(value)) {
    const fault = { line: 1, message: t("the file must contain keys and values"), path: "" };
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
