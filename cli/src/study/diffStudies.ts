import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { readable } from "./cloneStudy.js";

/** A key whose value differs; undefined where a study does not have it. */
interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export function addDiff(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("diff")
      .summary("show what differs between two studies")
      .description(
        "Compares two studies key by key, defaults filled in; columns are compared by their names. Each is a study's file, or " +
          "the id of one that was started.",
      )
      .argument("<before>", "a file, or a study's id or a unique start of it")
      .argument("<after>", "another one"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study diff pca-1f pca-2a
  $ consilium study diff pca-1f pca.yaml --json | jq -r '.[].path'`,
  );
  program.verb<[string, string, OperatorOptions]>(command, async (session, before, after, options) => {
    const sources = sourcesOf(session, options);
    const found = differences(await sources(before), await sources(after));
    if (session.json) session.printJson(found);
    else if (found.length === 0) session.print("The studies do not differ.");
    else session.print(found.map((one) => differenceText(one, session)).join("\n"));
    return exitCodes.ok;
  });
}

/** Reads studies by file or id; the aggregator is asked only where one is no file. */
function sourcesOf(session: Session, options: OperatorOptions) {
  let opened: Promise<OperatorClient> | null = null;
  return async (given: string): Promise<unknown> => {
    const path = session.path(given);
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile) {
      const [{ loadStudy }, { studyDocument }] = await Promise.all([
        import("./studyFile.js"),
        import("@consilium/core/study/study"),
      ]);
      return sourceOf(JSON.parse(studyDocument((await loadStudy(path, given)).study).text));
    }
    opened ??= openOperator(session, options);
    const operator = await opened;
    return sourceOf((await operator.study((await operator.resolveStudy(given)).id)).study);
  };
}

const sourceOf = (study: unknown) => readable(study as Readonly<Record<string, unknown>>);

/** In the order of the first study, what only the second has last. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [left, right] = [new Map(leavesOf(before, "")), new Map(leavesOf(after, ""))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => JSON.stringify(left.get(path)) !== JSON.stringify(right.get(path)))
    .map((path) => ({
      path,
      ...(left.has(path) && { before: left.get(path) }),
      ...(right.has(path) && { after: right.get(path) }),
    }));
}

/** Every value that is no map, by its path. Entries of a list that all have names are known by them. */
function leavesOf(value: unknown, path: string): [path: string, value: unknown][] {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    const isNamed =
      value.length > 0 && names.every((name) => name !== null) && new Set(names).size === names.length;
    return isNamed
      ? value.flatMap((entry, index) => leavesOf(entry, `${path}[${names[index]}]`))
      : [[path, value]];
  }
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, path === "" ? key : `${path}.${key}`),
  );
}

function nameOf(entry: unknown): string | null {
  const name =
    typeof entry === "object" && entry !== null ? (entry as { readonly name?: unknown }).name : null;
  return typeof name === "string" ? name : null;
}

function differenceText({ path, ...sides }: Difference, { style }: Session): string {
  const line = (sign: string, value: unknown) => `${sign} ${printable(`${path}: ${JSON.stringify(value)}`)}`;
  return [
    ...("before" in sides ? [style.bad(line("-", sides.before))] : []),
    ...("after" in sides ? [style.good(line("+", sides.after))] : []),
  ].join("\n");
}
