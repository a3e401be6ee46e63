import { readFile, stat } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { Methods } from "@consilium/core/method/methods";
import type { StudyIssue } from "@consilium/core/method/studyReader";
import { readSaid } from "@consilium/core/readSaid";
import { lines } from "@consilium/core/said";
import { planStudy } from "@consilium/core/study/plan";
import { planFacts } from "@consilium/core/study/planFacts";
import { demandUnretired, retired } from "@consilium/core/study/retired";
import type { Study } from "@consilium/core/study/study";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { formatBytes } from "@consilium/core/units";
import { offsetOf } from "@consilium/runtime/yaml/places";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { LineCounter, parseDocument } from "yaml";
import { DetailedError, fileFault } from "../failure.js";
import { installedMethods } from "../methods.js";
import { printable } from "../terminal/layout.js";
import { syntaxFaults } from "./yamlSyntax.js";

/** A study of 100 000 features takes about 8 MB. */
const studyMaxBytes = 32 * 1024 * 1024;
const aliasesMax = 100;

/** An error in a study file, with its position: line and column count from 1. */
interface StudyFault {
  /** The key, such as `features[3].max`; `yaml` for a syntax error. */
  readonly path: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

type StudyReading =
  | { readonly kind: "valid"; readonly study: Study; readonly yaml: string }
  | { readonly kind: "invalid"; readonly faults: readonly StudyFault[]; readonly yaml: string };

/** Reads the text of a study file. */
export async function readStudyText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > studyMaxBytes) {
      throw new ConsiliumError("STUDY_INVALID", `${path} has ${formatBytes(size)}, too large for a study`, {
        remedy: `give a YAML file of at most ${formatBytes(studyMaxBytes)}`,
      });
    }
    const text = await readFile(path, "utf8");
    if (!text.includes("\0")) return text;
    throw new ConsiliumError("CONFIG_INVALID", `study file ${path} is not a text file`, {
      remedy: "give the study's YAML file",
    });
  } catch (cause) {
    if (cause instanceof ConsiliumError) throw cause;
    throw new ConsiliumError("CONFIG_INVALID", `study file ${path}: ${fileFault(cause)}`, {
      remedy: "check the path",
      cause,
    });
  }
}

/** Reads a study from YAML, with all errors and their lines. */
export function readStudy(yaml: string, methods: Methods): StudyReading {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const syntax = syntaxFaults(yaml, [...document.errors, ...document.warnings]).map(
    ({ message, offset }): StudyFault => ({ path: "yaml", message, ...at(offset) }),
  );
  if (syntax.length > 0) return { kind: "invalid", faults: syntax, yaml };
  let raw: unknown;
  try {
    raw = document.toJS({ maxAliasCount: aliasesMax });
  } catch {
    const message = `more than ${aliasesMax} uses of aliases (*name); write the values out`;
    return { kind: "invalid", faults: [{ path: "yaml", message, line: 1, column: 1 }], yaml };
  }
  const parsed = parseWritten(methods, raw);
  if (parsed.ok) return { kind: "valid", study: parsed.value, yaml };
  const faults = parsed.error.issues.map(
    (issue): StudyFault => ({
      ...issue,
      ...at(offsetOf(document, issue.path, codeOf(issue) === "fault.no-such-key" ? "key" : "value")),
    }),
  );
  faults.sort((a, b) => a.line - b.line || a.column - b.column);
  return { kind: "invalid", faults: withoutRepeatedLevels(faults), yaml };
}

const unquotedLevel = /^(.*\blevels)\[\d+\]$/;

/** Levels that YAML reads as numbers or booleans are one error for each list, with its remedy. */
function withoutRepeatedLevels(faults: readonly StudyFault[]): StudyFault[] {
  const seen = new Set<string>();
  return faults.flatMap((fault) => {
    const list = unquotedLevel.exec(fault.path)?.[1];
    const { wanted, got } = readSaid(fault.message)?.params ?? {};
    if (list === undefined || wanted !== "string" || (got !== "number" && got !== "boolean")) return [fault];
    if (seen.has(list)) return [];
    seen.add(list);
    return [{ ...fault, path: list, message: lines<StudyFaultSays>()("fault.levels-unquoted", {}) }];
  });
}

/** The code of an issue's sentence. */
const codeOf = ({ message }: StudyIssue) => readSaid(message)?.code;

/** Every error with its line of the file and a mark below its position. */
export function describeFaults(file: string, yaml: string, faults: readonly StudyFault[]): string {
  const lines = yaml.split(/\r?\n/);
  return faults
    .map((fault) => {
      const head = `${file}:${fault.line}:${fault.column}  ${fault.path}: ${fault.message}`;
      const source = lines[fault.line - 1]?.replace(/\t/g, " ");
      if (source === undefined || source.trim() === "" || source.length > 160) return head;
      const number = String(fault.line).padStart(6);
      return `${head}\n${number} | ${printable(source)}\n${" ".repeat(6)} | ${" ".repeat(fault.column - 1)}^`;
    })
    .join("\n");
}

/** Issues as people read them. */
async function inEnglish(faults: readonly StudyFault[]): Promise<StudyFault[]> {
  const { english } = await import("@consilium/runtime/http/spoken");
  return faults.map((fault) => ({ ...fault, message: english(fault.message) }));
}

/**
 * Reads and validates a study file.
 * @throws DetailedError STUDY_INVALID listing every error; ConsiliumError STUDY_RETIRED
 */
export async function loadStudy(
  path: string,
  shown: string,
  list = retired,
): Promise<{ study: Study; yaml: string }> {
  const reading = readStudy(await readStudyText(path), await installedMethods());
  if (reading.kind === "valid") {
    const { study } = reading;
    demandUnretired(study.method, planFacts(study, planStudy(study)), list);
    return reading;
  }
  const { yaml } = reading;
  const faults = await inEnglish(reading.faults);
  const first = faults[0]!;
  const count = faults.length === 1 ? "1 error," : `${faults.length} errors, the first`;
  throw new DetailedError(
    "STUDY_INVALID",
    `${shown} has ${count} at line ${first.line}: ${first.path}: ${first.message}`,
    {
      remedy: "correct these lines, then `consilium study validate` again",
      listing: describeFaults(shown, yaml, faults),
      details: { file: shown, faults },
    },
  );
}
