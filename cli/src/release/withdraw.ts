import { ConsiliumError } from "@consilium/core/errors";
import type { ReleaseWithdrawal } from "@consilium/core/operator/consoleViews";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";

/** The operator's verbs for releases that are published. */

interface WithdrawOptions extends OperatorOptions {
  readonly reason: string;
  readonly supersededBy?: string;
  readonly yes?: boolean;
}

interface SupersedeOptions extends OperatorOptions {
  readonly reason: string;
  readonly by: string;
}

const idHelp = "the release's id, or a unique start of it";
const reasonHelp = "why: one line, shown on the release's public page";

export function addWithdraw(program: Program, release: Command): void {
  const command = addOperatorOptions(
    release
      .command("withdraw")
      .summary("withdraw a release, permanently")
      .description(
        "Withdraws a published release. Its page stays and says when and why; of its files only the certificate is " +
          "still served. The aggregator signs the withdrawal and sends it to the publisher until it has it. Hospitals " +
          "that took part see it with the study. What was downloaded before is not called back, and nothing that the " +
          "hospitals were charged is given back.",
      )
      .argument("<id>", idHelp)
      .requiredOption("--reason <text>", reasonHelp)
      .option("--superseded-by <id>", "the release to use instead")
      .option("--yes", "do not ask for confirmation"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium release withdraw pca-1f2e3d4c5b --reason "one hospital's dates were wrong"
  $ consilium release withdraw pca-1f --reason "wrong unit" --superseded-by pca-9a8b7c6d5e --yes`,
  );
  program.verb<[string, WithdrawOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const { reason, supersededBy } = options;
    const id = await releaseId(operator, given);
    const body = {
      reason,
      ...(supersededBy !== undefined && { supersededBy: await releaseId(operator, supersededBy) }),
    };
    if (options.yes !== true && !(await confirmed(session, id))) return exitCodes.failed;
    return shown(session, await operator.withdrawRelease(id, body));
  });
}

export function addSupersede(program: Program, release: Command): void {
  const command = addOperatorOptions(
    release
      .command("supersede")
      .summary("say which release supersedes another")
      .description(
        "Marks a published release as superseded by another one of the same federation. Both pages link to each other, " +
          "and the files of both are served. A superseded release can be withdrawn later.",
      )
      .argument("<id>", idHelp)
      .requiredOption("--by <id>", "the release that supersedes it")
      .requiredOption("--reason <text>", reasonHelp),
  ).addHelpText(
    "after",
    '\nExample:\n  $ consilium release supersede pca-1f2e3d4c5b --by pca-9a8b7c6d5e --reason "longer follow-up"',
  );
  program.verb<[string, SupersedeOptions]>(command, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const [id, by] = [await releaseId(operator, given), await releaseId(operator, options.by)];
    return shown(session, await operator.supersedeRelease(id, { by, reason: options.reason }));
  });
}

/** A release has the id of its study. One that the aggregator no longer lists is named in full. */
async function releaseId(operator: OperatorClient, given: string): Promise<string> {
  const { releaseIdPattern } = await import("@consilium/core/release/content");
  if (releaseIdPattern.test(given)) return given;
  try {
    return (await operator.resolveStudy(given)).id;
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError) || thrown.code !== "STUDY_UNKNOWN") throw thrown;
    throw new ConsiliumError("RELEASE_UNKNOWN", `no release id starts with ${given}`);
  }
}

/** @throws ConsiliumError USAGE without a terminal to ask on */
async function confirmed(session: Session, id: string): Promise<boolean> {
  const answer = session.json
    ? null
    : await session.io.ask(`Withdraw release ${id}? This cannot be undone. Type yes: `);
  if (answer === null) {
    throw new ConsiliumError("USAGE", "a withdrawal needs a confirmation on a terminal", {
      remedy: "look at the release with `consilium release list`, then give --yes",
    });
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  session.print("Nothing was withdrawn.");
  return false;
}

function shown(session: Session, said: ReleaseWithdrawal): ExitCode {
  if (session.json) {
    session.printJson(said);
    return exitCodes.ok;
  }
  const { release, status, supersededBy, deliveredAt } = said;
  const by = supersededBy === null ? "" : `, superseded by ${printable(supersededBy)}`;
  const what =
    status === "withdrawn"
      ? `Withdrew ${release}${by}`
      : `Marked ${release} as superseded by ${supersededBy}`;
  session.print(`${session.style.good(printable(what))}.`);
  if (deliveredAt === null) {
    session.note(
      `${session.style.caution("The publisher does not answer:")} the withdrawal is signed, and published as soon as it does.`,
    );
  }
  return exitCodes.ok;
}
