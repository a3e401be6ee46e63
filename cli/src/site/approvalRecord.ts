import type { ApprovalRecordsView } from "@consilium/core/hospital/approvalRecords";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { askAtRest, askRunning } from "../ledger/ledgerSource.js";
import { installedMethods } from "../methods.js";
import type { Program } from "../program.js";
import { type CheckedRecord, checkedRecords, recordsText } from "./approvalRecordText.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";

interface RecordOptions extends SiteStateOptions {
  readonly render?: boolean;
}

/** What is kept of the decisions on a study, for who audits a hospital. */
export function addApprovalRecord(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("record")
      .summary("show what was decided, and what was shown to whom")
      .description(
        "For each approval or refusal of a study by a person: who, when, in whose place, what it was of, and the texts that the " +
          "page or command reports to have shown; for a study that was joined without a person, what it was of. Each record is checked against the ledger's entry that was written with it. Exit code " +
          "4 if a record was changed, or a record or its entry is missing. Reads from the running agent, or from the state " +
          "folder if no agent is running; entries that were archived are looked up in their archives there.",
      )
      .argument("<study>", "the study's id, or the start of it"),
  )
    .option("--render", "say the stored facts anew, and show what this version would word otherwise")
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium site record vital-signs\n  $ consilium site record vital-signs --render --json",
    );
  program.verb<[string, RecordOptions]>(command, async (session, given, options) => {
    const state = await siteState(session, options);
    const running = await askRunning(session, state, (agent) => agent.approvalRecords({ id: given }));
    const view =
      running ??
      ((await askAtRest(session, ["record", "--state", state, "--study", given])) as ApprovalRecordsView);
    const records = checkedRecords(view);
    const isAnew = options.render === true;
    const anew = isAnew ? await saidAnew(records) : [];
    const faults = records.filter(({ fault }) => fault !== null).length + view.missing.length;
    if (session.json)
      session.printJson({
        study: view.study,
        records: records.map((one, at) => ({ ...one, ...(isAnew && { reworded: anew[at] }) })),
        missing: view.missing,
      });
    else session.print(recordsText(view, records, anew, session.style));
    return faults === 0 ? exitCodes.ok : exitCodes.unverified;
  });
}

async function saidAnew(records: readonly CheckedRecord[]) {
  const { reworded } = await import("./reworded.js");
  const methods = await installedMethods();
  return records.map(({ record }) => (record === null ? null : reworded(record, methods)));
}
