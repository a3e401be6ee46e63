import { ConsiliumError } from "@consilium/core/errors";
import { usesFewRows } from "@consilium/core/hospital/profileRemarks";
import type { ProfileView } from "@consilium/core/hospital/profileViews";
import { recordable, type Shown } from "@consilium/core/hospital/shown";
import { softwareBuild } from "@consilium/core/version";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { commandLineName } from "@consilium/runtime/commandLineName";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { plainStyle, type Style } from "../terminal/style.js";
import { agentOf } from "./agentSocket.js";
import { addApprovalRecord } from "./approvalRecord.js";
import {
  checkedText,
  explainedText,
  offeredTable,
  readExplained,
  readOfferedList,
} from "./offeredStudiesText.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";

interface DecisionOptions extends SiteStateOptions {
  readonly yes?: boolean;
  readonly reason?: string;
}

const askTimeoutMs = 10_000;
/** Approval reads the whole table, which takes time for a large one. */
const approveTimeoutMs = 60 * 60_000;
const checking = "Checking the table as the study would use it ...";

/** The verbs of the approver: list, show, ask, approve, refuse, and what is kept of an approval. */
export function addOfferedStudies(program: Program, site: Command): void {
  addStudies(program, site);
  addShow(program, site);
  addAsk(program, site);
  addApprove(program, site);
  addRefuse(program, site);
  addApprovalRecord(program, site);
}

function addStudies(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("studies")
      .summary("list the studies offered to this hospital")
      .description(
        "Every study offered to this hospital: its decision, who decided, and for waiting studies the " +
          "deadline. Reasons stay at the site.",
      ),
  ).addHelpText("after", "\nExample:\n  $ consilium site studies");
  program.list<[SiteStateOptions]>(command, async (session, options) => {
    const state = await siteState(session, options);
    const agent = agentOf(session, state, askTimeoutMs);
    const answer = await agent.studies({});
    const offered = readOfferedList(answer);
    session.printList(offered, {
      name: ({ id }) => id,
      text: () => offeredTable(offered, Date.now(), session.style),
      value: answer,
    });
    return exitCodes.ok;
  });
}

function addShow(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("show")
      .summary("explain a study's request and cost")
      .description(
        "Explains the data this hospital would send and their form, who learns what, the privacy cost, the remaining budget, " +
          "and the policy's decision. The agent derives this from the study itself. Of a study that waits for approval it also " +
          "reads the table, and says how many rows the study uses and what to check.",
      )
      .argument("<study>", "the study's id, or the start of it"),
  ).addHelpText("after", "\nExample:\n  $ consilium site show vital-signs");
  program.verb<[string, SiteStateOptions]>(command, async (session, given, options) => {
    const state = await siteState(session, options);
    const id = await resolveStudy(session, state, given);
    const answer = await showStudy(session, state, id);
    if (session.json) {
      session.printJson(answer);
      return exitCodes.ok;
    }
    const offered = readExplained(answer);
    const text = explainedText(offered, Date.now(), session.style);
    if (offered.status !== "waiting for approval") {
      session.print(text);
      return exitCodes.ok;
    }
    session.print(`${text}\n`);
    session.note(checking);
    const check = await checked(agentOf(session, state, approveTimeoutMs), id);
    session.print(checkText(check, session.style));
    return exitCodes.ok;
  });
}

function addAsk(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("ask")
      .summary("ask the operator a question about a study")
      .description(
        "The text leaves the hospital as it is, without a name; do not write anything about a patient. The answer is in " +
          "`site show`. At most 20 questions about a study, and 10 within an hour.",
      )
      .argument("<study>", "the study's id, or the start of it")
      .argument("<text>", "the question, at most 1000 characters"),
  ).addHelpText("after", '\nExample:\n  $ consilium site ask vital-signs "Why 30 bins?"');
  program.verb<[string, string, SiteStateOptions]>(command, async (session, given, text, options) => {
    const state = await siteState(session, options);
    const id = await resolveStudy(session, state, given);
    const answer = await agentOf(session, state, askTimeoutMs).ask({ id, by: commandLineName(), text });
    if (session.json) session.printJson(answer);
    else {
      session.print(`${session.style.good("Asked")} the operator about ${id}.`);
      noteConnection(session, answer, "and can answer then");
    }
    return exitCodes.ok;
  });
}

function addApprove(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("approve")
      .summary("approve a study for this hospital")
      .description(
        "Shows the study like `site show` and asks for confirmation. Then the agent checks the table as the study would use it, " +
          "reserves the study's cost and joins. What was shown is kept with the approval (`site record`); with --yes nothing is. Where the policy asks for two approvals, the first one waits for another person's; " +
          "the command line counts as one person per user of this machine. If the table has errors, they are shown here and the study " +
          "keeps waiting. Approvals survive restarts.",
      )
      .argument("<study>", "the study's id, or the start of it")
      .option("--yes", "do not ask for confirmation"),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium site approve vital-signs\n  $ consilium site approve vital-signs-0123456789 --yes --json",
  );
  program.verb<[string, DecisionOptions]>(command, approve);
}

function addRefuse(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("refuse")
      .summary("deny a study for this hospital")
      .description(
        "Tells the aggregator that this hospital does not take part. The reason stays at the site. This cannot be undone " +
          "for this study; the operator can start another one.",
      )
      .argument("<study>", "the study's id, or the start of it")
      .option("--reason <text>", "the reason, for the hospital's own records")
      .option("--yes", "do not ask for confirmation"),
  ).addHelpText(
    "after",
    '\nExample:\n  $ consilium site refuse vital-signs --reason "the board has not met"',
  );
  program.verb<[string, DecisionOptions]>(command, refuse);
}

async function approve(session: Session, given: string, options: DecisionOptions): Promise<number> {
  const state = await siteState(session, options);
  const id = await resolveStudy(session, state, given);
  const answer = await agentOf(session, state, askTimeoutMs).study({ id });
  const offered = readExplained(answer);
  const isWaiting = offered.status === "waiting for approval";
  if (isWaiting && offered.budgetFault !== null)
    throw new ConsiliumError("BUDGET_EXHAUSTED", `${id}: ${offered.budgetFault}`, {
      remedy: "ask the operator for a study of a smaller epsilon, or raise the budget in policy.yaml",
    });
  const isAsked = options.yes !== true && isWaiting;
  const now = Date.now();
  if (isAsked && !session.json) session.print(`${explainedText(offered, now, session.style)}\n`);
  if (!session.json) session.note(checking);
  const agent = agentOf(session, state, approveTimeoutMs);
  const check = isWaiting && !session.json ? await checked(agent, id) : null;
  if (check !== null) session.print(checkText(check, session.style));
  const question = `Take part in ${id}?`;
  if (isAsked && !(await confirmed(session, question))) return exitCodes.failed;
  if (isAsked && check !== null && !(check instanceof ConsiliumError) && usesFewRows(check.report)) {
    const few = `With less than ${check.report.minimumUsable} % of the rows?`;
    if (!(await confirmed(session, few))) return exitCodes.failed;
  }
  // Without what was found in the table: that is no part of what is kept.
  const explanation = offered.explanation.filter(({ title }) => title !== "Data check");
  const texts = recordable([explainedText({ ...offered, explanation }, now, plainStyle), question]);
  const shown: Shown = { ...answer.terms, language: "en", software: softwareBuild, texts };
  const decision = await agent.approve({ id, by: commandLineName(), ...(isAsked && { shown }) });
  if (session.json) {
    session.printJson(decision);
    return exitCodes.ok;
  }
  const decided = readExplained(decision.study);
  if (decided.status === "waiting for approval") {
    session.print(`${session.style.good("Approved")} ${id}: ${printable(decided.words)}.`);
    return exitCodes.ok;
  }
  session.print(`${session.style.good("Approved")} ${id}: this hospital takes part.`);
  noteConnection(
    session,
    decision,
    `before ${offered.approveUntil ?? "the study's deadline"}, or the study continues without this hospital`,
  );
  return exitCodes.ok;
}

/** What a table that cannot be read is to say, approval says too: it decides. */
async function checked(agent: HospitalAgent, id: string): Promise<ProfileView | ConsiliumError> {
  try {
    return await agent.studyProfile({ id });
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError)) throw thrown;
    return thrown;
  }
}

const checkText = (check: ProfileView | ConsiliumError, style: Style): string =>
  check instanceof ConsiliumError
    ? `${style.bad("The table cannot be checked:")} ${printable(check.describe())}`
    : checkedText(check, style);

async function refuse(session: Session, given: string, options: DecisionOptions): Promise<number> {
  const state = await siteState(session, options);
  const id = await resolveStudy(session, state, given);
  const isAsked = options.yes !== true;
  const question = `Deny ${id}?`;
  if (isAsked && !(await confirmed(session, question))) return exitCodes.failed;
  const agent = agentOf(session, state, askTimeoutMs);
  // A study that cannot be shown by now can be refused all the same.
  const terms = isAsked
    ? await agent.study({ id }).then(
        ({ terms }) => terms,
        () => null,
      )
    : null;
  const shown: Shown | null =
    terms === null ? null : { ...terms, language: "en", software: softwareBuild, texts: [question] };
  const reason = options.reason ?? null;
  const answer = await agent.refuse({ id, by: commandLineName(), reason, ...(shown !== null && { shown }) });
  if (session.json) {
    session.printJson(answer);
    return exitCodes.ok;
  }
  session.print(`${session.style.caution("Denied")} ${id}. The reason stays at the site.`);
  noteConnection(session, answer, "and waits for this hospital until its deadline");
  return exitCodes.ok;
}

function noteConnection(session: Session, answer: unknown, otherwise: string): void {
  if ((answer as { connected?: unknown } | null)?.connected !== false) return;
  session.print(
    `${session.style.caution("The agent is not connected.")} The aggregator is told when it reconnects, ${otherwise}.`,
  );
}

/** @throws ConsiliumError USAGE without a terminal to ask on */
async function confirmed(session: Session, question: string): Promise<boolean> {
  const answer = session.json ? null : await session.io.ask(`${question} Type yes: `);
  if (answer === null) {
    throw new ConsiliumError("USAGE", "this decision needs a confirmation on a terminal", {
      remedy: "check the study with `consilium site show`, then give --yes",
    });
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  session.print("No decision was made.");
  return false;
}

function showStudy(session: Session, state: string, id: string): Promise<unknown> {
  const agent = agentOf(session, state, askTimeoutMs);
  return agent.study({ id });
}

/** The text of an offered study, by its id or the start of it. */
export async function offeredText(
  session: Session,
  state: string,
  given: string,
): Promise<{ readonly id: string; readonly text: string }> {
  const id = await resolveStudy(session, state, given);
  const { study } = await agentOf(session, state, askTimeoutMs).study({ id });
  return { id, text: JSON.stringify(study) };
}

/** A complete id, or the start of one. */
async function resolveStudy(session: Session, state: string, given: string): Promise<string> {
  const agent = agentOf(session, state, askTimeoutMs);
  const answer = await agent.studies({});
  const ids = readOfferedList(answer).map(({ id }) => id);
  if (ids.includes(given)) return given;
  const matches = ids.filter((id) => id.startsWith(given));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) {
    throw new ConsiliumError("STUDY_UNKNOWN", `no study ${given} has been offered to this hospital`, {
      remedy: "list the offered studies with `consilium site studies`",
    });
  }
  throw new ConsiliumError("USAGE", `${given} is ambiguous: ${matches.slice(0, 5).join(", ")}`, {
    remedy: "give more characters of the id",
  });
}
