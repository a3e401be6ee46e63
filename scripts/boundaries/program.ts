import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import {
  type CallExpression,
  type Expression,
  type Identifier,
  isCallExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExportSpecifier,
  isExpressionWithTypeArguments,
  isIdentifier,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isImportSpecifier,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isNamespaceImport,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTypeNode,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { FileSystem } from "typescript/unstable/fs";
import { API, type Checker, type Symbol as CompilerSymbol, SymbolFlags } from "typescript/unstable/sync";

/** What the compiler knows of the sources that the rules are about. Paths are relative to the project's folder. */
export interface SourceFacts {
  readonly path: string;
  readonly imports: readonly ImportFact[];
  readonly mentions: readonly Mention[];
}

export interface ImportFact {
  readonly line: number;
  readonly specifier: string;
  /** A file of ours by its path, `node:fs` or the name of a package; null for an import() of no literal. */
  readonly target: string | null;
  /** Whether the module is loaded when this file is: an import of types alone is erased. */
  readonly isValue: boolean;
  /** By import(): loaded when it is called, if ever. */
  /** Hands on all that the module exports, without naming it: `import * as`, `export *`, import(). */
  readonly isWhole: boolean;
  /** Loaded when the code comes to it: import(). */
  readonly isLater: boolean;
}

/** A name in the place of a value, with what it stands for. */
export interface Mention {
  readonly line: number;
  readonly name: string;
  /** Where it is declared: a file of ours; null for what the language, Node or a package declares. */
  readonly declaredIn: string | null;
  readonly use: Use;
}

/** How a name is used, as far as a rule can tell uses apart. */
export type Use =
  | { readonly kind: "member"; readonly member: string }
  | { readonly kind: "new"; readonly arguments: number }
  | { readonly kind: "instanceof" }
  /** Read, called, renamed, handed on, extended. */
  | { readonly kind: "value" };

interface ReadOptions {
  readonly root: string;
  /** Configurations of the compiler, relative to the root: one program each. */
  readonly configurations: readonly string[];
  /** Which files to look at. */
  readonly includes: (path: string) => boolean;
  /** Names to look for, apart from those after a dot. */
  readonly names: ReadonlySet<string>;
  /** Names to look for after a dot, too, in brackets and in destructuring. */
  readonly members: ReadonlySet<string>;
  /** Files that are not on disk, or are there otherwise. */
  readonly overlay?: Readonly<Record<string, string>>;
}

/** Reads the facts by the compiler's own resolution of modules and names. */
export function readFacts(options: ReadOptions): SourceFacts[] {
  const { root, configurations, overlay = {} } = options;
  const api = new API({ cwd: root, fs: overlaid(root, overlay) });
  try {
    const openProjects = configurations.map((path) => join(root, path));
    const projects = api.updateSnapshot({ openProjects }).getProjects();
    const seen = new Set<string>();
    return projects.flatMap(({ program, checker }) =>
      program.getSourceFileNames().flatMap((name) => {
        const path = relative(root, name);
        if (seen.has(path) || path.includes("node_modules") || !options.includes(path)) return [];
        seen.add(path);
        const file = program.getSourceFile(name);
        return file === undefined ? [] : [factsOf(file, path, checker, options)];
      }),
    );
  } finally {
    api.close();
  }
}

function overlaid(root: string, overlay: Readonly<Record<string, string>>): FileSystem {
  const texts = new Map(Object.entries(overlay).map(([path, text]) => [join(root, path), text] as const));
  return {
    readFile: (name) => texts.get(name),
    fileExists: (name) => (texts.has(name) ? true : undefined),
    getAccessibleEntries(folder) {
      const added = [...texts.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => basename(path));
      if (added.length === 0) return undefined;
      const entries = readdirSync(folder, { withFileTypes: true });
      const named = (isWanted: (entry: Dirent) => boolean) =>
        entries.filter(isWanted).map((entry) => entry.name);
      return {
        files: [...new Set([...named((entry) => entry.isFile()), ...added])],
        directories: named((entry) => entry.isDirectory()),
      };
    },
  };
}

function factsOf(file: SourceFile, path: string, checker: Checker, options: ReadOptions): SourceFacts {
  const lineOf = (node: Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const found = new Finder(options);
  file.forEachChild((node) => found.visit(node));
  const symbols = symbolsOf(checker, [...found.imports.map((one) => one.node), ...found.names]);
  const imports = found.imports.map(({ node, isValue, isWhole, isLater }, i): ImportFact => {
    const specifier = literalText(node);
    const target = specifier === null ? null : targetOf(options.root, path, specifier, symbols[i]);
    return {
      line: lineOf(node),
      specifier: specifier ?? node.getText(file),
      target,
      isValue,
      isWhole,
      isLater,
    };
  });
  const mentions = found.names.map((node, i): Mention => {
    const symbol = symbols[found.imports.length + i];
    const isOurs = symbol !== undefined && !found.foreign.has(node);
    const at = isOurs ? declarationIn(options.root, symbol, checker) : null;
    // A name that another file declares and this one does not import is a global, no matter who declares its type.
    const isGlobal = at !== path && !isAlias(symbol) && !isSpecifier(node.parent) && !isMemberName(node);
    const declaredIn = isGlobal ? null : at;
    return { line: lineOf(node), name: textOf(node), declaredIn, use: useOf(node) };
  });
  return { path, imports, mentions };
}

function symbolsOf(checker: Checker, nodes: readonly Node[]): (CompilerSymbol | undefined)[] {
  const symbols = nodes.length === 0 ? [] : checker.getSymbolAtLocation(nodes);
  return symbols.map((symbol, i) => {
    const parent = nodes[i]!.parent;
    return isShorthandPropertyAssignment(parent) ? checker.getShorthandAssignmentValueSymbol(parent) : symbol;
  });
}

/** Whether a symbol stands for another one, as an import does. */
const isAlias = (symbol: CompilerSymbol | undefined): boolean =>
  symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0;

/** The file of ours that declares a name, through imports and re-exports; null for a name from elsewhere. */
function declarationIn(root: string, symbol: CompilerSymbol, checker: Checker): string | null {
  const original = isAlias(symbol) ? checker.getAliasedSymbol(symbol) : symbol;
  const paths = original.declarations.map((one) => relative(root, one.path));
  // `declare global` adds declarations of ours to names of the language.
  return paths.some((path) => path.startsWith("..") || path.includes("node_modules"))
    ? null
    : (paths[0] ?? null);
}

function targetOf(root: string, from: string, specifier: string, symbol: CompilerSymbol | undefined): string {
  if (specifier.startsWith("node:")) return specifier;
  const at = symbol?.declarations[0]?.path;
  const path = at === undefined ? null : relative(root, at);
  if (path !== null && !path.startsWith("..") && !path.includes("node_modules")) return path;
  // A file that the compiler does not know, such as JSON or a style sheet, is named as it is written.
  if (specifier.startsWith(".")) return relative(root, join(root, from, "..", specifier));
  const [scope, name] = specifier.split("/");
  return specifier.startsWith("@") ? `${scope}/${name}` : scope!;
}

interface FoundImport {
  readonly node: Node;
  readonly isValue: boolean;
  readonly isWhole: boolean;
  readonly isLater: boolean;
}

/** Walks a file for the nodes that rules may be about; what they stand for is asked of the compiler at once. */
class Finder {
  readonly imports: FoundImport[] = [];
  readonly names: Node[] = [];
  /** Names that stand for something from elsewhere though a declaration is here: `declare const x`, `const { x } = y`. */
  readonly foreign = new Set<Node>();
  #isAmbient = false;
  readonly #names: ReadonlySet<string>;
  readonly #members: ReadonlySet<string>;

  constructor({ names, members }: Pick<ReadOptions, "names" | "members">) {
    this.#names = names;
    this.#members = members;
  }

  visit(node: Node): void {
    if (isImportDeclaration(node)) {
      const { importClause } = node;
      const bindings = importClause?.namedBindings;
      const isValue = importClause?.phaseModifier !== SyntaxKind.TypeKeyword;
      const isWhole = bindings !== undefined && isNamespaceImport(bindings);
      this.imports.push({ node: node.moduleSpecifier, isValue, isWhole, isLater: false });
      if (!isValue) return;
    } else if (isExportDeclaration(node)) {
      if (node.moduleSpecifier !== undefined) {
        const isWhole =
          node.exportClause === undefined || node.exportClause.kind === SyntaxKind.NamespaceExport;
        this.imports.push({ node: node.moduleSpecifier, isValue: !node.isTypeOnly, isWhole, isLater: false });
      }
      if (node.isTypeOnly) return;
    } else if (isImportEqualsDeclaration(node)) {
      this.imports.push({ node: node.moduleReference, isValue: true, isWhole: true, isLater: false });
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      this.imports.push({ node: node.arguments[0] ?? node, isValue: true, isWhole: true, isLater: true });
    } else if (isImportTypeNode(node)) {
      const { argument } = node;
      const literal = isLiteralTypeNode(argument) ? argument.literal : argument;
      this.imports.push({ node: literal, isValue: false, isWhole: false, isLater: false });
      return;
    }
    if (isExpressionWithTypeArguments(node) ? isTypeHeritage(node) : isTypeNode(node)) return;
    if ((isImportSpecifier(node) || isExportSpecifier(node)) && node.isTypeOnly) return;
    this.#note(node);
    const isAmbient = this.#isAmbient;
    this.#isAmbient ||= isDeclared(node);
    node.forEachChild((child) => this.visit(child));
    this.#isAmbient = isAmbient;
  }

  #note(node: Node): void {
    if (!isIdentifier(node)) {
      // `x["name"]`, and any key of an object or pattern that is written as a text.
      const text = literalText(node);
      if (text !== null && this.#members.has(text)) this.names.push(node);
      return;
    }
    if (this.#isAmbient || (this.#members.has(node.text) && isUnpacked(node))) this.foreign.add(node);
    if (
      isMemberName(node)
        ? this.#members.has(node.text)
        : this.#names.has(node.text) || this.#members.has(node.text)
    )
      this.names.push(node);
  }
}

/** Whether a node names a member of something, rather than something in scope. */
const isMemberName = (node: Node): boolean => !isIdentifier(node) || isAfterDot(node) || isKey(node);

const isSpecifier = (node: Node): boolean => isImportSpecifier(node) || isExportSpecifier(node);

const isAfterDot = (node: Identifier): boolean =>
  (isPropertyAccessExpression(node.parent) && node.parent.name === node) || isMetaProperty(node.parent);

/** A name that an object, class or interface gives to a member of its own. */
function isKey(node: Identifier): boolean {
  const { parent } = node as { parent: Node & { name?: Node; propertyName?: Node } };
  switch (parent.kind) {
    case SyntaxKind.PropertyAssignment:
    case SyntaxKind.PropertyDeclaration:
    case SyntaxKind.MethodDeclaration:
    case SyntaxKind.GetAccessor:
    case SyntaxKind.SetAccessor:
    case SyntaxKind.EnumMember:
      return parent.name === node;
    case SyntaxKind.BindingElement:
      return parent.propertyName === node;
    case SyntaxKind.LabeledStatement:
    case SyntaxKind.BreakStatement:
    case SyntaxKind.ContinueStatement:
      return true;
    default:
      return false;
  }
}

/** `implements x`, and what an interface extends. */
function isTypeHeritage({ parent }: Node): boolean {
  const { token } = parent as Node & { token?: SyntaxKind };
  return token === SyntaxKind.ImplementsKeyword || parent.parent.kind === SyntaxKind.InterfaceDeclaration;
}

/** `declare …`: it makes nothing, and names what is there already. */
function isDeclared(node: Node): boolean {
  const { modifiers } = node as Node & { modifiers?: readonly Node[] };
  return modifiers?.some((modifier) => modifier.kind === SyntaxKind.DeclareKeyword) === true;
}

/** The name in `const { name } = x`: of a variable here, and of a member of x. */
function isUnpacked(node: Identifier): boolean {
  const { parent } = node as { parent: Node & { name?: Node; propertyName?: Node } };
  return (
    parent.kind === SyntaxKind.BindingElement &&
    parent.parent.kind === SyntaxKind.ObjectBindingPattern &&
    parent.name === node &&
    parent.propertyName === undefined
  );
}

function useOf(name: Node): Use {
  // Of `x.name` and `x["name"]` it counts what is done with the whole.
  const isMember =
    (isPropertyAccessExpression(name.parent) && name.parent.name === name) ||
    (isElementAccessExpression(name.parent) && name.parent.argumentExpression === name);
  const node = isMember ? name.parent : name;
  const { parent } = node;
  if (isPropertyAccessExpression(parent) && parent.expression === node)
    return { kind: "member", member: parent.name.text };
  if (isElementAccessExpression(parent) && parent.expression === node) {
    const member = literalText(parent.argumentExpression);
    return member === null ? { kind: "value" } : { kind: "member", member };
  }
  if (isNewExpression(parent) && parent.expression === node)
    return { kind: "new", arguments: parent.arguments?.length ?? 0 };
  if (parent.kind === SyntaxKind.BinaryExpression) {
    const { operatorToken, right } = parent as Node & { operatorToken: Node; right: Node };
    if (operatorToken.kind === SyntaxKind.InstanceOfKeyword && right === node) return { kind: "instanceof" };
  }
  return { kind: "value" };
}

function literalText(node: Node | Expression | CallExpression): string | null {
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : null;
}

const textOf = (node: Node): string => (node as Identifier).text;
