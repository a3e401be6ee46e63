import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

/** A sentence of an error in the sources: what stands for a value is `{}`. */
export interface FailureTemplate {
  /** File and line. */
  readonly place: string;
  readonly text: string;
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every message and remedy of an error that the sources of `folder` raise; those they compute elsewhere are left out. */
export function failureTemplates(folder: string): FailureTemplate[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter(
      (path) => /\.ts$/.test(path) && !/\.test\.ts$|\.d\.ts$|(^|\/)(testing|node_modules|dist)\//.test(path),
    )
    .flatMap((path) => templatesOf(`${folder}/${path}`, readFileSync(`${root}${folder}/${path}`, "utf8")));
}

export function templatesOf(path: string, source: string): FailureTemplate[] {
  if (!/\bnew (ConsiliumError|SumError)\(/.test(source)) return [];
  const program = parseSync(path, source).program as unknown as Node;
  const calls = callsIn(program);
  const found: FailureTemplate[] = [];
  walk(program, [], (node, functions) => {
    if (node.type !== "NewExpression" || !/^(ConsiliumError|SumError)$/.test(nameOf(node.callee))) return;
    const [, message, options] = node.arguments as Node[];
    const remedy = ((options?.properties ?? []) as Node[]).find((one) => nameOf(one.key) === "remedy");
    const place = `${path}:${source.slice(0, node.start).split("\n").length}`;
    for (const one of [message, remedy?.value as Node | undefined])
      for (const text of textsOf(one, (name) => given(name, functions, calls)))
        if (/\p{L}/u.test(text)) found.push({ place, text });
  });
  return found;
}

type Calls = ReadonlyMap<string, readonly Node[]>;

function callsIn(program: Node): Calls {
  const calls = new Map<string, Node[]>();
  walk(program, [], (node) => {
    if (node.type !== "CallExpression") return;
    const callee = node.callee as Node;
    const name = nameOf(callee.type === "MemberExpression" ? callee.property : callee);
    calls.set(name, [...(calls.get(name) ?? []), node]);
  });
  return calls;
}

/** What the same file's calls give for a parameter; null for another name. */
function given(name: string, functions: readonly Node[], calls: Calls): readonly Node[] | null {
  for (const one of functions) {
    const at = (one.params as Node[]).findIndex((param) => nameOf(param) === name);
    if (at !== -1)
      return (calls.get(nameOf(one.id)) ?? []).flatMap((call) => (call.arguments as Node[])[at] ?? []);
  }
  return null;
}

function textsOf(node: Node | undefined, givenFor: (name: string) => readonly Node[] | null): string[] {
  switch (node?.type) {
    case "Literal":
      return [String(node.value)];
    case "TemplateLiteral":
      return (node.quasis as { value: { cooked: string } }[]).reduce<string[]>(
        (texts, quasi, at) => {
          const parts = at === 0 ? [""] : placesOf((node.expressions as Node[])[at - 1]!, givenFor);
          return texts.flatMap((text) => parts.map((part) => `${text}${part}${quasi.value.cooked}`));
        },
        [""],
      );
    case "BinaryExpression": {
      if (node.operator !== "+") return [];
      const [left, right] = [node.left, node.right].map((one) => placesOf(one as Node, givenFor));
      return left!.flatMap((one) => right!.map((other) => one + other));
    }
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap((one) => textsOf(one as Node, givenFor));
    case "Identifier":
      return (givenFor(nameOf(node)) ?? []).flatMap((one) => textsOf(one, () => null));
    default:
      return [];
  }
}

/** A value's texts where the file says them, else its place. */
function placesOf(node: Node, givenFor: (name: string) => readonly Node[] | null): string[] {
  const texts = textsOf(node, givenFor);
  return texts.length === 0 ? ["{}"] : texts;
}

const nameOf = (node: unknown): string =>
  String((node as { readonly name?: unknown } | null | undefined)?.name ?? "");

function walk(
  value: unknown,
  functions: readonly Node[],
  see: (node: Node, functions: readonly Node[]) => void,
): void {
  if (Array.isArray(value)) for (const one of value) walk(one, functions, see);
  const node = value as Node | null;
  if (node === null || typeof node !== "object" || typeof node.type !== "string") return;
  const within = /^Function(Declaration|Expression)$/.test(node.type) ? [node, ...functions] : functions;
  see(node, within);
  for (const [key, child] of Object.entries(node)) if (key !== "type") walk(child, within, see);
}
