import { calibrate } from "@consilium/core/study/calibrate";
import { planView } from "@consilium/core/study/planView";
import { studyDocument } from "@consilium/core/study/study";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { resolveStudy } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { durationFlag } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { calibrationText } from "./calibrationText.js";
import { addNew } from "./newStudy.js";
import { planText } from "./planText.js";
import { loadStudy } from "./studyFile.js";
import { cancelledText, resumedText, studyDetails, studyTable } from "./studyText.js";
import { watchStudy } from "./watch.js";

interface WatchOptions extends OperatorOptions {
  readonly timeout: number;
}

interface StartOptions extends WatchOptions {
  readonly watch?: boolean;
}

const idHelp = "the study's id, or its beginning if no other begins so";

export function addStudy(program: Program, parent: Command): void {
  const study = parent
    .command("study")
    .summary("describe, price, start and follow studies")
    .description(
      "A study is one YAML file: the table and its columns with declared bounds, the analysis and its parameters, " +
        "the privacy asked for, and who takes part. `validate` and `plan` work without any connection.",
    )
    .addHelpText(
      "after",
      `
A study's way:
  $ consilium study new dp-pca --to pca.yaml   a file to start from
  $ consilium study validate pca.yaml          is it a study?
  $ consilium study plan pca.yaml              what would leave each hospital, and what does it cost?
  $ consilium study calibrate trees.yaml       can it do with less noise for its epsilon?
  $ consilium study start pca.yaml --watch     run it
  $ consilium study resume pca-1f              after a deadline, when the missing site is back`,
    );
  addNew(program, study);
  addValidate(program, study);
  addPlan(program, study);
  addCalibrate(program, study);
  addStart(program, study);
  addList(program, study);
  addShow(program, study);
  addWatch(program, study);
  addCancel(program, study);
  addResume(program, study);
}

function addValidate(program: Program, study: Command): void {
  const command = study
    .command("validate")
    .summary("check a study file, offline")
    .description(
      "Checks a study file and lists every fault with its line, the key and what to do. Exit code 1 if there is one.",
    )
    .argument("<file>", "the study, YAML")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium study validate pca.yaml
  $ consilium study validate pca.yaml --json | jq '.error.faults[] | {line, path, message}'`,
    );
  program.verb<[string]>(command, async (session, file) => {
    const { study: valid } = await loadStudy(session.path(file), file);
    const view = planView(valid);
    if (session.json)
      session.printJson({ valid: true, file, name: view.name, hash: view.hash, warnings: view.warnings });
    else session.print(`${session.style.good("valid")}  ${file}: study ${view.name}, hash ${view.hash}`);
    if (!session.json)
      for (const warning of view.warnings) session.print(`${session.style.caution("note")}   ${warning}`);
    return exitCodes.ok;
  });
}

function addPlan(program: Program, study: Command): void {
  const command = study
    .command("plan")
    .summary("show what a study would do and cost, offline")
    .description(
      "Prints every stage of a study before anything runs: what leaves each hospital and in which form, who learns it, " +
        "how many bytes it takes, what privacy it costs and whether that cost is proved.",
    )
    .argument("<file>", "the study, YAML")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium study plan pca.yaml
  $ consilium study plan pca.yaml --json | jq .uploadBytesPerSite`,
    );
  program.verb<[string]>(command, async (session, file) => {
    const { study: valid } = await loadStudy(session.path(file), file);
    const view = planView(valid);
    if (session.json) session.printJson(view);
    else session.print(planText(valid, view, session.style));
    return exitCodes.ok;
  });
}

function addCalibrate(program: Program, study: Command): void {
  const command = study
    .command("calibrate")
    .summary("find the least noise for a study's epsilon, offline")
    .description(
      "Finds the greatest rho with which the study's plan stays within its epsilon by the exact loss distribution of its " +
        "noise: some 8 % less noise than zCDP allows. Put it into the study as `privacy.rho`. Hospitals' budgets are " +
        "charged that rho, so a hospital whose limit for one study is just this epsilon refuses it.",
    )
    .argument("<file>", "the study, YAML")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium study calibrate trees.yaml
  $ consilium study calibrate trees.yaml --json | jq .rho`,
    );
  program.verb<[string]>(command, async (session, file) => {
    const { study: valid } = await loadStudy(session.path(file), file);
    const found = calibrate(valid);
    if (session.json) session.printJson(found ?? { rho: null });
    else session.print(calibrationText(valid, found));
    return exitCodes.ok;
  });
}

function addTimeout(command: Command): Command {
  const meaning = "while watching: how long the aggregator may be away before giving up";
  return command.addOption(durationFlag("--timeout <duration>", meaning, "10m"));
}

function addStart(program: Program, study: Command): void {
  const command = addTimeout(
    addOperatorOptions(
      study
        .command("start")
        .summary("start a study")
        .description("Checks the study file, gives it to the aggregator, and prints the new study's id.")
        .argument("<file>", "the study, YAML")
        .option("--watch", "stay and follow it to its end, as `study watch` does"),
    ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study start pca.yaml
  $ consilium study start pca.yaml --watch && echo released`,
  );
  program.verb<[string, StartOptions]>(command, async (session, file, options) => {
    const { study: valid } = await loadStudy(session.path(file), file);
    const operator = await openOperator(session, options);
    // As checked here: anchors resolved, defaults filled in, the hash that `study plan` printed.
    const view = await operator.start(studyDocument(valid).text);
    if (options.watch) return watchStudy(session, operator, view.id, options.timeout);
    if (session.json) session.printJson(view);
    else {
      session.print(`${session.style.good("Started")} ${session.style.strong(view.id)}`);
      session.print(`Follow it: ${session.style.accent(`consilium study watch ${view.id}`)}`);
    }
    return exitCodes.ok;
  });
}

function addList(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("list")
      .summary("list all studies")
      .description("Lists every study with its status, newest first."),
  ).addHelpText("after", "\nExample:\n  $ consilium study list");
  program.verb<[OperatorOptions]>(command, async (session, options) => {
    const operator = await openOperator(session, options);
    const studies = await operator.studies();
    const ordered = [...studies].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
    if (session.json) session.printJson(ordered);
    else if (ordered.length === 0) session.print("No study yet. Start one: consilium study start <file>");
    else session.print(studyTable(ordered, session.style));
    return exitCodes.ok;
  });
}

function addShow(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("show")
      .summary("show one study")
      .description("Shows a study with its steps, its sites, its privacy, and how it ended.")
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study show pca-1f");
  program.verb<[string, OperatorOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const view = await operator.study(resolveStudy(await operator.studies(), given).id);
    if (session.json) session.printJson(view);
    else session.print(studyDetails(view, Date.now(), session.style));
    return exitCodes.ok;
  });
}

function addWatch(program: Program, study: Command): void {
  const command = addTimeout(
    addOperatorOptions(
      study
        .command("watch")
        .summary("follow a study to its end")
        .description(
          "Follows a study live: each step with its deadline and what happens then, each site with its presence, what it " +
            "does and how far it is. A restart of the aggregator is waited for. On a terminal the picture is redrawn; into " +
            "a pipe go lines, one per change; with --json one StudyView per line.\n\n" +
            "Exit code 0 if the study is released, 1 if it ends otherwise. Stopping to watch does not stop the study.",
        )
        .argument("<id>", idHelp),
    ),
  ).addHelpText("after", "\nExample:\n  $ consilium study watch pca-1f --timeout 1h");
  program.verb<[string, WatchOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const { id } = resolveStudy(await operator.studies(), given);
    return watchStudy(session, operator, id, options.timeout);
  });
}

function addCancel(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("cancel")
      .summary("cancel a study")
      .description("Ends a study that has not ended. What its sites have sent already is discarded.")
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study cancel pca-1f");
  program.verb<[string, OperatorOptions]>(command, (session, given, options) =>
    act(session, given, options, "cancel"),
  );
}

function addResume(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("resume")
      .summary("let a study that ended for want of a site go on")
      .description(
        "Lets a study go on that ended because a deadline passed or a site failed: it takes up the step where it stopped, " +
          "with what is stored, and a new deadline.",
      )
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study resume pca-1f && consilium study watch pca-1f");
  program.verb<[string, OperatorOptions]>(command, (session, given, options) =>
    act(session, given, options, "resume"),
  );
}

async function act(
  session: Session,
  given: string,
  options: OperatorOptions,
  action: "cancel" | "resume",
): Promise<ExitCode> {
  const operator = await openOperator(session, options);
  const { id } = resolveStudy(await operator.studies(), given);
  const view = await operator[action](id);
  if (session.json) session.printJson(view);
  else
    session.print(
      action === "cancel" ? cancelledText(view, session.style) : resumedText(view, Date.now(), session.style),
    );
  return exitCodes.ok;
}
