import { stat } from "node:fs/promises";
import { differences, readable } from "@consilium/core/study/differences";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { differenceText } from "./differences.js";

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
