import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin, transform } from "esbuild";
import { parseAst } from "vite";
import { formatStrings } from "./formatStrings.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Another checkout of this one's sources, all of whose sentences are other ones. */
export interface OtherSentences {
  /** A module whose exports are those of the given files together. */
  readonly module: unknown;
  readonly replaced: number;
  readonly folder: string;
}

/**
 * Builds sources with every sentence replaced: each string, and each part of a template, that has a letter and a space and is no string
 * of a format.
 * @param files - relative to the project's folder
 */
export async function withOtherSentences(
  files: readonly string[],
  sentence: (before: string) => string,
): Promise<OtherSentences> {
  // Below the project, so that packages are found as the sources find them.
  const folder = await mkdtemp(join(root, "node_modules", ".other-sentences-"));
  const outfile = join(folder, "other.mjs");
  let replaced = 0;
  const plugin: Plugin = {
    name: "other-sentences",
    setup(into) {
      into.onResolve({ filter: /^(?:@consilium\/|\.)/ }, ({ path, resolveDir }) => ({
        path: path.startsWith(".") ? sourceOf(join(resolveDir, path)) : packageFile(path),
      }));
      into.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const { code } = await transform(await readFile(path, "utf8"), { loader: "ts", target: "es2023" });
        const sentences = stringsIn(code).filter(({ text }) => isSentence(text));
        replaced += sentences.length;
        const contents = withTexts(code, sentences, sentence);
        return { contents, loader: "js", resolveDir: dirname(path) };
      });
    },
  };
  await build({
    stdin: {
      contents: files.map((file) => `export * from ${JSON.stringify(`./${file}`)};`).join("\n"),
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
    plugins: [plugin],
  });
  return { module: await import(pathToFileURL(outfile).href), replaced, folder };
}

const sourceOf = (path: string): string => {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(source) ? source : path;
};

/** As `vitest.config.ts` and `tsconfig.check.json` have it. */
function packageFile(name: string): string {
  const [, owner, rest] = /^@consilium\/([^/]+)\/(.+)$/.exec(name)!;
  const isBelowLib = existsSync(join(root, "lib", owner!));
  const folder = join(root, isBelowLib ? "lib" : "", owner!);
  const isFlat = owner!.startsWith("methods") || rest!.startsWith("testing/");
  return join(folder, isFlat ? "" : "src", `${rest}.ts`);
}

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A string of a module, or a part of a template. */
export interface FoundString {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isPart: boolean;
  /** What it stands in, innermost first. */
  readonly within: readonly SyntaxNode[];
}

export const isSentence = (text: string): boolean =>
  text.includes(" ") && /\p{L}/u.test(text) && !formatStrings.has(text);

/** Every string of a module in JavaScript, without those of imports and names of members. */
export function stringsIn(code: string): FoundString[] {
  const found: FoundString[] = [];
  const visit = (node: SyntaxNode, within: readonly SyntaxNode[], as: string) => {
    const { type, start, end } = node;
    const isName = as === "source" || (as === "key" && within[0]?.computed !== true);
    if (type === "Literal" && typeof node.value === "string" && !isName)
      found.push({ text: node.value, start, end, isPart: false, within });
    if (type === "TemplateElement") {
      const { cooked } = node.value as { readonly cooked: string };
      found.push({ text: cooked, start, end, isPart: true, within });
    }
    const inside = [node, ...within];
    for (const [name, member] of Object.entries(node))
      for (const child of Array.isArray(member) ? member : [member])
        if (typeof child === "object" && child !== null && "type" in child)
          visit(child as SyntaxNode, inside, name);
  };
  visit(parseAst(code) as unknown as SyntaxNode, [], "");
  return found;
}

/** The module with other texts in the place of these strings, which it holds. */
export function withTexts(
  code: string,
  strings: readonly FoundString[],
  other: (before: string) => string,
): string {
  return [...strings]
    .sort((a, b) => b.start - a.start)
    .reduce((made, { text, start, end, isPart }) => {
      const after = other(text);
      const written = isPart ? after.replace(/[\\`$]/g, "\\$&") : JSON.stringify(after);
      return made.slice(0, start) + written + made.slice(end);
    }, code);
}
