import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { PolicyCheckView, PolicyFaultView } from "@consilium/core/hospital/policyViews";
import { policyWords } from "@consilium/core/hospital/policyWords";
import { type Difference, differences } from "@consilium/core/study/differences";
import { commandLineName } from "@consilium/runtime/commandLineName";
import { english } from "@consilium/runtime/http/spoken";
import type { Command } from "commander";
import { parse } from "yaml";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { DetailedError, fileFault } from "../failure.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { agentOf } from "../site/agentSocket.js";
import { addStateOptions, type SiteStateOptions, siteState } from "../site/siteState.js";
import { differenceText } from "../study/differences.js";
import { printable, wrap } from "../terminal/layout.js";

interface SetOptions extends SiteStateOptions {
  readonly yes?: boolean;
}

const timeoutMs = 30_000;

/** The hospital's policy: which studies it joins, who decides, and what its patients' privacy may cost. */
export function addPolicy(program: Program, parent: Command): void {
  const policy = parent
    .command("policy")
    .summary("at the hospital: show, check and set the policy")
    .description(
      "The policy says which studies this hospital joins, who approves them and what they may cost. It is policy.yaml " +
        "in the site's state folder; the running agent reads it before each decision. docs/samples/policy.yaml has every key.",
    )
    .addHelpText(
      "after",
      `
Typical use:
  $ consilium policy show
  $ consilium policy show --json | jq -r .text > policy.yaml
  $ consilium policy check policy.yaml
  $ consilium policy set policy.yaml`,
    );
  const show = addStateOptions(
    policy
      .command("show")
      .summary("show the active policy in words")
      .description("Shows the rules that are in force now, in words, and where the file is."),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium policy show\n  $ consilium policy show --json | jq -r .text",
  );
  program.verb<[SiteStateOptions]>(show, showPolicy);
  const check = addStateOptions(
    policy
      .command("check")
      .summary("check a policy file and show what it would change")
      .description(
        "Checks a policy file: its errors with line and column, what it changes against the active policy, and what the " +
          "studies that wait would meet under it. Nothing is written. Exit code 1 if the file has errors.",
      )
      .argument("<file>", "the policy, YAML"),
  ).addHelpText("after", "\nExample:\n  $ consilium policy check policy.yaml");
  program.verb<[string, SiteStateOptions]>(check, checkPolicyFile);
  const set = addStateOptions(
    policy
      .command("set")
      .summary("make a file the active policy")
      .description(
        "Checks a policy file like `policy check`, shows the changes and asks for confirmation. Then the agent replaces " +
          "policy.yaml in one step, keeps the previous version in policy-history/, and writes it to the audit log.",
      )
      .argument("<file>", "the policy, YAML")
      .option("--yes", "do not ask for confirmation"),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium policy set policy.yaml\n  $ consilium policy set policy.yaml --site st-mary --yes",
  );
  program.verb<[string, SetOptions]>(set, setPolicy);
}

async function showPolicy(session: Session, options: SiteStateOptions): Promise<ExitCode> {
  const agent = agentOf(session, await siteState(session, options), timeoutMs);
  const { status, text, faults } = await agent.policy({});
  const words = status.state === "invalid" ? [] : policyWords(contentOf(text)).map(english);
  if (session.json) {
    session.printJson({ ...status, words, faults: placed(text ?? "", faults), text });
    return exitCodes.ok;
  }
  const { caution, bad, strong } = session.style;
  session.print(`${strong("policy")}  ${printable(status.path)}`);
  if (status.state === "invalid") {
    session.print(`${bad("invalid:")} every study is refused\n${faultLines(text ?? "", faults)}`);
    return exitCodes.failed;
  }
  if (status.state === "absent") session.print(caution("There is no file: the defaults hold."));
  session.print(words.map(bullet).join("\n"));
  return exitCodes.ok;
}

/** The checked file with its text, and the version that it is compared with. */
interface Checked {
  readonly text: string;
  readonly active: string | null;
  readonly version: string | null;
  readonly check: PolicyCheckView;
  readonly changes: readonly Difference[];
}

/** @throws DetailedError POLICY_INVALID listing every error with its place */
async function checked(session: Session, file: string, options: SiteStateOptions): Promise<Checked> {
  const path = session.path(file);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `policy ${path}: ${fileFault(cause)}`, {
      remedy: "give the path of a policy file",
      cause,
    });
  });
  const agent = agentOf(session, await siteState(session, options), timeoutMs);
  const check = await agent.policyCheck({ text });
  if (check.faults.length > 0) {
    const count = check.faults.length;
    throw new DetailedError("POLICY_INVALID", `${file} has ${count} ${count === 1 ? "error" : "errors"}`, {
      listing: faultLines(text, check.faults),
      details: { faults: placed(text, check.faults) },
    });
  }
  const { text: active, version, status } = await agent.policy({});
  // Of an invalid policy nothing is in force: all of the file is new.
  const before = status.state === "invalid" ? {} : contentOf(active);
  return { text, active, version, check, changes: differences(before, contentOf(text)) };
}

async function checkPolicyFile(session: Session, file: string, options: SiteStateOptions): Promise<ExitCode> {
  const { check, changes } = await checked(session, file, options);
  if (session.json)
    session.printJson({ valid: true, changes, warnings: check.warnings, waiting: check.waiting });
  else
    session.print(
      `${session.style.good("valid")}  ${printable(file)}\n\n${checkText(session, check, changes)}`,
    );
  return exitCodes.ok;
}

async function setPolicy(session: Session, file: string, options: SetOptions): Promise<ExitCode> {
  const found = await checked(session, file, options);
  const { text, active, version, check, changes } = found;
  if (text === active) {
    if (session.json) session.printJson({ changed: false, changes: [] });
    else session.print("The policy is the active one: nothing changed.");
    return exitCodes.ok;
  }
  if (!session.json) session.print(checkText(session, check, changes));
  if (options.yes !== true && !(await confirmed(session))) return exitCodes.failed;
  const agent = agentOf(session, await siteState(session, options), timeoutMs);
  const saved = await agent.policySave({ text, version, by: commandLineName() });
  if (session.json)
    session.printJson({ changed: true, changes, path: saved.status.path, version: saved.version });
  else
    session.print(
      `${session.style.good("Set")} ${printable(saved.status.path)}. The previous version is kept in policy-history/.`,
    );
  return exitCodes.ok;
}

function checkText(session: Session, check: PolicyCheckView, changes: readonly Difference[]): string {
  const { strong, caution } = session.style;
  const waiting = check.waiting.map(({ name, present, edited }) => {
    const now = present?.outcome ?? "refused";
    const what =
      now === edited.outcome
        ? `still ${outcomeWords[now]}`
        : `${outcomeWords[now]} -> ${outcomeWords[edited.outcome]}`;
    return bullet(`${name}: ${what} (${edited.rule})`);
  });
  const parts = [
    `${strong("Changes against the active policy")}\n${changes.length === 0 ? "  none" : changes.map((one) => differenceText(one, session)).join("\n")}`,
    ...(check.warnings.length === 0 ? [] : [`${caution("Note")}\n${check.warnings.map(bullet).join("\n")}`]),
    ...(waiting.length === 0 ? [] : [`${strong("Studies that wait")}\n${waiting.join("\n")}`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

const outcomeWords = {
  refused: "refused by a rule",
  person: "decided by a person",
  automatic: "joined automatically",
} as const;

const bullet = (sentence: string) =>
  wrap(printable(sentence), 100)
    .map((line, index) => `${index === 0 ? "  - " : "    "}${line}`)
    .join("\n");

/** @throws ConsiliumError USAGE without a terminal to ask on */
async function confirmed(session: Session): Promise<boolean> {
  const answer = session.json ? null : await session.io.ask("Make this the active policy? Type yes: ");
  if (answer === null) {
    throw new ConsiliumError("USAGE", "a new policy needs a confirmation on a terminal", {
      remedy: "look at the changes with `consilium policy check`, then give --yes",
    });
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  session.print("The policy is unchanged.");
  return false;
}

const contentOf = (text: string | null): unknown => (text === null ? {} : (parse(text) ?? {}));

interface PlacedFault extends PolicyFaultView {
  /** From 1; null where there is no line. */
  readonly column: number | null;
}

/** Faults begin with the path of what is wrong: its last key says where in the line it is. */
function placed(text: string, faults: readonly PolicyFaultView[]): PlacedFault[] {
  const lines = text.split(/\r\n|\r|\n/);
  return faults.map((fault) => {
    const line = fault.line === null ? undefined : lines[fault.line - 1];
    if (line === undefined) return { ...fault, column: null };
    const key = /^[\w.[\]-]+/.exec(fault.message)?.[0]?.match(/[\w-]+(?=(?:\[\d+\])*$)/)?.[0];
    const at = key === undefined ? -1 : line.search(new RegExp(`(?<![\\w-])${key}(?![\\w-])`));
    return { ...fault, column: 1 + (at >= 0 ? at : Math.max(0, line.search(/\S/))) };
  });
}

function faultLines(text: string, faults: readonly PolicyFaultView[]): string {
  return placed(text, faults)
    .map(
      ({ line, column, message }) =>
        `  ${line === null ? "" : `line ${line}, column ${column}: `}${printable(message)}`,
    )
    .join("\n");
}
