import { codeLines } from "../scripts/comments.js";
import { isTestOrGenerated } from "../scripts/repository.js";

/** How much there is of a project by package, each kind of text by its own measure. */
export interface Census {
  readonly packages: readonly PackageSize[];
  /** Code that a program wrote, in lines with code. */
  readonly generatedCode: Size;
  /** What was measured once and is read by nothing, in words, with its drawings. */
  readonly research: Size;
}

interface PackageSize {
  readonly name: string;
  /** Lines with code. */
  readonly source: Size;
  /** Lines with code of tests and of what they share. */
  readonly tests: Size;
  /** Words. */
  readonly documents: Size;
}

interface Size {
  readonly files: number;
  readonly amount: number;
}

type Kind = "source" | "tests" | "documents" | "generatedCode" | "research";

const code = /\.(?:[cm]?[jt]sx?|css|html|proto|py|sh)$/;
const hashComments = /\.(?:py|sh)$/;

/** @param files - each with its path from the project's folder */
export function censusOf(files: readonly { readonly path: string; readonly text: string }[]): Census {
  const counted = files.flatMap(({ path, text }) => {
    const kind = kindOf(path);
    return kind === null ? [] : [{ path, kind, amount: amountOf(path, text) }];
  });
  const sizeOf = (kind: Kind, isIn: (path: string) => boolean = () => true): Size => {
    const own = counted.filter((one) => one.kind === kind && isIn(one.path));
    return { files: own.length, amount: own.reduce((sum, { amount }) => sum + amount, 0) };
  };
  const names = [...new Set(counted.map(({ path }) => packageOf(path)))].sort();
  const packages = names.map((name) => {
    const isIn = (path: string) => packageOf(path) === name;
    return {
      name,
      source: sizeOf("source", isIn),
      tests: sizeOf("tests", isIn),
      documents: sizeOf("documents", isIn),
    };
  });
  return {
    packages: packages.filter((one) => one.source.files + one.tests.files + one.documents.files > 0),
    generatedCode: sizeOf("generatedCode"),
    research: sizeOf("research"),
  };
}

function kindOf(path: string): Kind | null {
  if (path.startsWith("research/")) return "research";
  if (path.endsWith(".md")) return "documents";
  if (!code.test(path)) return null;
  if (/(?:^|\/)generated\//.test(path)) return "generatedCode";
  return isTestOrGenerated(path) ? "tests" : "source";
}

function amountOf(path: string, text: string): number {
  if (path.endsWith(".md")) return wordsIn(text);
  if (path.endsWith(".svg")) return 0;
  if (!hashComments.test(path)) return codeLines(text);
  return text.split("\n").filter((line) => !/^\s*(?:#.*)?$/.test(line)).length;
}

/** Words that hold a letter or a digit: no marks of a table or a list. */
export function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const packageOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : ".");
