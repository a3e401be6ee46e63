import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { buildProgram, commandPath } from "../cli/src/program.js";
import { anchorOf } from "./anchorOf.js";
import { generatedPage } from "./generatedPages.js";
import {
  type Fault,
  filesOf,
  generatedPages,
  isGeneratedPage,
  isTestOrGenerated,
  projectRoot,
  readProjectFile,
  reportFaults,
} from "./repository.js";

/**
 * What documents promise of the project itself: every relative link and anchor leads somewhere, every `consilium …`
 * in a block of shell code is understood by the command line, every `consilium …` and `npm run …` in the text names a
 * command that exists. Programs lead to documents by sentences such as "docs/HOSPITAL.md, Spark": these exist, too.
 */
interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** All that are committed, and the pages that are made from the sources. */
async function projectDocuments(): Promise<TextFile[]> {
  const made = generatedPages.map(async (path) => ({ path, text: await generatedPage(path) }));
  const written = filesOf(/\.md$/).map((path) => ({ path, text: readProjectFile(path) }));
  return [...written, ...(await Promise.all(made))];
}

// ---- links ------------------------------------------------------------------------------------------------------

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines outside of fenced code. */
function proseLines(text: string): Line[] {
  let fence: string | null = null;
  return text.split("\n").flatMap((line, index) => {
    const marker = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (marker !== undefined && (fence === null || marker.startsWith(fence))) {
      fence = fence === null ? marker : null;
      return [];
    }
    return fence === null ? [{ number: index + 1, text: line }] : [];
  });
}

/** The anchors of a document's headings as GitHub makes them, and those set by hand. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const { text: line } of proseLines(text)) {
    for (const [, id] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id!);
    const heading = /^#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const slug = anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Targets of inline links, images and reference definitions, with their lines; code spans are no links. */
function linksOf(text: string): { readonly line: number; readonly target: string }[] {
  return proseLines(text).flatMap(({ number, text: line }) => {
    const plain = line.replace(/`[^`]*`/g, (code) => "x".repeat(code.length));
    const inline = [...plain.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
    const definitions = [...plain.matchAll(/^\s{0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/g)];
    return [...inline, ...definitions].map((match) => ({ line: number, target: match[1]! }));
  });
}

export async function linkFaults(
  { path, text }: TextFile,
  read: (path: string) => Promise<string | null>,
): Promise<Fault[]> {
  const faultOf = async (line: number, target: string): Promise<Fault[]> => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
    const fault = (what: string) => [{ place: `${path}:${line}`, what: `${target}: ${what}` }];
    const [file = "", anchor] = target.split("#");
    const to = file === "" ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    if (to.startsWith("..") || file.startsWith("/")) return fault("leads out of the project");
    const content = to === path ? text : await read(to.replace(/\/$/, ""));
    if (content === null) return fault("there is no such file");
    if (anchor === undefined || !to.endsWith(".md")) return [];
    return anchorsOf(content).has(anchor) ? [] : fault("there is no such heading");
  };
  const faults = await Promise.all(linksOf(text).map(({ line, target }) => faultOf(line, target)));
  return faults.flat();
}

/** A file's text, no text for a folder, null for nothing. */
async function readInProject(path: string): Promise<string | null> {
  if (isGeneratedPage(path)) return generatedPage(path);
  const full = join(projectRoot, path);
  if (!existsSync(full)) return null;
  return statSync(full).isDirectory() ? "" : readProjectFile(path);
}

// ---- sentences of programs --------------------------------------------------------------------------------------

const headingsOf = (text: string): string[] =>
  proseLines(text).flatMap(({ text: line }) => /^#{1,6}\s+(.*?)\s*$/.exec(line)?.[1] ?? []);

/** Faults in the documents that a program, script or setting names by path, alone, with an anchor or with a section. */
export async function namedPlaceFaults(
  { path, text }: TextFile,
  read: (path: string) => Promise<string | null>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, line] of text.split("\n").entries())
    for (const match of line.matchAll(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?(?:, ["“„]?(\p{Lu}.*))?/gu)) {
      const [named, anchor, section] = match;
      const content = await read(/^[^#,]+/.exec(named)![0]);
      const fault = (what: string) =>
        faults.push({ place: `${path}:${index + 1}`, what: `${named}: ${what}` });
      if (content === null) fault("there is no such file");
      else if (anchor !== undefined && !anchorsOf(content).has(anchor)) fault("there is no such heading");
      else if (section !== undefined) {
        const leads = headingsOf(content).some(
          (heading) => section.startsWith(heading) && !/^\w/.test(section.slice(heading.length)),
        );
        if (!leads) fault("there is no such section");
      }
    }
  return faults;
}

async function allNamedPlaceFaults(): Promise<Fault[]> {
  const programs = filesOf(/\.(?:[cm]?[jt]sx?|py|sh|ya?ml|service|timer)$/).filter(
    (path) => !isTestOrGenerated(path),
  );
  const files = programs.map((path) => ({ path, text: readProjectFile(path) }));
  return (await Promise.all(files.map((file) => namedPlaceFaults(file, readInProject)))).flat();
}

// ---- commands ---------------------------------------------------------------------------------------------------

/** The calls of `consilium` in a document's `sh` blocks, each as its words after `consilium`. */
export function shellCalls(text: string): { readonly line: number; readonly words: string[] }[] {
  const calls: { line: number; words: string[] }[] = [];
  const blocks = text.matchAll(/^( *)```(?:sh|bash|shell|console)\n([\s\S]*?)^\1```/gm);
  for (const block of blocks) {
    const first = text.slice(0, block.index).split("\n").length + 1;
    let pending = "";
    let start = first;
    block[2]!.split("\n").forEach((raw, index) => {
      if (pending === "") start = first + index;
      pending += raw.trim().replace(/^\$ /, "");
      if (pending.endsWith("\\")) {
        pending = `${pending.slice(0, -1)} `;
        return;
      }
      for (const words of simpleCommands(pending)) {
        const at = commandStart(words);
        if (at !== null) calls.push({ line: start, words: words.slice(at) });
      }
      pending = "";
    });
  }
  return calls;
}

/** Services of docker-compose.yml whose entrypoint is `consilium`. */
const commandServices = new Set(["operator", "authority"]);

/** Where the command's own words begin, or null where this does not run it. */
function commandStart(words: readonly string[]): number | null {
  const at = words.indexOf("consilium");
  const before = words.slice(0, Math.max(at, 0)).filter((word) => !/^[A-Z_]+=/.test(word));
  if (at >= 0 && (before.length === 0 || ["npx", "sudo", "docker", "exec", "time"].includes(before[0]!)))
    // `docker compose run --entrypoint consilium <service> …`
    return words[at - 1] === "--entrypoint" ? at + 2 : at + 1;
  if (words.slice(0, 3).join(" ") !== "docker compose run") return null;
  const service = words.findIndex((word, index) => index > 2 && !word.startsWith("-"));
  return service >= 0 && commandServices.has(words[service]!) ? service + 1 : null;
}

/** A shell line in words, cut at `|`, `&&`, `;` and `&`; comments, redirections and `$(…)` are left out. */
function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  const token =
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\$\([^)]*\)|(#.*$)|(\|\||&&|[|;&])|(\d?>>?&?\d?\s*\S+|<\s+\S+)|((?:<[a-z][^<>\s]*>|[^\s"'|;&#<>])+)/g;
  for (const match of line.matchAll(token)) {
    const [whole, double, single, comment, separator, redirection, plain] = match;
    if (comment !== undefined) break;
    if (separator !== undefined) commands.push([]);
    else if (redirection === undefined) commands.at(-1)!.push(double ?? single ?? plain ?? whole);
  }
  return commands;
}

/** What the command line says against these words, or null when it understands them. */
export async function commandFault(words: readonly string[]): Promise<string | null> {
  const understood: string[] = [];
  const { root } = await buildProgram(
    async (command) => {
      understood.push(commandPath(command));
    },
    { outputError: () => {}, writeErr: () => {}, writeOut: () => {} },
  );
  try {
    await root.parseAsync([...words], { from: "user" });
    return understood.length === 1 ? null : "names no command";
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? null : thrown.message.split("\n")[0]!;
  }
}

/** Whether words such as `study start` lead to a command; what follows a command without subcommands may be anything. */
function namesCommand(root: Command, words: readonly string[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined || first === "help") return true;
  const command = root.commands.find((one) => one.name() === first);
  if (command === undefined) return false;
  return command.commands.length === 0 || namesCommand(command, rest);
}

/** `consilium study start` and `npm run check` in running text: command and script must exist. */
async function inlineFaults({ path, text }: TextFile, scripts: ReadonlySet<string>): Promise<Fault[]> {
  const { root } = await buildProgram(async () => {}, {});
  const faultOf = (code: string): string | null => {
    const script = /^npm run ([\w:-]+)/.exec(code)?.[1];
    if (script !== undefined) return scripts.has(script) ? null : `npm run ${script}: no such script`;
    // `consilium join v1` is what a signature begins with, and no command.
    if (/ v\d+$/.test(code)) return null;
    const words = /^(?:npx )?consilium((?: [a-z]+(?:-[a-z]+)*)+)/.exec(code)?.[1]?.trim().split(" ") ?? [];
    return namesCommand(root, words) ? null : `consilium ${words.join(" ")}: no such command`;
  };
  return proseLines(text).flatMap(({ number, text: line }) =>
    [...line.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => {
      const what = faultOf(code!);
      return what === null ? [] : [{ place: `${path}:${number}`, what }];
    }),
  );
}

/** In a sequence diagram `;` ends a statement and `#` begins an entity: a diagram with one in its text does not draw. */
function diagramFaults({ path, text }: TextFile): Fault[] {
  return [...text.matchAll(/^```mermaid\n(sequenceDiagram\n[\s\S]*?)^```/gm)].flatMap((block) => {
    const first = text.slice(0, block.index).split("\n").length + 1;
    return block[1]!
      .split("\n")
      .flatMap((line, index) =>
        /[;#]/.test(line)
          ? [{ place: `${path}:${first + index}`, what: "a sequence diagram with ; or #" }]
          : [],
      );
  });
}

export async function documentFaults(file: TextFile, scripts: ReadonlySet<string>): Promise<Fault[]> {
  const faults = [
    ...(await linkFaults(file, readInProject)),
    ...(await inlineFaults(file, scripts)),
    ...diagramFaults(file),
  ];
  for (const { line, words } of shellCalls(file.text)) {
    const what = await commandFault(words);
    if (what !== null)
      faults.push({ place: `${file.path}:${line}`, what: `consilium ${words.join(" ")}: ${what}` });
  }
  return faults;
}

export async function allDocumentFaults(): Promise<Fault[]> {
  const manifest = JSON.parse(readProjectFile("package.json")) as { scripts?: Record<string, string> };
  const scripts = new Set(Object.keys(manifest.scripts ?? {}));
  const faults: Fault[] = [];
  for (const file of await projectDocuments()) faults.push(...(await documentFaults(file, scripts)));
  return [...faults, ...(await allNamedPlaceFaults())];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportFaults(await allDocumentFaults());
