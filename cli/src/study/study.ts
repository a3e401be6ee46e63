import { type StudyStatus, studyStatuses } from "@consilium/core/operator/studyStatuses";
import { type Command, InvalidArgumentError } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { countOption, durationFlag } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { addClone } from "./cloneStudy.js";
import { addDiff } from "./diffStudies.js";
import { addExtend, addProceed } from "./joinTime.js";
import { addNew } from "./newStudy.js";
import { addSchema } from "./schemaFile.js";
import { addLogs } from "./studyLogs.js";
import { addQuestions } from "./studyQuestions.js";
import { cancelledText, resumedText, studyDetails, studyTable } from "./studyText.js";

interface WatchOptions extends OperatorOptions {
  readonly timeout: number;
}

interface StartOptions extends WatchOptions {
  readonly watch?: boolean;
}

const idHelp = "the study's id, or a unique start of it";

export function addStudy(program: Program, parent: Command): void {
  const study = parent
    .command("study")
    .summary("write, plan, start and follow studies")
    .description(
      "A study is one YAML file: the table and its columns with declared bounds, the analysis and its parameters, " +
        "the privacy and the sites. `validate` and `plan` work offline.",
    )
    .addHelpText(
      "after",
      `
Typical use:
  $ consilium study new dp-pca --to pca.yaml   a file to start from
  $ consilium study validate pca.yaml          check it
  $ consilium study plan pca.yaml              show outgoing data and privacy cost
  $ consilium study calibrate trees.yaml       find the least noise for its epsilon
  $ consilium study start pca.yaml --watch     run it
  $ consilium study proceed pca-1f             begin with the sites that have joined
  $ consilium study resume pca-1f              after a missed deadline
  $ consilium study accept pca-1f              release what stands of its result
  $ consilium study logs pca-1f                what happened, and when
  $ consilium study clone pca-1f --to b.yaml   another one like it`,
    );
  addNew(program, study);
  addSchema(program, study);
  addValidate(program, study);
  addPlan(program, study);
  addCalibrate(program, study);
  addStart(program, study);
  addList(program, study);
  addShow(program, study);
  addWatch(program, study);
  addCancel(program, study);
  addResume(program, study);
  addAccept(program, study);
  addProceed(program, study, idHelp);
  addExtend(program, study, idHelp);
  addLogs(program, study, idHelp);
  addQuestions(program, study, idHelp);
  addClone(program, study, idHelp);
  addDiff(program, study);
}

/**
 * Reads and validates a study's file. What reads studies is loaded here, and not for the other verbs.
 * @throws DetailedError STUDY_INVALID listing every error
 */
async function readStudyFile(session: Session, file: string) {
  const [{ loadStudy }, { planView }, { studyDocument }] = await Promise.all([
    import("./studyFile.js"),
    import("@consilium/core/study/planView"),
    import("@consilium/core/study/study"),
  ]);
  const { study: valid } = await loadStudy(session.path(file), file);
  return { valid, planView, studyDocument };
}

function addValidate(program: Program, study: Command): void {
  const command = study
    .command("validate")
    .summary("check a study file, offline")
    .description(
      "Checks a study file and lists every error with its line, key and remedy. Exit code 1 if there are errors.",
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
    const { valid, planView } = await readStudyFile(session, file);
    const view = planView(valid);
    const { english } = await import("@consilium/runtime/http/spoken");
    const warnings = view.warnings.map(english);
    if (session.json) session.printJson({ valid: true, file, name: view.name, hash: view.hash, warnings });
    else session.print(`${session.style.good("valid")}  ${file}: study ${view.name}, hash ${view.hash}`);
    if (!session.json)
      for (const warning of warnings) session.print(`${session.style.caution("note")}   ${warning}`);
    return exitCodes.ok;
  });
}

function addPlan(program: Program, study: Command): void {
  const command = study
    .command("plan")
    .summary("show a study's plan and cost, offline")
    .description(
      "Prints every stage of a study before it runs: the data each hospital sends and their form, who learns them, " +
        "their size, the privacy cost and whether it is proven; and how precise the release will be.",
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
    const { valid, planView } = await readStudyFile(session, file);
    const view = planView(valid);
    const [{ planText }, { precisionCases }, { spoken }] = await Promise.all([
      import("./planText.js"),
      import("@consilium/core/study/precisionCases"),
      import("@consilium/runtime/http/spoken"),
    ]);
    const precision = await precisionCases(valid);
    const shown = spoken(view) as ReturnType<typeof planView>;
    if (session.json) session.printJson({ ...shown, precision: spoken(precision) });
    else session.print(planText(valid, shown, { style: session.style, precision }));
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
        "charged that rho, so a hospital whose limit per study is exactly this epsilon refuses it.",
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
    const { valid } = await readStudyFile(session, file);
    const { calibrate } = await import("@consilium/core/study/calibrate");
    const { calibrationText } = await import("./calibrationText.js");
    const found = calibrate(valid);
    if (session.json) session.printJson(found ?? { rho: null });
    else session.print(calibrationText(valid, found));
    return exitCodes.ok;
  });
}

function addTimeout(command: Command): Command {
  const meaning = "how long to wait for an unreachable aggregator while watching";
  return command.addOption(durationFlag("--timeout <duration>", meaning, "10m"));
}

function addStart(program: Program, study: Command): void {
  const command = addTimeout(
    addOperatorOptions(
      study
        .command("start")
        .summary("start a study")
        .description("Checks the study file, sends it to the aggregator, and prints the new study's id.")
        .argument("<file>", "the study, YAML")
        .option("--watch", "follow it to its end, like `study watch`"),
    ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study start pca.yaml
  $ consilium study start pca.yaml --watch && echo released`,
  );
  program.verb<[string, StartOptions]>(command, async (session, file, options) => {
    const { valid, planView, studyDocument } = await readStudyFile(session, file);
    const operator = await openOperator(session, options);
    // The checked form: anchors resolved, defaults filled in, the hash printed by `study plan`.
    const { text } = studyDocument(valid);
    const { english } = await import("@consilium/runtime/http/spoken");
    const known = new Set(planView(valid).warnings.map(english));
    // What only the aggregator knows: which sites lack a column.
    for (const warning of await operator.warnings(text))
      if (!known.has(warning)) session.note(`note   ${printable(warning)}`);
    const view = await operator.start(text);
    if (options.watch) {
      const { watchStudy } = await import("./watch.js");
      return watchStudy(session, operator, view.id, options.timeout);
    }
    if (session.json) session.printJson(view);
    else {
      session.print(`${session.style.good("Started")} ${session.style.strong(view.id)}`);
      session.print(`Follow it: ${session.style.accent(`consilium study watch ${view.id}`)}`);
    }
    return exitCodes.ok;
  });
}

interface ListOptions extends OperatorOptions {
  readonly status?: readonly StudyStatus[];
  readonly method?: string;
  readonly name?: string;
  readonly limit?: number;
}

function addList(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("list")
      .summary("list studies")
      .description("Lists studies with their status, newest first: all, or those that the options leave.")
      .option("--status <status...>", `only of these statuses: ${studyStatuses.join(", ")}`, statusOption)
      .option("--method <method>", "only of this method")
      .option("--name <text>", "only those whose name contains this")
      .option("--limit <n>", "at most so many, the newest", countOption),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study list
  $ consilium study list --limit 20
  $ consilium study list --status failed cancelled
  $ consilium study list --name readmission --json | jq -r '.[].id'`,
  );
  program.list<[ListOptions]>(command, async (session, options) => {
    const { limit, status, method, name } = options;
    const wanted = {
      ...(status !== undefined && { status: [...new Set(status)] }),
      ...(method !== undefined && { method }),
      ...(name !== undefined && name !== "" && { name }),
    };
    const operator = await openOperator(session, options);
    const { studies, total } = await operator.studies(wanted, limit);
    const isFiltered = Object.keys(wanted).length > 0;
    const none = isFiltered ? "No study matches." : "No studies yet. Start one: consilium study start <file>";
    session.printList(studies, {
      name: ({ id }) => id,
      text: () => (studies.length === 0 ? none : studyTable(studies, session.style)),
    });
    if (studies.length < total) session.note(`The first ${studies.length} of ${total} studies are shown.`);
    return exitCodes.ok;
  });
}

function statusOption(text: string, earlier: readonly StudyStatus[] | undefined): StudyStatus[] {
  const given = text.split(",").map((one) => {
    const status = studyStatuses.find((known) => known === one);
    if (status === undefined)
      throw new InvalidArgumentError(`A status is one of: ${studyStatuses.join(", ")}.`);
    return status;
  });
  return [...(earlier ?? []), ...given];
}

function addShow(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("show")
      .summary("show one study")
      .description("Shows a study with its steps, sites, privacy and outcome.")
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study show pca-1f");
  program.verb<[string, OperatorOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const view = await operator.study((await operator.resolveStudy(given)).id);
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
          "Follows a study live: each step with its deadline and what happens then, each site with its presence, " +
            "activity and progress. It waits while the aggregator restarts. On a terminal the view is redrawn; to " +
            "a pipe it prints one line per change; with --json one StudyView per line.\n\n" +
            "Exit code 0 if the study is released, 1 otherwise. Interrupting the watch does not stop the study.",
        )
        .argument("<id>", idHelp),
    ),
  ).addHelpText("after", "\nExample:\n  $ consilium study watch pca-1f --timeout 1h");
  program.verb<[string, WatchOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const { id } = await operator.resolveStudy(given);
    const { watchStudy } = await import("./watch.js");
    return watchStudy(session, operator, id, options.timeout);
  });
}

function addCancel(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("cancel")
      .summary("cancel a study")
      .description("Cancels a running study. Data already sent by its sites are discarded.")
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
      .summary("resume a failed study")
      .description(
        "Resumes a study that failed because a deadline passed, a site failed or its result could not be computed: it " +
          "continues at the failed step, with the stored results and a new deadline.",
      )
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study resume pca-1f && consilium study watch pca-1f");
  program.verb<[string, OperatorOptions]>(command, (session, given, options) =>
    act(session, given, options, "resume"),
  );
}

function addAccept(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("accept")
      .summary("release what stands of a result")
      .description(
        "Accepts the result of a study that failed with RESULT_INCOMPLETE: it continues to its release without the parts " +
          "that could not be computed. The release names them, with the reason. Nothing is charged again.",
      )
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study accept km-1f && consilium study watch km-1f");
  program.verb<[string, OperatorOptions]>(command, (session, given, options) =>
    act(session, given, options, "accept"),
  );
}

async function act(
  session: Session,
  given: string,
  options: OperatorOptions,
  action: "cancel" | "resume" | "accept",
): Promise<ExitCode> {
  const operator = await openOperator(session, options);
  const { id } = await operator.resolveStudy(given);
  const view = await operator[action](id);
  if (session.json) session.printJson(view);
  else
    session.print(
      action === "cancel" ? cancelledText(view, session.style) : resumedText(view, Date.now(), session.style),
    );
  return exitCodes.ok;
}
